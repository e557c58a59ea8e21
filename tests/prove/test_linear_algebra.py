"""Exact linear algebra: dependences, spans, and Gordan's alternative on whole numbers."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt.prove.exact.linear_algebra import (
    Circuit,
    circuit_among,
    combination,
    dot,
    null_vectors,
    primitive,
    rank,
    separate_or_clash,
)
from rosenblatt.prove.separability.float_proposal import basic_point, propose, rounded, scaling, unscaled
from rosenblatt.prove.time_limit import Clock, OutOfTime


def random_rows(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    rows = rng.integers(-2, 3, (int(rng.integers(1, 9)), size))
    rows[:, 0] += int(rng.integers(0, 3))
    return [row for row in rows.tolist() if any(row)] or [[1] * size]


@pytest.mark.parametrize("seed", range(200))
def test_separate_or_clash_proves_what_it_says(seed):
    rows = random_rows(seed)
    answer = separate_or_clash(rows, Clock(None))
    if isinstance(answer, Circuit):
        assert all(number > 0 for number in answer.multipliers)
        chosen = [rows[row] for row in answer.rows]
        assert not any(
            sum(m * row[j] for m, row in zip(answer.multipliers, chosen, strict=True)) for j in range(len(rows[0]))
        )
        assert rank(chosen) == len(chosen) - 1
    else:
        assert all(dot(row, answer) > 0 for row in rows)


@pytest.mark.parametrize("seed", range(100))
def test_what_floats_propose_is_what_exact_arithmetic_finds(seed):
    rows = random_rows(seed)
    scaled = scaling(rows)
    proposal = propose(scaled, Clock(60))
    if isinstance(separate_or_clash(rows, Clock(None)), Circuit):
        assert proposal.t < 1e-7
        assert circuit_among(rows, proposal.tight) is not None
    else:
        assert all(dot(row, unscaled(rounded(proposal, 30), scaled)) > 0 for row in rows)
        assert all(dot(row, basic_point(rows, scaled, proposal)) > 0 for row in rows)


def test_null_vectors_are_all_there():
    rows = [[1, 2, 3, 4], [2, 4, 6, 9], [0, 0, 0, 1]]
    vectors = null_vectors(rows, 4)
    assert len(vectors) == 4 - rank(rows) == rank(vectors)
    assert not any(dot(row, vector) for row in rows for vector in vectors)
    assert null_vectors([[1, 0], [1, 1]], 2) == []


def test_combination_of_dependent_vectors():
    vectors = [[1, 2, 3], [2, 4, 6], [1, 0, 0]]
    parts = combination(vectors, [0, 2, 3])
    assert [sum(p * v[j] for p, v in zip(parts, vectors, strict=True)) for j in range(3)] == [0, 2, 3]
    assert combination(vectors, [0, 1, 0]) is None


def test_numbers_of_any_size():
    huge = 10**5000
    rows = [[huge, 1], [-huge, 1]]
    w = separate_or_clash(rows, Clock(None))
    assert min(dot(row, w) for row in rows) > 0
    assert primitive([huge, -3 * huge]) == [1, -3]
    assert primitive([Fraction(1, huge), Fraction(2, huge)]) == [1, 2]
    assert np.isfinite(scaling([[huge, 1], [1, 0]]).floats).all()


def test_circuits_need_one_dependence_of_one_sign():
    rows = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    assert circuit_among(rows, [0, 1, 2]) == Circuit([0, 1], [Fraction(1), Fraction(1)])
    assert circuit_among(rows, [0, 1, 2, 3]) is None
    assert circuit_among(rows, [0, 2]) is None
    assert circuit_among(rows, []) is None


def test_the_clock_stops_it():
    with pytest.raises(OutOfTime):
        separate_or_clash([[1], [-1]], Clock(0))
