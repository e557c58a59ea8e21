"""Novikoff's bound holds for every order, whatever the weights, the sizes and the margin asked for."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from margin_truth import brute_square, dot
from separable_rows import NOTES, XOR, separable

from rosenblatt import Perceptron, audit, max_margin, mistake_bound
from rosenblatt.parts.orders import SINGLE_ROW
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.mistakes.mistake_bound import PerceptronRows, progress_of_rows


def test_the_three_points_of_the_notes():
    """(3, 3, 1) and (-1, -1, -1) hold w* = (1, 1, -4): gamma = 2 / sqrt(18), R^2 = 4^2 + 3^2 + 1."""
    bound = mistake_bound(*NOTES)
    assert bound
    assert Fraction(bound.radius) ** 2 >= 26
    assert Fraction(bound.margin) ** 2 <= Fraction(4, 18)
    assert bound.radius == pytest.approx(np.sqrt(26), rel=1e-12)
    assert 117 <= bound.bound < 117 * (1 + 3e-6)
    assert str(bound) == "at most 117 mistakes: radius 5.09902, margin 0.471404"


def test_the_bound_of_notes_003_is_false():
    """It leaves the offset out of R, and does not normalise (w*, b*): here it allows fewer mistakes than are made."""
    X, y = np.array([[0.1], [0.2]]), np.array([-1, 1])
    model = Perceptron(order="cyclic", max_iter=10**6).fit(X, y, trace=True)
    geometric = max_margin(X, y).margin
    assert model.n_mistakes_ > (np.abs(X).max() / geometric) ** 2
    assert model.n_mistakes_ <= mistake_bound(X, y).bound


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(SINGLE_ROW),
    st.sampled_from([1e-3, 1.0, 37.0]),
    st.booleans(),
    st.sampled_from([1.0, 0.25, 8.0]),
    st.booleans(),
)
def test_mistakes_never_exceed_the_bound_and_audits_pass(seed, order, eta0, fit_intercept, scaling, weighted):
    X, y = separable(seed, offset=0.3 if fit_intercept else 0.0)
    weights = np.random.default_rng(seed).uniform(0.1, 3, len(y)) if weighted else None
    if weighted:
        weights[5] = 0
    bound = mistake_bound(X, y, fit_intercept, scaling, weights)
    model = Perceptron(
        order=order,
        eta0=eta0,
        fit_intercept=fit_intercept,
        intercept_scaling=scaling,
        random_state=seed,
        max_iter=20_000,
    )
    assert bound
    model.fit(X, y, sample_weight=weights, trace=True)
    assert model.n_mistakes_ <= bound.bound
    report = audit(model, X, y, sample_weight=weights)
    assert report.ok, report.why_not
    assert report.mistakes == model.n_mistakes_
    assert report.bound.bound == bound.bound
    assert (report.record["progress"] >= report.record["least_progress"] * (1 - 1e-9)).all()
    assert (report.record["squared_norm"] <= report.record["most_squared_norm"] * (1 + 1e-9)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 1.0, 37.0]), st.sampled_from([0.1, 5.0]), st.booleans())
def test_updates_by_a_margin_never_exceed_their_bound_and_audits_pass(seed, eta0, margin, weighted):
    X, y = separable(seed, offset=0.3)
    weights = np.random.default_rng(seed).uniform(0.1, 3, len(y)) if weighted else None
    bound = mistake_bound(X, y, sample_weight=weights, margin=margin, eta0=eta0)
    assert bound.bound > mistake_bound(X, y, sample_weight=weights).bound
    model = Perceptron(margin=margin, eta0=eta0, random_state=seed, max_iter=10**6)
    model.fit(X, y, sample_weight=weights, trace=True)
    assert model.n_mistakes_ <= model.n_updates_ <= bound.bound
    report = audit(model, X, y, sample_weight=weights)
    assert report.ok, report.why_not
    assert (report.mistakes, report.bound.bound) == (model.n_updates_, bound.bound)
    assert (report.record["squared_norm"] <= report.record["most_squared_norm"] * (1 + 1e-9)).all()
    model.trace_["margin"][-1] = 2 * margin
    assert not audit(model, X, y, sample_weight=weights)


def test_a_margin_adds_twice_itself_to_the_squared_radius():
    """One row and its opposite: each update adds 1 to w, and every margin up to 2.5 pushes."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])
    model = Perceptron(order="cyclic", fit_intercept=False, margin=2.5).fit(X, y, trace=True)
    assert model.n_updates_ == 3
    bound = mistake_bound(X, y, fit_intercept=False, margin=2.5)
    assert bound.slack == 5.0
    assert bound.bound == pytest.approx(6.0)
    assert str(bound).startswith("at most 6 updates: radius 1")
    assert audit(model, X, y).record["most_squared_norm"] == pytest.approx([6.0, 12.0, 18.0])


def test_the_step_does_not_matter_but_weights_do():
    X, y = separable(1)
    weights = np.full(len(y), 5.0)
    assert mistake_bound(X, y, sample_weight=weights).bound == pytest.approx(mistake_bound(X, y).bound, rel=1e-5)
    weights[0] = 50.0
    assert mistake_bound(X, y, sample_weight=weights).bound > 2 * mistake_bound(X, y).bound


def test_rows_of_weight_zero_do_not_count():
    X, y = separable(2)
    far = np.vstack([X, [[1e6, 1e6, 1e6]]])
    weights = np.append(np.ones(len(y)), 0.0)
    found = mistake_bound(far, np.append(y, 1), sample_weight=weights)
    assert found.radius == pytest.approx(mistake_bound(X, y).radius)


