"""The theorems and examples of the lecture notes, as tests."""

import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as SklearnPerceptron
from theory_rows import XOR, loop_of_notes_001, overlapping, separable

from rosenblatt import ALMA, AROW, PassiveAggressive, Perceptron, SecondOrderPerceptron, VotedPerceptron, reference
from rosenblatt.parts.orders import ORDERS, SINGLE_ROW, WHOLE_PASSES
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops
from rosenblatt.reference.returned_scores import vote

# Rosenblatt's algorithm


@pytest.mark.parametrize("order", ORDERS)
def test_three_points_of_notes_003_separate(order):
    X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    model = Perceptron(order=order, random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.status_.mistakes == 0


def test_cyclic_order_reproduces_notes_001_step_by_step():
    rng = np.random.default_rng(0)
    X, y = rng.integers(-5, 6, (15, 3)).astype(float), rng.choice([-1, 1], 15)
    model = Perceptron(order="cyclic")
    for x, label, (theta, theta_0) in zip(np.tile(X, (4, 1)), np.tile(y, 4), loop_of_notes_001(X, y, 4), strict=True):
        model.partial_fit(x[None], [label], classes=[-1, 1])
        np.testing.assert_array_equal(model.coef_[0], theta)
        assert model.intercept_[0] == theta_0
    with pytest.warns(ConvergenceWarning):
        fitted = Perceptron(order="cyclic", max_iter=4).fit(X, y)
    np.testing.assert_array_equal(fitted.coef_, model.coef_)


@pytest.mark.parametrize("order", ORDERS)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_separable_data_end_without_mistakes_and_say_so(order, seed):
    X, y, _, _ = separable(seed)
    model = Perceptron(order=order, random_state=seed, max_iter=10**6).fit(X, y)
    assert (model.predict(X) == y).all()
    assert model.status_.mistakes == 0
    assert model.status_.startswith("no mistakes left after")


def test_scikit_learn_stops_with_mistakes_left_and_no_warning_where_we_do_not():
    X, y, _, _ = separable(3, rows=2000, columns=30, margin=0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        peer = SklearnPerceptron(random_state=0).fit(X, y)
        ours = Perceptron(random_state=0, max_iter=10**5).fit(X, y)
    assert (peer.predict(X) != y).sum() > 0
    assert (ours.predict(X) != y).sum() == 0


def test_xor_ends_at_max_iter_and_says_what_to_do():
    with pytest.warns(ConvergenceWarning, match=r"max_iter reached after 50 epochs.*of 4 rows misclassified.*Pocket"):
        model = Perceptron(max_iter=50, random_state=0).fit(*XOR)
    assert model.n_iter_ == 50
    assert model.status_.reason == "max_iter"
    assert model.status_.mistakes == (model.decision_function(XOR[0]) * np.array([-1, 1, 1, -1]) <= 0).sum() > 0


# Novikoff


@settings(max_examples=2500, deadline=None)
@given(
    st.integers(0, 10**9),
    st.sampled_from(SINGLE_ROW),
    st.sampled_from([1e-3, 1.0, 37.0]),
    st.booleans(),
    st.sampled_from([1.0, 0.25, 8.0]),
)
def test_mistakes_never_exceed_novikoffs_bound(seed, order, eta0, fit_intercept, scaling):
    rng = np.random.default_rng(seed)
    columns, rows = int(rng.integers(1, 6)), 2 * int(rng.integers(1, 20))
    X, y, w, b = separable(seed, rows, columns, margin=10.0 ** rng.integers(-2, 1))
    if not fit_intercept:
        X, b = X + b * w, 0.0
    lifted = np.column_stack([X, np.full(rows, scaling)]) if fit_intercept else X
    plane = np.append(w, b / scaling) if fit_intercept else w
    gamma = (y * (lifted @ plane)).min() / np.linalg.norm(plane)
    radius = np.linalg.norm(lifted, axis=1).max()
    model = Perceptron(
        order=order,
        eta0=eta0,
        fit_intercept=fit_intercept,
        intercept_scaling=scaling,
        random_state=seed % 2**31,
        max_iter=10**6,
    ).fit(X, y)
    assert model.n_mistakes_ == model.n_updates_ <= (radius / gamma) ** 2 * (1 + 1e-9)


def margin_and_radius(X, y, plane):
    """gamma of a plane of unit length in the space of the rows, and the norm of the longest row."""
    return (y * (X @ plane)).min() / np.linalg.norm(plane), np.linalg.norm(X, axis=1).max()


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(WHOLE_PASSES), st.sampled_from([1e-3, 0.5, 20.0]), st.booleans())
def test_a_margin_perceptron_keeps_its_bounds(seed, order, margin, offset):
    """At most (R^2 + 2 m / eta) / gamma^2 updates, and a margin of at least gamma / (2 + eta R^2 / m)."""
    rng = np.random.default_rng(seed)
    columns, rows, eta0 = int(rng.integers(1, 6)), 2 * int(rng.integers(1, 20)), float(rng.choice([0.5, 1.0, 4.0]))
    X, y, w, b = separable(seed, rows, columns, margin=10.0 ** rng.integers(-1, 1))
    X, b = (X, b) if offset else (X + b * w, 0.0)
    lifted, plane = (np.column_stack([X, np.ones(rows)]), np.append(w, b)) if offset else (X, w)
    gamma, radius = margin_and_radius(lifted, y, plane)
    most = (radius**2 + 2 * margin / eta0) / gamma**2
    assume(most < 100_000)  # more updates take seconds
    model = Perceptron(
        order=order, eta0=eta0, margin=margin, fit_intercept=offset, random_state=seed % 2**31, max_iter=10**6
    ).fit(X, y)
    learned = np.append(model.coef_, model.intercept_) if offset else model.coef_[0]
    assert model.n_updates_ <= most * (1 + 1e-9)
    assert (y * (lifted @ learned)).min() > margin * (1 - 1e-9)
    assert margin_and_radius(lifted, y, learned)[0] >= gamma / (2 + eta0 * radius**2 / margin) * (1 - 1e-9)


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(WHOLE_PASSES), st.sampled_from([0.0, 0.3, 0.5, 0.9]), st.booleans())
def test_alma_reaches_its_share_of_the_widest_margin_within_its_bound(seed, order, share, offset):
    """Gentile (2001), theorem 3 for p = 2 and separable rows: alpha is 1 - share."""
    rng = np.random.default_rng(seed)
    columns, rows = int(rng.integers(1, 6)), 2 * int(rng.integers(1, 20))
    X, y, w, b = separable(seed, rows, columns, margin=10.0 ** rng.integers(-1, 1))
    X, b = (X, b) if offset else (X + b * w, 0.0)
    lifted, plane = (np.column_stack([X, np.ones(rows)]), np.append(w, b)) if offset else (X, w)
    lifted = lifted / np.linalg.norm(lifted, axis=1)[:, None]
    gamma, _ = margin_and_radius(lifted, y, plane)
    alpha = 1 - share
    most = 2 * (2 / alpha - 1) ** 2 / gamma**2 + 8 / alpha - 4
    assume(most < 200_000)  # more updates take seconds
    model = ALMA(
        margin=share,
        order=order,
        fit_intercept=offset,
        random_state=seed % 2**31,
        max_iter=10**6,
        n_iter_no_change=None,
    ).fit(X, y)
    learned = np.append(model.coef_, model.intercept_) if offset else model.coef_[0]
    assert model.status_.reason == "mistakes"
    assert np.linalg.norm(learned) <= 1 + 1e-12
    assert model.n_updates_ <= most * (1 + 1e-9)
    assert margin_and_radius(lifted, y, learned)[0] >= share * gamma * (1 - 1e-9)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from([SecondOrderPerceptron, AROW]), st.sampled_from([0.05, 0.5, 5.0]))
