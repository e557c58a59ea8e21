"""What LinearSVM and LogisticRegression share: the objective, three solvers, criteria, streams, going on."""

import numpy as np
import pytest
from penalised_learners import LEARNERS, LOSSES, SMOOTH, overlapping, quietly, squared_hinge
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LogisticRegression


def mean_objective(loss, w, X, y, alpha, shares, penalize_last=False):
    """Straight from the definition; the last weight is the constant coordinate's."""
    free = 0 if penalize_last else 1
    penalised = w[: len(w) - free]
    return shares @ LOSSES[loss](y * (X @ w)) + alpha / 2 * penalised @ penalised


def slope(function, w, h=1e-6):
    """The gradient by central differences."""
    return np.array([(function(w + h * e) - function(w - h * e)) / (2 * h) for e in np.eye(len(w))])


@quietly
@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_step_of_gradient_descent_is_the_slope_of_the_objective(learner, penalize_intercept):
    X, y = overlapping(50)
    signs, s = 2 * y - 1, np.random.default_rng(1).uniform(0.1, 3, 50)
    model = learner(
        **{"solver": "gd", "C": 0.2, "max_iter": 1, "intercept_scaling": 2.0, "eta0": 0.5, "warm_start": True},
        penalize_intercept=penalize_intercept,
    )
    model.fit(X, y, sample_weight=s)
    before = np.append(model.coef_, model.intercept_ / 2)
    model.set_params(eta0=1e-3).fit(X, y, sample_weight=s)
    moved = before - np.append(model.coef_, model.intercept_ / 2)
    lifted = np.column_stack([X, np.full(50, 2.0)])
    args = (lifted, signs, 1 / (0.2 * s.sum()), s / s.sum(), penalize_intercept)
    expected = slope(lambda w: mean_objective(model.loss, w, *args), before)
    np.testing.assert_allclose(moved / 1e-3, expected, rtol=1e-5, atol=1e-8)


@quietly
@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_objective_is_that_of_the_weights_returned(learner, solver):
    X, y = overlapping()
    s = np.random.default_rng(1).uniform(0.1, 3, len(X))
    model = learner(solver=solver, C=0.3, random_state=0).fit(X, y, sample_weight=s)
    margins = (2 * y - 1) * (X @ model.coef_[0] + model.intercept_)
    expected = 0.3 * s @ LOSSES[model.loss](margins) + 0.5 * np.sum(model.coef_**2)
    assert model.objective_ == pytest.approx(expected, rel=1e-12)


def largest_curvature(X, bend, alpha):
    lifted = np.column_stack([X, np.ones(len(X))])
    return bend * np.linalg.eigvalsh(lifted.T @ lifted / len(X))[-1] + alpha


def descent(learner, X, y, **parameters):
    """The objectives of the weights after each pass."""
    return learner(solver="gd", tol=0, max_iter=100, **parameters).fit(X, y).history_["objective"]


@quietly
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("learner", "bend"), [(LogisticRegression, 0.25), (squared_hinge, 2.0)])
def test_gradient_descent_falls_at_every_step_below_two_over_l(learner, bend, seed):
    X, y = overlapping(seed=seed)
    X = X * [1, 2, 3, 4, 5]
    L = largest_curvature(X, bend, 1 / len(X))
    for step in (0.3, 1.0, 1.99):
        assert (np.diff(descent(learner, X, y, eta0=step / L)) <= 0).all(), step
    assert (np.diff(descent(learner, X, y)) <= 0).all()


@quietly
def test_gradient_descent_rises_where_the_step_is_too_long():
    X, y = overlapping()
    L = largest_curvature(X, 2.0, 1 / len(X))
    objectives = descent(squared_hinge, X, y, eta0=8 / L)
    assert objectives[-1] > objectives[0]


@pytest.mark.parametrize("learner", LEARNERS)
def test_stochastic_descent_comes_near_the_optimum(learner):
    X, y = overlapping(2000)
    best = learner().fit(X, y).objective_
    assert best < learner(solver="sgd", random_state=0).fit(X, y).objective_ < 1.01 * best


@pytest.mark.parametrize("learner", SMOOTH)
def test_gradient_descent_comes_to_the_optimum(learner):
    X, y = overlapping()
    best = learner(tol=1e-10).fit(X, y)
    model = learner(solver="gd", tol=1e-8, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, best.coef_, rtol=1e-4)
    assert model.status_.reason == "gradient"