def test_sparse_rows_have_the_same_bound():
    X, y = separable(3)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for given_weights in (None, weights):
        dense = mistake_bound(X, y, sample_weight=given_weights)
        sparse = mistake_bound(scipy.sparse.csr_matrix(X), y, sample_weight=given_weights)
        assert sparse.bound == pytest.approx(dense.bound, rel=1e-5)


def test_rows_that_cannot_be_separated_have_no_bound():
    bound = mistake_bound(*XOR)
    assert not bound
    assert bound.bound == np.inf
    assert bound.margin == 0
    assert "clash" in str(bound)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_extreme_sizes(scale):
    X = np.array([[1.0], [3.0]]) * scale
    bound = mistake_bound(X, [-1, 1], intercept_scaling=scale)
    # (1, 1) and (3, 1): w* = (1, -2) / sqrt(5) has margin 1 / sqrt(5), R^2 = 10
    assert 50 <= bound.bound < 50 * (1 + 1e-5)


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("scaling", [1.0, 1e-200])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1e-200, 5e-324], [1e-200, 0.0]], [1, -1]),
        ([[1e-200, 5e-324], [1e-200, -5e-324]], [1, -1]),
        ([[1e-200, 5e-324], [2e-200, 5e-324], [1e-200, 0.0]], [1, 1, -1]),
        ([[1e300, 5e-324], [1e300, 0.0]], [1, -1]),
    ],
)
def test_margins_too_small_for_floats(X, y, fit_intercept, scaling):
    """With (a, b) and (a, 0), a far above b, the margin is about b / 2: 0 as a float, but the bound is (2 a / b)^2."""
    rows = [[Fraction(value) for value in row] + [Fraction(scaling)] * fit_intercept for row in X]
    gamma, radius = brute_square(rows, y, False), max(dot(row, row) for row in rows)
    bound = mistake_bound(X, y, fit_intercept, scaling)
    assert bound
    assert Fraction(bound.margin) ** 2 <= gamma
    if radius / gamma < Fraction(10) ** 308:
        assert radius / gamma <= Fraction(bound.bound) <= radius / gamma * (1 + Fraction(1, 10**5))
    else:
        assert bound.bound == np.inf
        assert str(bound).startswith("no bound that floats can hold: radius")


def test_rows_and_weights_whose_product_is_too_large_for_floats():
    X, y = [[1e300, 1.0], [-1e300, 1.0]], [1, -1]
    bound = mistake_bound(X, y, False, sample_weight=[1e300, 1e300])
    assert bound
    assert bound.radius == bound.bound == np.inf


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"intercept_scaling": 0.0}, "intercept_scaling"),
        ({"intercept_scaling": np.nan}, "intercept_scaling"),
        ({"sample_weight": [1, 1]}, "one weight a row"),
        ({"sample_weight": [1, 1, -1]}, "negative"),
        ({"sample_weight": [1, 1, 0]}, "all rows of one class"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        mistake_bound(*NOTES, **arguments)


def test_without_weights_the_margin_is_that_of_max_margin():
    """No rounding of weights is counted where there are none."""
    X, y = separable(9)
    wide = np.hstack([X, np.ones((len(X), 1))])
    margin = max_margin(wide, y, fit_intercept=False).margin
    assert mistake_bound(X, y).margin == mistake_bound(X, y, sample_weight=np.ones(len(y))).margin == margin


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_the_margin_with_weights_is_that_of_rows_times_weights(form):
    """The short rows have the large weights: the least weight times the plain margin would be far too small."""
    X, y = separable(10, gap=1.0)
    X[::3] /= 64
    weights = np.where(np.arange(len(y)) % 3 == 0, 64.0, 0.5)
    margin = max_margin(X * weights[:, None], y, fit_intercept=False).margin
    found = mistake_bound(form(X), y, fit_intercept=False, sample_weight=weights)
    assert margin * (1 - 1e-5) < found.margin <= margin * (1 + 1e-5)
    plain = max_margin(X, y, fit_intercept=False).margin
    assert found.margin > 2 * plain * weights.min()


def test_a_margin_too_large_for_floats_is_not_infinite():
    X, y = np.full((2, 2), 1.5e308) * [[1], [-1]], [1, -1]
    found = mistake_bound(X, y, fit_intercept=False, sample_weight=[0.5, 1.0])
    assert found.margin < np.inf
    assert found.bound == np.inf


@settings(deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-6, 1.0, 1e6]))
def test_the_error_of_the_progress_is_bounded(seed, scale):
    """Against 60 digits."""
    rng = np.random.default_rng(seed)
    X, y = scale * rng.standard_normal((20, 3)), np.arange(20) % 2
    rows = PerceptronRows(X, y, False, 1.0, None, None)
    plane = Hyperplane(tuple(Fraction(float(value)) for value in rng.standard_normal(3)), Fraction(0))
    values, error = progress_of_rows(rows, plane, np.arange(20))
    with localcontext() as context:
        context.prec = 60
        w = [Decimal(value.numerator) / Decimal(value.denominator) for value in plane.weights]
        length = sum(value * value for value in w).sqrt()
        for x, label, value in zip(X.tolist(), rows.labels.tolist(), values.tolist(), strict=True):
            exact = Decimal(label) * sum(Decimal(a) * b for a, b in zip(x, w, strict=True)) / length
            assert abs(exact - Decimal(value)) <= Decimal(error)
