"""Linear programs of a few rows: their optimum, and the exact numbers that go in and come out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from rosenblatt.prove.exact.linear_algebra import matrix_product
from rosenblatt.prove.separability import gordan
from rosenblatt.prove.separability.linear_program import new_highs, nonzero_arrays
from rosenblatt.prove.separability.margin_program import (
    MarginProgram,
    divide_by_largest,
    exact_vertex,
    integer_whitening,
    magnified_margins,
    scale_rows,
    solve_margin_program,
    whitening_matrix,
)
from rosenblatt.prove.separability.quotient_space import QuotientSpace
from rosenblatt.prove.separability.tucker_split import _WhitenedProgram
from rosenblatt.prove.time_limit import Clock

SEEDS = st.integers(0, 10**6)


def whole_rows(seed, count=8, columns=3, most=50):
    """Rows of integers, none of them 0."""
    found = np.random.default_rng(seed).integers(-most, most + 1, (count, columns))
    found[:, 0] += found[:, 0] >= 0
    return [[int(value) for value in row] for row in found]


def flat_rows():
    """Rows that nearly share a plane."""
    rng = np.random.default_rng(0)
    near = rng.integers(-100, 101, (40, 2)) @ rng.integers(-100, 101, (2, 3)) * 10**6 + rng.integers(-3, 4, (40, 3))
    return [[int(value) for value in row] for row in near]


# Scaling


@settings(deadline=None)
@given(SEEDS, st.integers(0, 200))
def test_scaled_rows_are_the_rows_times_powers_of_two(seed, power):
    rows = [[value << power * j for j, value in enumerate(row)] for row in whole_rows(seed)]
    scaled = scale_rows(rows)
    for row, up, floats in zip(rows, scaled.rows, scaled.floats, strict=True):
        assert floats.tolist() == [
            value * Fraction(2) ** (up + across) for value, across in zip(row, scaled.columns, strict=True)
        ]
        assert 0.5 <= np.abs(floats).max() < 1
    assert max(scaled.rows) < 0 <= min(scaled.columns)


def test_zeros_do_not_hide_how_small_the_other_numbers_of_a_column_are():
    """The 1 is tiny beside its row, and the only number of its column."""
    scaled = scale_rows([[1, 0], [2**60, 1]])
    assert scaled.columns == [0, 60]
    assert scaled.floats.tolist() == [[0.5, 0.0], [0.5, 0.5]]


@settings(deadline=None)
@given(SEEDS)
def test_magnified_margins_are_those_of_the_scaled_rows(seed):
    rows = [[value << 9 * j for j, value in enumerate(row)] for row in whole_rows(seed)]
    scaled, z = scale_rows(rows), [3, -5, 8]
    wanted = [sum(Fraction(a) * b for a, b in zip(row, z, strict=True)) for row in scaled.floats.tolist()]
    assert magnified_margins(rows, scaled, z).tolist() == [float(margin) for margin in wanted]


def test_rows_divided_by_their_largest_number():
    rows = np.array([[2.0, -4.0], [0.0, 0.0], [0.5, 0.25]])
    assert divide_by_largest(rows).tolist() == [[0.5, -1.0], [0.0, 0.0], [1.0, 0.5]]


# The optimum


@settings(deadline=None)
@given(SEEDS, st.booleans())
def test_the_program_has_the_optimum_that_another_solver_finds(seed, refined):
    """max t such that row . z + margin >= t and |z_j| <= 1."""
    rows = whole_rows(seed)
    scaled = scale_rows(rows)
    margins = np.random.default_rng(seed).uniform(-1, 1, len(rows)) if refined else None
    found = solve_margin_program(scaled, Clock(None), margins)
    peer = linprog(
        [0, 0, 0, -1],
        A_ub=np.hstack([-scaled.floats, np.ones((len(rows), 1))]),
        b_ub=np.zeros(len(rows)) if margins is None else margins,
        bounds=[(-1, 1)] * 3 + [(None, None)],
    )
    assert found.t == pytest.approx(-peer.fun, abs=1e-8)
    assert np.abs(found.z).max() <= 1 + 1e-9


@settings(deadline=None)
@given(SEEDS)
def test_the_exact_vertex_is_where_the_tight_rows_meet(seed):
    rows = whole_rows(seed)
    scaled = scale_rows(rows)
    found = solve_margin_program(scaled, Clock(None))
    z = exact_vertex(rows, scaled, found)
    if found.t > 1e-6:
        margins = matrix_product(rows, [[value] for value in z])
        exact = [margin * Fraction(2) ** up for [margin], up in zip(margins, scaled.rows, strict=True)]
        assert min(exact) > 0
        assert {exact[row] for row in found.tight} == {min(exact)}


def test_columns_of_zeros_have_no_weight():
    rows = [[3, 0, 1], [2, 0, -1], [1, 0, 4]]
    scaled = scale_rows(rows)
    found = solve_margin_program(scaled, Clock(None))
    assert found.bounds[1] == 0
    assert found.z[1] == 0.0
    assert exact_vertex(rows, scaled, found)[1] == 0


def test_a_column_gets_a_weight_when_a_row_with_it_joins():
    program = MarginProgram(2, Clock(None))
    program.add(np.array([[1.0, 0.0]]))
    assert program.solve().z.tolist() == [1.0, 0.0]
    program.add(np.array([[-0.5, 1.0]]))
    assert program.solve().z[1] == 1.0


def test_only_numbers_other_than_zero_are_handed_over():
    count, starts, columns, values = nonzero_arrays(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]))
    assert (count, starts.tolist(), columns.tolist()) == (4, [0, 1, 2], [0, 1, 0, 1])
    assert values.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_solvers_print_nothing(capfd):
    highs = new_highs()
    highs.addVar(0.0, 1.0)
    highs.run()
    assert capfd.readouterr().out == ""


# Rows that nearly share a plane


def test_whitened_rows_no_longer_share_a_plane():
    rows = flat_rows()
    scaled = scale_rows(rows)
    whitening = integer_whitening(scaled)
    assert np.linalg.cond(scaled.floats) > 1e3
    assert np.linalg.cond(scale_rows(matrix_product(rows, whitening)).floats) < 100


def test_every_direction_of_a_whitening_keeps_all_bits_of_a_float():
    scaled = scale_rows(flat_rows())
    unscaled = [
        [value * Fraction(2) ** (min(scaled.columns) - up) for value in row]
        for row, up in zip(integer_whitening(scaled), scaled.columns, strict=True)
    ]
    assert [max(map(abs, column)) for column in zip(*unscaled, strict=True)] == [2**52] * 3


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_whitening_makes_all_directions_equally_long(scale):
    flat = scale * np.array([[1.0, 1.0], [1.0, 1.001], [1.0, 0.999]])
    np.testing.assert_allclose(np.linalg.svd(flat @ whitening_matrix(flat))[1], 1.0, rtol=1e-6)


def test_rows_that_are_all_zero_stay_zero():
    nothing = np.zeros((3, 2))
    assert (nothing @ whitening_matrix(nothing) == 0).all()


def test_rows_that_nearly_share_a_line_are_whitened():
    rng = np.random.default_rng(0)
    near = np.outer(rng.integers(-99, 100, 40), [3, 5, 7]) * 10**7 + rng.integers(-3, 4, (40, 3))
    rows = [[int(value) for value in row] for row in near]
    scaled = scale_rows(rows)
    sizes = np.linalg.svd(scaled.floats, compute_uv=False)
    assert sizes[2] > 1e-3 * sizes[1]
    whitened = scale_rows(matrix_product(rows, integer_whitening(scaled)))
    assert np.linalg.cond(whitened.floats) < 100


def test_rows_that_fill_space_are_not_whitened():
    assert integer_whitening(scale_rows(whole_rows(0))) is None
    assert integer_whitening(scale_rows([[1, 2, 3]])) is None


@pytest.mark.parametrize("whiten_last", [True, False])
@pytest.mark.parametrize("first", [3, 20])
def test_weights_are_for_all_rows_that_joined(first, whiten_last):
    rows = np.random.default_rng(1).uniform(-1, 1, (40, 3)) * [1.0, 1.0, 1e-4]
    rows[:, 2] = np.abs(rows[:, 2])
    program = _WhitenedProgram(rows[:first], Clock(None))
    if not whiten_last:
        program.whiten()
    program.add(rows[first:])
    assert program.whiten() is whiten_last
    found = program.solve()
    assert found.t > 1e-9
    assert (rows @ np.array(program.shorten(found.z), dtype=float)).min() > 0


# Rows modulo T


@settings(deadline=None)
@given(SEEDS)
def test_weights_of_quotient_rows_have_their_margins(seed):
    """Normals of very different size: each counts with the power of two that brings it near 1."""
    rng = np.random.default_rng(seed)
    normals = [[int(value) << 40 * k for value in rng.integers(1, 9, 4)] for k in range(3)]
    z = [int(value) for value in rng.integers(-9, 10, 3)]
    w = QuotientSpace(normals).weights(z)
    sizes = [max(normal).bit_length() for normal in normals]
    wanted = [
        sum(Fraction(value * normal[j], 2**size) for value, normal, size in zip(z, normals, sizes, strict=True))
        for j in range(4)
    ]
    ratios = {Fraction(a) / b for a, b in zip(w, wanted, strict=True) if b}
    assert [bool(a) for a in w] == [bool(b) for b in wanted]
    assert len(ratios) <= 1
    assert all(ratio > 0 for ratio in ratios)


def test_without_normals_rows_and_weights_are_their_own():
    whole = QuotientSpace(None)
    assert whole.weights([1, -2]) == [1, -2]
    assert whole.floats(np.array([[2.0, -4.0]])).tolist() == [[0.5, -1.0]]


# Where floats fail


@pytest.mark.parametrize("seed", range(10))
def test_a_failing_solver_leaves_the_question_to_exact_arithmetic(seed, monkeypatch):
    rows = whole_rows(seed, 6)
    wanted = isinstance(gordan.solve_gordan(rows, Clock(None)), list)
    monkeypatch.setattr(MarginProgram, "solve", lambda self: None)
    answer = gordan.solve_gordan(rows, Clock(None))
    assert isinstance(answer, list) == wanted
    if wanted:
        assert all(sum(a * b for a, b in zip(row, answer, strict=True)) > 0 for row in rows)