def test_second_order_learners_keep_their_bound_and_their_closed_form(seed, classifier, C):
    """With A = r I + sum x x^T over all updates: w = A^-1 sum y x, and docs/theory/second-order.md bounds the updates.

    Of the M + U updates, U were made at rows on the right side.
    """
    rng = np.random.default_rng(seed)
    columns, rows, r = int(rng.integers(1, 6)), 2 * int(rng.integers(1, 20)), 0.5 / C
    X, y, w, b = separable(seed, rows, columns, margin=10.0 ** rng.integers(-1, 1))
    lifted, plane = np.column_stack([X, np.ones(rows)]), np.append(w, b)
    plane = plane / (y * (lifted @ plane)).min()  # every margin is at least 1
    model = classifier(C=C, step="full", random_state=seed % 2**31, max_iter=200).fit(X, y, trace=True)
    moved = model.trace_["row"]
    A = r * np.eye(columns + 1) + lifted[moved].T @ lifted[moved]
    learned = np.append(model.coef_, model.intercept_)
    expected = np.linalg.solve(A, lifted[moved].T @ y[moved])
    np.testing.assert_allclose(learned, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    right = (model.trace_["margin"] > 0).sum()
    assert (right == 0) or classifier is AROW
    growth = 2 * right + np.linalg.slogdet(A / r)[1]
    assert model.n_updates_ == len(moved) <= np.sqrt(plane @ A @ plane * growth) * (1 + 1e-9)


def one_epoch(rows, labels):
    """The learner after one epoch over the rows as they stand."""
    recipe = Recipe(order="cyclic", keep="vote", stops=Stops(max_iter=1))
    return reference.train(list(rows), list(labels), recipe)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.integers(2, 5))
