"""Bounds are true whatever type and size the numbers have: every function of `prove` against fractions."""

from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from margin_truth import attained_square, brute_square, dot

from rosenblatt import (
    Perceptron,
    audit,
    margins,
    max_margin,
    minimum_mistakes,
    mistake_bound,
    separability,
    separating_degree,
    signed_distance,
)
from rosenblatt.foundation.rounding import count_at_most, float_above, float_below, text_above, text_below
from rosenblatt.prove.exact.row_norms import max_row_norm
from rosenblatt.prove.margin.class_hulls import ClassHulls

# Rows of every type and size


def whole(draw, shape):
    """A grid as coarse as that of float16 near 1: many ties, and squares of few bits."""
    numbers = st.lists(st.integers(-4, 4), min_size=shape[1], max_size=shape[1])
    return np.array(draw(st.lists(numbers, min_size=shape[0], max_size=shape[0])), dtype=np.float64)


def full(draw, shape):
    """Numbers with all the bits of a float32: the squares have twice as many."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random.standard_normal(shape).astype(np.float32).astype(np.float64)


SCALES = {  # powers of two that keep the numbers in the range of the type, some of them below its normal numbers
    "float16": (-20, -6, 0, 8),
    "float32": (-146, -120, -75, -30, 0, 40, 100),
    "float64": (-1072, -700, -530, -340, 0, 340, 500, 900),
    "int8": (0,),
    "int32": (0, 20),
}


@st.composite
def rows(draw, most_rows=5, most_columns=3):
    """X of some type, dense or CSR, and y; X as fractions."""
    kind = draw(st.sampled_from(sorted(SCALES)))
    shape = draw(st.integers(2, most_rows)), draw(st.integers(1, most_columns))
    numbers = draw(st.sampled_from([whole, full]))(draw, shape)
    power = draw(st.sampled_from(SCALES[kind]))
    X = np.ldexp(np.rint(4 * numbers) if kind.startswith("int") else numbers, power).astype(kind)
    y = np.array([-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=shape[0] - 2, max_size=shape[0] - 2))])
    exact = [[Fraction(value) for value in row] for row in X.tolist()]
    sparse = kind != "float16" and draw(st.booleans())
    return (scipy.sparse.csr_matrix(X) if sparse else X), y, exact


@st.composite
def separable(draw, **sizes):
    """The same, all rows turned to one side of a plane through the origin: those on it go to one side as well."""
    X, y, exact = draw(rows(**sizes))
    plane = [Fraction(draw(st.integers(1, 5))) for _ in exact[0]]
    side = np.array([1 if dot(row, plane) >= 0 else -1 for row in exact])
    flip = side * y
    flipped = scipy.sparse.csr_matrix(X.multiply(flip[:, None])).astype(X.dtype) if scipy.sparse.issparse(X) else None
    X = (X * flip[:, None]).astype(X.dtype) if flipped is None else flipped
    return X, y, [[int(sign) * value for value in row] for row, sign in zip(exact, flip, strict=True)]


def lifted(exact, fit_intercept, scaling=1.0):
    return [row + [Fraction(scaling)] * fit_intercept for row in exact]


# Floats and text to one side of a fraction


@settings(deadline=None)
@given(st.fractions(), st.integers(-400, 400))
def test_floats_below_and_above_are_the_nearest_on_their_side(value, power):
    value *= Fraction(10) ** power
    low, high = float_below(value), float_above(value)
    assert low == high == value or (low < value < high and nextafter(low, inf) == high)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_text_is_on_its_side_and_near(value):
    low, high = Fraction(text_below(value)), Fraction(text_above(value))
    assert low <= Fraction(value) <= high
    assert high - low <= abs(Fraction(value)) / 10**5


@settings(deadline=None)
@given(st.floats(0, 1e300))
def test_counts_in_print_are_never_too_small(bound):
    printed = Fraction(count_at_most(bound).removeprefix("at most "))
    assert printed >= int(bound)
    assert bound >= 1e6 or printed == int(bound)


# The longest row


@settings(deadline=None)
@given(rows(), st.lists(st.sampled_from([1.0, 0.3, 1e-300, 1e250, 5e-324]), min_size=5, max_size=5) | st.none())
def test_no_row_is_longer_than_the_longest(problem, weights):
    X, _, exact = problem
    X = X.astype(np.float64) if X.dtype not in (np.float32, np.float64) else X
    factors = [1.0] * len(exact) if weights is None else weights[: len(exact)]
    truth = max(dot(row, row) * Fraction(factor) ** 2 for row, factor in zip(exact, factors, strict=True))
    found = max_row_norm(X, None if weights is None else np.array(factors))
    assert found == inf or Fraction(found) ** 2 >= truth
    if found not in (0, inf) and found > 1e-300:
        assert Fraction(found) ** 2 <= truth * (1 + Fraction(1, 10**13))


def test_many_rows_are_taken_in_blocks():
    X = np.zeros((300_000, 2), dtype=np.float32)
    X[200_123] = 3e-30, 4e-30
    for given_rows in (X, scipy.sparse.csr_matrix(X)):
        assert 4.9999e-30 < max_row_norm(given_rows) < 5.0001e-30


# Margins and mistakes


@settings(max_examples=150, deadline=None)
@given(separable() | rows(), st.booleans())
def test_the_widest_margin_lies_between_its_bounds(problem, fit_intercept):
    X, y, exact = problem
    found, truth = max_margin(X, y, fit_intercept), brute_square(exact, y, fit_intercept)
    assert bool(found) == (truth is not None)
    if truth is None:
        assert found.margin == found.upper == 0
        return
    assert Fraction(found.margin) ** 2 <= attained_square(found.hyperplane, exact, y) <= truth
    assert found.upper == inf or truth <= Fraction(found.upper) ** 2
    low, high = str(found).split(", supported")[0].removeprefix("margin ").split(", at most ")
    assert Fraction(low) ** 2 <= truth
    assert high == "inf" or truth <= Fraction(high) ** 2


WEIGHTS = st.lists(st.sampled_from([1.0, 0.1, 7.0, 1e-200, 1e200]), min_size=5, max_size=5)


@settings(max_examples=150, deadline=None)
@given(separable() | rows(), st.booleans(), st.sampled_from([1.0, 0.1, 1e-30, 1e200]), WEIGHTS | st.none())
def test_the_bound_is_at_least_the_true_one(problem, fit_intercept, scaling, weights):
    X, y, exact = problem
    factors = [1.0] * len(y) if weights is None else weights[: len(y)]
    found = mistake_bound(X, y, fit_intercept, scaling, None if weights is None else factors)
    truth_rows = [
        [Fraction(factor) * value for value in row]
        for row, factor in zip(lifted(exact, fit_intercept, scaling), factors, strict=True)
    ]
    gamma, radius = brute_square(truth_rows, y, False), max(dot(row, row) for row in truth_rows)
    assert bool(found) == (gamma is not None)
    assert found.radius == inf or Fraction(found.radius) ** 2 >= radius
    if gamma is None:
        assert found.bound == inf
        return
    assert Fraction(found.margin) ** 2 <= attained_square(found.hyperplane, truth_rows, y) <= gamma
    assert found.bound == inf or Fraction(found.bound) >= radius / gamma
    if weights is None and radius < Fraction(2) ** 2046:  # then nothing but the bound itself can be too large
        assert found.bound <= float_above(radius / gamma * (1 + Fraction(1, 10**5)))
    printed = str(found).removeprefix("at most ").split(" mistakes")[0]
    assert found.bound == inf or Fraction(printed) >= radius // gamma


@settings(max_examples=100, deadline=None)
@given(separable(most_rows=8), st.booleans())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_runs_pass_their_audit(problem, fit_intercept):
    X, y, exact = problem
    largest = max((abs(value) for row in exact for value in row), default=Fraction(0))
    if not Fraction(2) ** -300 < largest < Fraction(2) ** 300:
        return  # the perceptron multiplies in floats: what it calls a mistake need not be one
    model = Perceptron(order="cyclic", fit_intercept=fit_intercept, max_iter=30).fit(X, y, trace=True)
    report = audit(model, X, y)
    assert report.ok, report.why_not
    assert report.mistakes <= report.bound.bound


@pytest.mark.parametrize("of", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8"])
def test_eight_rows_at_right_angles_reach_the_bound(of, kind):
    """Rows (4, 1), each in columns of its own: R^2 = 17, gamma^2 = 17 / 8, and a cyclic run errs once at each."""
    y = np.array([1, -1] * 4)
    X = (np.kron(np.eye(8), [[4, 1]]) * y[:, None]).astype(kind)
    if kind == "float16" and of is not np.asarray:
        X = X.astype(np.float32)
    model = Perceptron(order="cyclic", fit_intercept=False).fit(of(X), y, trace=True)
    bound, report = mistake_bound(of(X), y, False), audit(model, of(X), y)
    assert model.n_mistakes_ == 8 <= bound.bound < 8.001
    assert Fraction(bound.radius) ** 2 >= 17
    assert report.ok, report.why_not
    assert str(bound).startswith("at most 8 mistakes")


@pytest.mark.parametrize("of", [np.asarray, scipy.sparse.csr_matrix])
def test_tiny_float32_rows_have_the_margin_of_their_float64(of):
    random = np.random.default_rng(0)
    X, y = (random.standard_normal((60, 3)) * 1e-30).astype(np.float32), np.repeat([-1, 1], 30)
    X[:, 0] = np.abs(X[:, 0]) * y
    assert ClassHulls(of(X), y, False, None).radius() >= max_row_norm(X.astype(np.float64)) * (1 - 1e-15) > 0
    few, exact = max_margin(of(X), y, False), max_margin(X.astype(np.float64), y, False)
    assert few.margin <= exact.upper
    assert exact.margin <= few.upper
    assert few.gap < 1e-6


# Verdicts, counts and distances


@settings(max_examples=100, deadline=None)
@given(separable() | rows(), st.booleans())
def test_verdicts_are_those_of_fractions(problem, fit_intercept):
    X, y, exact = problem
    found = separability(X, y, fit_intercept, fingerprint=True)
    assert (found.kind == "complete") == (brute_square(exact, y, fit_intercept) is not None)
    assert found.verify(X, y), found.why_not
    as_floats = X.astype(np.float64)
    assert found.verify(as_floats.toarray() if scipy.sparse.issparse(X) else as_floats, y), found.why_not


@settings(max_examples=60, deadline=None)
@given(rows(), st.booleans())
def test_the_fewest_mistakes_are_those_of_fractions(problem, fit_intercept):
    X, y, exact = problem
    found = minimum_mistakes(X, y, fit_intercept)
    plane = found.hyperplane
    wrong = sum(int(label) * (dot(plane.weights, row) + plane.offset) <= 0 for row, label in zip(exact, y, strict=True))
    assert wrong == found.mistakes
    assert found.proved
    assert found.verify(X, y), found.why_not
    assert (found.mistakes == 0) == (brute_square(exact, y, fit_intercept) is not None)


@settings(max_examples=30, deadline=None)
@given(rows(most_columns=2))
def test_the_separating_degree_does_not_depend_on_the_type(problem):
    X, y, exact = problem
    found = separating_degree(X, y, max_degree=2)
    doubles = np.array([[float(value) for value in row] for row in exact])
    assert found.degree == separating_degree(doubles, y, max_degree=2).degree
    assert all(verdict.verify(X, y) for verdict in found.verdicts.values())


@settings(deadline=None)
@given(rows())
def test_distances_are_those_of_fractions(problem):
    X, y, exact = problem
    weights = [Fraction(3), Fraction(-4), Fraction(12)][: len(exact[0])]
    plane = separability([[0.0], [1.0]], [0, 1]).hyperplane
    plane = type(plane)(tuple(weights), Fraction(0))
    length = float(dot(weights, weights)) ** 0.5
    truth = np.array([float(dot(weights, row)) for row in exact]) / length
    size = np.array([float(sum(abs(value) for value in row)) for row in exact])
    found = signed_distance(plane, X)
    assert (np.abs(found - truth) <= 1e-14 * size + 1e-320).all()
    assert (np.abs(margins(plane, X, y) - y * truth) <= 1e-14 * size + 1e-320).all()
