"""Bounds of a margin are true for any proposal of floats, and hulls far from the origin need no exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from test_quick_ways import refuse, two_classes

from rosenblatt import max_margin
from rosenblatt.prove.margin import max_margin as margins
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.margin_bounds import Proposal, balance_weights
from rosenblatt.prove.mistakes.mistake_bound import PerceptronRows, novikoff_bound

FORMS = pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])


def fractions(X):
    return [[Fraction(value) for value in row] for row in X.tolist()]


def exact_square_of_point(X, y, alpha):
    """The square of the norm of sum alpha_i y_i x_i."""
    factors = [Fraction(value) * int(label) for value, label in zip(alpha.tolist(), y, strict=True)]
    columns = zip(*fractions(X), strict=True)
    point = [sum(a * value for a, value in zip(factors, column, strict=True)) for column in columns]
    return sum(value * value for value in point)


def exact_square_of_margin(X, y, w, offset):
    """The least margin of a hyperplane, squared, and whether it is above 0."""
    exact = [Fraction(value) for value in w.tolist()]
    least = min(
        int(label) * (sum(a * b for a, b in zip(row, exact, strict=True)) + Fraction(offset))
        for row, label in zip(fractions(X), y, strict=True)
    )
    return least > 0, least**2 / sum(value * value for value in exact)


@FORMS
@pytest.mark.parametrize(("rows", "columns"), [(2, 1), (2, 1000), (7, 3), (30, 9)])
@pytest.mark.parametrize("seed", range(3))
def test_no_point_of_the_hulls_is_nearer_than_the_upper_bound(form, rows, columns, seed):
    """Weights of few bits have exact sums, so that the point is in the hull: one row alone, too."""
    rng = np.random.default_rng(seed)
    X, y = rng.uniform(0.5, 1, (rows, columns)), np.where(np.arange(rows) % 2, 1, -1)
    hulls = ClassHulls(form(X), y, False, None)
    for used in (1, rows):
        alpha = np.zeros(rows)
        alpha[:used] = 2.0 ** -np.arange(1, used + 1)
        alpha[0] += 2.0**-used
        places = np.flatnonzero(alpha)
        upper = margins._upper_bound(hulls, places, alpha[places], hulls.radius())
        exact = exact_square_of_point(X, y, alpha)
        assert exact <= Fraction(upper) ** 2 <= exact * Fraction(1 + 1e-9) ** 2 + Fraction(1e-20)


@pytest.mark.parametrize("missing", [2.0**-40, 2.0**-20])
def test_weights_whose_sums_are_not_exact_raise_the_upper_bound(missing):
    """The point is off by what is missing times a row at most."""
    X, y = np.array([[3.0, 4.0], [3.0, 4.0]]), [1, -1]
    hulls = ClassHulls(X, y, True, None)
    whole, less = (
        margins._upper_bound(hulls, np.arange(2), np.array([0.5, 0.5 - off]), hulls.radius()) for off in (0.0, missing)
    )
    assert less >= whole + missing * 5
    assert margins._upper_bound(hulls, np.arange(2), np.array([0.5, -0.5]), hulls.radius()) == np.inf


@FORMS
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize("columns", [1, 3, 100])
def test_the_lower_bound_is_below_the_margin_of_its_hyperplane(form, fit_intercept, far, columns):
    rng = np.random.default_rng(columns)
    for _ in range(3):
        X, y = rng.uniform(0.5, 1, (6, columns)), np.array([1, -1, 1, -1, 1, -1])
        w = rng.uniform(0.5, 1, columns)
        X = (X + far) * (1 if fit_intercept else y[:, None]) + y[:, None] * w
        hulls = ClassHulls(form(X), y, fit_intercept, None)
        offset, lower = margins._lower_bound(hulls, w / np.linalg.norm(w), hulls.radius())
        right, square = exact_square_of_margin(X, y, w / np.linalg.norm(w), offset)
        assert right or lower <= 0
        if lower > 0:
            assert Fraction(lower) ** 2 <= square <= Fraction(lower * (1 + 1e-6)) ** 2
        assert offset == 0 or fit_intercept


def test_a_proposal_without_a_direction_proves_nothing():
    hulls = ClassHulls(np.array([[1.0], [2.0]]), [0, 1], True, None)
    alpha = np.array([0.5, 0.5])
    for w in (0.0, np.nan, np.inf, -1.0):
        assert margins._prove_bounds(hulls, Proposal(alpha, np.array([w]))) is None
    assert margins._prove_bounds(hulls, Proposal(alpha, np.array([3.0]))).margin == pytest.approx(0.5)


@pytest.mark.parametrize("far", [1e3, 1e4])
def test_rows_far_from_the_origin_need_no_exact_arithmetic(far, monkeypatch):
    """Rounding takes a share of the margin that is still far below one in a million."""
    X, y = two_classes(0, 60, 3)
    near = max_margin(X, y)
    monkeypatch.setattr(margins, "exact_margin", refuse)
    found = max_margin(X + far, y)
    assert found.margin == pytest.approx(near.margin, rel=1e-5)


@pytest.mark.parametrize("sides", [None, np.array([1.0, -1.0, 1.0])])
def test_weights_are_balanced(sides):
    alpha = balance_weights(np.array([3.0, 2.0, 1.0]), sides)
    if sides is None:
        assert alpha.tolist() == [0.5, 2 / 6, 1 / 6]
    else:
        assert alpha.tolist() == [0.375, 0.5, 0.125]


@FORMS
def test_a_margin_beyond_floats_is_no_lower_bound(form):
    """The products with the weights are floats, but the margin of their sum is not: no bound may be infinite."""
    X, y = np.array([[1.5e308, 1.5e308], [-1.5e308, -1.5e308]]), np.array([1, -1])
    bound = novikoff_bound(PerceptronRows(form(X), y, False, 1.0, [1.0, 0.9], None))
    assert bound
    assert np.isfinite(bound.margin)
    assert bound.bound >= 1
