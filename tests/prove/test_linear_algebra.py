"""Exact linear algebra: dependences, spans, and Gordan's alternative on whole numbers."""

from fractions import Fraction

import numpy as np
import pytest

from rosenblatt.prove.exact.linear_algebra import (
    PositiveDependence,
    dot,
    find_dependence,
    null_space,
    primitive_vector,
    rank,
    solve_combination,
    solve_gordan_exactly,
)
from rosenblatt.prove.separability.margin_program import (
    exact_vertex,
    round_solution,
    scale_rows,
    solve_margin_program,
    unscale_solution,
)
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
    answer = solve_gordan_exactly(rows, Clock(None))
    if isinstance(answer, PositiveDependence):
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
    scaled = scale_rows(rows)
    proposal = solve_margin_program(scaled, Clock(60))
    if isinstance(solve_gordan_exactly(rows, Clock(None)), PositiveDependence):
        assert proposal.t < 1e-7
        assert find_dependence(rows, proposal.tight) is not None
    else:
        assert all(dot(row, unscale_solution(round_solution(proposal, 30), scaled)) > 0 for row in rows)
        assert all(dot(row, exact_vertex(rows, scaled, proposal)) > 0 for row in rows)


def test_null_vectors_are_all_there():
    rows = [[1, 2, 3, 4], [2, 4, 6, 9], [0, 0, 0, 1]]
    vectors = null_space(rows, 4)
    assert len(vectors) == 4 - rank(rows) == rank(vectors)
    assert not any(dot(row, vector) for row in rows for vector in vectors)
    assert null_space([[1, 0], [1, 1]], 2) == []


def test_combination_of_dependent_vectors():
    vectors = [[1, 2, 3], [2, 4, 6], [1, 0, 0]]
    parts = solve_combination(vectors, [0, 2, 3])
    assert [sum(p * v[j] for p, v in zip(parts, vectors, strict=True)) for j in range(3)] == [0, 2, 3]
    assert solve_combination(vectors, [0, 1, 0]) is None


def test_numbers_of_any_size():
    huge = 10**5000
    rows = [[huge, 1], [-huge, 1]]
    w = solve_gordan_exactly(rows, Clock(None))
    assert min(dot(row, w) for row in rows) > 0
    assert primitive_vector([huge, -3 * huge]) == [1, -3]
    assert primitive_vector([Fraction(1, huge), Fraction(2, huge)]) == [1, 2]
    assert np.isfinite(scale_rows([[huge, 1], [1, 0]]).floats).all()


def test_circuits_need_one_dependence_of_one_sign():
    rows = [[1, 0], [-1, 0], [0, 1], [0, -1]]
    assert find_dependence(rows, [0, 1, 2]) == PositiveDependence([0, 1], [Fraction(1), Fraction(1)])
    assert find_dependence(rows, [0, 1, 2, 3]) is None
    assert find_dependence(rows, [0, 2]) is None
    assert find_dependence(rows, []) is None


def test_the_clock_stops_it():
    with pytest.raises(OutOfTime):
        solve_gordan_exactly([[1], [-1]], Clock(0))