@pytest.mark.parametrize("solver", ["gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("criterion", "tol"), [("loss", 0.6), ("gradient", 0.2), ("weights", 0.02), ("mistakes", 0.3)])
def test_every_criterion_ends_a_descent(learner, solver, criterion, tol):
    X, y = overlapping()
    model = learner(solver=solver, criterion=criterion, tol=tol, random_state=0).fit(X, y)
    assert (model.status_.reason, model.status_.converged) == (criterion, True)
    assert model.n_iter_ < 1000
    loss = LOSSES[model.loss]((2 * y - 1) * model.decision_function(X)).mean()
    if criterion == "loss":
        assert loss <= tol
    if criterion == "mistakes":
        assert model.score(X, y) >= 1 - tol


def test_a_limit_reached_warns_and_says_what_to_do():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match="max_iter reached after 3 epochs.*raise max_iter or set solver='opt"):
        model = LogisticRegression(solver="gd", max_iter=3).fit(X, y)
    assert model.status_.reason == "max_iter"


@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
@quietly
def test_c_and_alpha_are_two_spellings(learner, solver):
    X, y = overlapping()
    s = np.where(y == 0, 0.5, 2.0)
    one = learner(solver=solver, C=0.25, random_state=0).fit(X, y, sample_weight=s)
    two = learner(solver=solver, alpha=1 / (0.25 * s.sum()), random_state=0).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-9)
    weighted = learner(solver=solver, C=0.25, random_state=0, class_weight={0: 0.5, 1: 2.0}).fit(X, y)
    np.testing.assert_array_equal(one.coef_, weighted.coef_)


@quietly
@pytest.mark.parametrize("solver", ["optimum", "gd", "sgd"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_sparse_and_float32_rows_give_the_same(learner, solver):
    X, y = overlapping()
    X[np.abs(X) < 0.7] = 0
    X = X.astype(np.float32)
    dense, csr, double = (
        learner(solver=solver, random_state=0).fit(form, y) for form in (X, sparse.csr_matrix(X), X.astype(np.float64))
    )
    np.testing.assert_allclose(csr.coef_, dense.coef_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(double.coef_, dense.coef_, rtol=1e-5, atol=1e-8)


@quietly
@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_the_pocket_of_a_descent_counts_rows(solver):
    X, y = overlapping()
    model = LogisticRegression(solver=solver, keep="best", max_iter=20, random_state=0).fit(X, y)
    assert model.history_["mistakes"][-1] == pytest.approx(model.status_.mistakes)


# Streams


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({"alpha": 0.1}, "solver='sgd'"),
        ({"solver": "gd", "alpha": 0.1}, "solver='sgd'"),
        ({"solver": "sgd"}, "needs alpha, or penalty=None"),
        ({"solver": "sgd", "C": 1.0}, "needs alpha, or penalty=None"),
    ],
)
def test_partial_fit_is_there_only_where_rows_can_come_one_by_one(parameters, why):
    model = LogisticRegression(**parameters)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as error:
        model.partial_fit([[0.0]], [0])
    assert why in str(error.value.__cause__)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("strength", [{"alpha": 0.01}, {"penalty": None}])
def test_a_stream_is_one_epoch_of_cyclic_descent(learner, strength):
    X, y = overlapping()
    parameters = {**strength, "solver": "sgd", "eta0": 0.1}
    stream = learner(**parameters).partial_fit(X[:100], y[:100])
    for row in range(100, 150):
        stream.partial_fit(X[row : row + 1], y[row : row + 1])
    stream.partial_fit(X[150:], y[150:])
    with pytest.warns(ConvergenceWarning):
        whole = learner(order="cyclic", max_iter=1, **parameters).fit(X, y)
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-12)
    assert stream.score(X, y) > 0.7


def test_a_stream_goes_on_with_the_step_its_first_rows_set():
    X, y = overlapping()
    model = LogisticRegression(solver="sgd", alpha=0.01)
    steps = set()
    for part in (slice(0, 50), slice(50, 100), slice(100, 300)):
        model.partial_fit(X[part], y[part])
        steps.add(model._learned.recipe.eta0)
    assert len(steps) == 1
    assert model.n_visits_ == 300


# Going on, and breaking off


@pytest.mark.parametrize("learner", SMOOTH)
def test_a_warm_start_has_nothing_left_to_do(learner):
    X, y = overlapping()
    model = learner(warm_start=True).fit(X, y)
    steps, coef = model.n_iter_, model.coef_
    model.fit(X, y)
    assert steps > model.n_iter_ <= 1
    np.testing.assert_allclose(model.coef_, coef, rtol=1e-5)


@pytest.mark.usefixtures("ctrl_c_amid_training")
@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_an_interrupted_descent_leaves_what_it_has_learned(solver):
    X, y = overlapping(5000, 20)
    model = LogisticRegression(solver=solver, tol=0, max_iter=10**9)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.status_.reason == "interrupted"
    assert model.score(X, y) > 0.7
    assert np.isfinite(model.objective_)