def test_votes_keep_their_leave_one_out_bound_over_all_orders(seed, count):
    """docs/theory/voting.md, theorem 2: the last row errs in at most 2 / (n + 2) E[M] of all orders of n + 1 rows."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, (count, 2)).tolist(), rng.choice([-1, 1], count).tolist()
    wrong, mistakes, orders = 0, 0, list(permutations(range(count)))
    for order in orders:
        rows, labels = [X[i] for i in order], [y[i] for i in order]
        mistakes += one_epoch(rows, labels).mistakes
        score = vote(one_epoch(rows[:-1], labels[:-1]), rows[-1])[0]
        wrong += (1 if score >= 0 else -1) != labels[-1]
    assert wrong * (count + 1) <= 2 * mistakes  # whole numbers: nothing is rounded


@settings(max_examples=1000, deadline=None)
@given(st.integers(0, 10**9))
def test_one_epoch_keeps_the_bound_of_freund_and_schapire(seed):
    """docs/theory/voting.md, theorem 1, for a random direction and a random margin of rows that may overlap."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(2, 60)), int(rng.integers(1, 6))
    X = rng.standard_normal((rows, columns)) * rng.choice([0.1, 1, 10])
    u, gamma = rng.standard_normal(columns + 1), 10.0 ** rng.uniform(-2, 1)
    lifted, u = np.column_stack([X, np.ones(rows)]), u / np.linalg.norm(u)
    y = np.where((lifted @ u > 0) ^ (rng.random(rows) < 0.1), 1, -1)
    assume(len(set(y)) == 2)
    D = np.linalg.norm(np.maximum(0, gamma - y * (lifted @ u)))
    most = ((np.linalg.norm(lifted, axis=1).max() + D) / gamma) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = VotedPerceptron(max_iter=1, random_state=seed % 2**31).fit(X, y)
    assert model.n_mistakes_ <= most * (1 + 1e-9)


@pytest.mark.parametrize("order", SINGLE_ROW)
def test_the_step_does_not_change_the_mistakes(order):
    """From w = 0 a constant step only scales w."""
    X, y, _, _ = separable(1)
    runs = [Perceptron(order=order, eta0=eta0, random_state=0).fit(X, y, trace=True) for eta0 in (1.0, 0.125, 16.0)]
    for run in runs:
        np.testing.assert_array_equal(run.trace_["row"], runs[0].trace_["row"])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("factor", [2.0**-30, 0.5, 2.0**40])
def test_scaling_by_a_power_of_two_changes_nothing_through_the_origin(order, factor):
    X, y = overlapping(rows=80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        plain = Perceptron(order=order, fit_intercept=False, max_iter=7, random_state=1).fit(X, y, trace=True)
        scaled = Perceptron(order=order, fit_intercept=False, max_iter=7, random_state=1).fit(X * factor, y, trace=True)
    np.testing.assert_array_equal(plain.trace_["row"], scaled.trace_["row"])
    np.testing.assert_array_equal(plain.coef_ * factor, scaled.coef_)


# Passive-aggressive


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6))
def test_a_passive_aggressive_step_makes_the_margin_one(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((1, 4)), rng.choice([-1, 1])
    model = PassiveAggressive(step="pa").partial_fit(rng.standard_normal((1, 4)), [1], classes=[-1, 1])
    before = y * model.decision_function(x)[0]
    model.partial_fit(x, [y])
    after = y * model.decision_function(x)[0]
    assert after == pytest.approx(max(before, 1.0))


# Stops


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("criterion", ["mistakes", "loss", "gradient", "weights"])
def test_every_criterion_can_end_a_run(criterion):
    X, y = overlapping(0)
    model = Perceptron(criterion=criterion, tol=0.4, random_state=0, max_iter=200, step="1/t").fit(X, y)
    assert model.status_.reason == criterion
    assert f"tol={0.4}" in model.status_ or "tol is 0.4" in model.status_ or not model.status_.mistakes


def test_counts_add_up():
    X, y, _, _ = separable(2)
    model = Perceptron(random_state=0).fit(X, y)
    history = model.history_
    assert {len(column) for column in history.values()} == {model.n_iter_}
    assert set(history) == {"visits", "updates", "mistakes", "loss", "seconds"}
    assert history["visits"].sum() == model.n_visits_ == model.n_iter_ * len(y)
    assert history["updates"].sum() == model.n_updates_
    assert history["mistakes"].sum() == model.n_mistakes_
