"""Small parts of proofs, each held to its definition in fractions."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import max_margin, separability
from rosenblatt.prove.exact import row_norms
from rosenblatt.prove.exact.linear_algebra import dot
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.exact_margin import pair_weights
from rosenblatt.prove.margin.max_margin import _mean_direction
from rosenblatt.prove.margin.widest_margin import no_margin
from rosenblatt.prove.margin.wolfe import root_above, root_below, solve_nearest_points_exactly
from rosenblatt.prove.mistakes.mistake_bound import PerceptronRows
from rosenblatt.prove.separability.margin_program import shorten_solution
from rosenblatt.prove.time_limit import Clock

FORMS = [np.asarray, scipy.sparse.csr_matrix]


@settings(deadline=None)
@given(st.fractions(0, 10**6), st.integers(-1300, 1300))
def test_roots_are_the_nearest_floats_on_their_side(number, power):
    square = number * Fraction(2) ** power
    below, above = root_below(square), root_above(square)
    assert Fraction(below) ** 2 <= square
    assert above == np.inf or Fraction(above) ** 2 >= square
    assert np.nextafter(below, np.inf) >= above
    assert below == above or Fraction(below) ** 2 != square


def test_roots_beyond_floats_lie_between_the_largest_and_infinity():
    assert root_below(Fraction(10) ** 700) == np.finfo(np.float64).max
    assert root_above(Fraction(10) ** 700) == np.inf


@pytest.mark.parametrize("seed", range(10))
def test_weights_of_pairs_add_up_to_those_of_rows(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((12, 2)), np.arange(12) % 2
    alpha = rng.integers(0, 4, 12) / 8
    alpha[:2] = 0.5
    plan = pair_weights(ClassHulls(X, y, True, None), alpha)
    exact = [Fraction(float(value)) for value in alpha]
    for place, side in ((0, 1), (1, 0)):
        total = sum(weight for weight, label in zip(exact, y, strict=True) if label == side)
        for row in np.flatnonzero(y == side).tolist():
            assert sum(weight for pair, weight in plan.items() if pair[place] == row) == exact[row] / total
    assert list(plan) == sorted(plan)
    assert [behind for _, behind in plan] == sorted(behind for _, behind in plan)
    alone = pair_weights(ClassHulls(X, y, False, None), alpha)
    assert alone == {(row, -1): exact[row] / sum(exact) for row in range(12) if exact[row]}


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_weights_of_the_support_add_up_to_1_in_each_class(fit_intercept):
    X, y = np.array([[3.0, 3], [4, 3], [-1, -1], [3, 4]]), np.array([1, 1, -1, 1])
    found = max_margin(X, y, fit_intercept)
    weights = dict(zip(found.support.rows.tolist(), found.support.weights.tolist(), strict=True))
    if fit_intercept:
        assert sum(weight for row, weight in weights.items() if y[row] > 0) == pytest.approx(1)
        assert weights[2] == pytest.approx(1)
    else:
        assert sum(weights.values()) == pytest.approx(1)


@pytest.mark.parametrize("form", FORMS)
def test_the_first_direction_is_between_the_means(form):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 3)), rng.permutation(30) % 3 > 0
    with_offset, without = (_mean_direction(ClassHulls(form(X), y, fit, None)) for fit in (True, False))
    np.testing.assert_allclose(2 * with_offset, X[y].mean(axis=0) - X[~y].mean(axis=0))
    np.testing.assert_allclose(without, (np.where(y, 1, -1)[:, None] * X).mean(axis=0))


@pytest.mark.parametrize("number", [-1, 5, 10**30, -(10**30)])
def test_rows_that_are_not_there_have_no_place(number):
    problem = ExactProblem(np.arange(5.0)[:, None], [0, 1, 0, 1, 2], True, (0, 1))
    assert problem.places([3, 0]) == [3, 0]
    assert problem.places([0, number]) is None
    assert problem.places([4]) is None  # of another class


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("at_once", [1, 5, 1 << 17])
def test_the_longest_row_is_found_in_every_block(form, weighted, at_once, monkeypatch):
    monkeypatch.setattr(row_norms, "NUMBERS_PER_BLOCK", at_once)
    for longest in range(7):
        X = np.ones((7, 2))
        X[longest] = [3.0, -4.0]
        X[(longest + 1) % 7] = 0.0
        weights = np.full(7, 2.0) if weighted else None
        found = row_norms.max_row_norm(form(X), weights)
        assert 5 * (1 + weighted) <= found <= 5 * (1 + weighted) * (1 + 16 * 2.0**-52)


@pytest.mark.parametrize("form", FORMS)
def test_numbers_are_not_copied_to_be_squared(form):
    X = form(np.arange(1.0, 13.0).reshape(4, 3))
    for numbers, _, _ in row_norms._blocks(X, None):
        assert np.shares_memory(numbers, X.data if scipy.sparse.issparse(X) else X)


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_zeros_have_no_length(form):
    X = form(np.array([[0.0, 0.0], [3.0, 4.0]]))
    assert row_norms.max_row_norm(X[:1]) == row_norms.max_row_norm(X[:1], np.ones(1)) == 0.0
    assert row_norms.max_row_norm(X, np.array([1e9, 1.0])) < 5.1


@pytest.mark.parametrize("form", FORMS)
def test_rows_are_scaled_by_a_power_of_two(form):
    X = np.array([[3e-200, 0.0], [0.0, 5e-210], [1e-200, 1e-200]])
    rows = PerceptronRows(form(X), [0, 1, 1], False, 1.0, None, None)
    larger = rows.scale_up()
    after, before = np.asarray(larger.X.sum(axis=1)).flat, X.sum(axis=1)
    [ratio] = {Fraction(float(a)) / Fraction(float(b)) for a, b in zip(after, before, strict=True)}
    assert ratio.numerator.bit_count() == ratio.denominator == 1
    assert np.abs(larger.X).max() > 1
    assert np.abs(rows.X).max() == 3e-200
    assert larger.scale_up() is None


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_short_weights_keep_half_of_the_margin(seed):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal(3)
    floats = rng.standard_normal((20, 3))
    floats *= np.sign(floats @ z)[:, None]
    whole = np.array(shorten_solution(z, floats), dtype=float)
    bits = np.ceil(np.log2(np.abs(whole).max()))
    assert (floats @ whole / 2**bits).min() > 0.49 * (floats @ (z / np.abs(z).max())).min()


def test_clear_margins_have_short_weights():
    floats = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert max(shorten_solution(np.array([1.0, 0.7123456789]), floats)) <= 2**8


def test_proofs_of_overlap_say_how_rows_clash():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 0]
    assert "a weighted mean of those of one class is a weighted mean" in separability(X, y).explain()
    assert "some positive multiples of them sum to 0" in separability(X - 1.5, y, fit_intercept=False).explain()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_hyperplanes_of_any_size_lie_midway(scale):
    """Beyond the squares of floats the answer is exact, and its offset is on the right side, too."""
    X, y = np.array([[3.0, 3], [4, 3], [1, 1], [3, 4]]) * scale, np.array([1, 1, -1, 1])
    found = max_margin(X, y)
    w, b = found.hyperplane.weights, found.hyperplane.offset
    margins = [
        int(label) * (sum(Fraction(a) * c for a, c in zip(row, w, strict=True)) + b)
        for row, label in zip(X.tolist(), y, strict=True)
    ]
    assert min(margins) > 0
    assert margins[0] == pytest.approx(float(margins[2]), rel=1e-9)
    assert found.margin == pytest.approx(np.sqrt(2) * scale, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("form", FORMS)
def test_rows_with_zeros_of_any_size_have_an_exact_margin(scale, form):
    """The hulls are nearest at (1, 1) and (-1, -1), apart by the square root of 8."""
    X, y = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0]]) * scale, [1, 1, 0]
    found = max_margin(form(X), y)
    square = 2 * Fraction(float(scale)) ** 2
    assert (found.margin, found.upper) == (root_below(square), root_above(square))
    assert found.support.rows.tolist() == [0, 1, 2]
    assert found.support.weights.tolist() == [0.5, 0.5, 1.0]


def test_pairs_that_do_not_carry_the_nearest_points_have_no_weight():
    """The nearest point of the segment is its end. The start gives both ends the same weight."""
    ahead, half = [[0, 1], [1, 1]], Fraction(1, 2)
    found = solve_nearest_points_exactly(ahead, [[0, 0]], {(0, 0): half, (1, 0): half}, Clock(None))
    assert found == ([0, 1], {(0, 0): 1})


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_nearest_points_do_not_depend_on_the_start(seed):
    rng = np.random.default_rng(seed)
    ahead, behind = rng.integers(0, 9, (4, 3)).tolist(), rng.integers(-9, 1, (4, 3)).tolist()
    plans = [{}, {(3, 2): Fraction(1)}, {(0, 1): Fraction(1, 3), (2, 3): Fraction(2, 3)}]
    found = [solve_nearest_points_exactly(ahead, behind, plan, Clock(None)) for plan in plans]
    for nearest in found:
        assert nearest.difference == found[0].difference
        assert min(nearest.plan.values()) > 0
        assert sum(nearest.plan.values()) == 1
        pairs = [(weight, ahead[i], behind[j]) for (i, j), weight in nearest.plan.items()]
        points = [sum(weight * (a[k] - b[k]) for weight, a, b in pairs) for k in range(3)]
        assert points == nearest.difference
        reach = min(dot(points, a) for a in ahead) - max(dot(points, b) for b in behind)
        assert reach == dot(points, points)  # no pair is nearer along the difference


def test_a_margin_of_zero_has_no_gap():
    assert no_margin("the classes touch", 0.0).gap == 0.0
