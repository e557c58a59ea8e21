"""Bounds of the weights: the optimum that SciPy's L-BFGS-B finds, and refusals."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone

import rosenblatt
from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.reference.bounded_weights import bounded_plane
from rosenblatt.solvers.newton.smooth_objective import SmoothObjective

CLASSIFIERS = {"logistic": LogisticRegression, "squared-hinge": LinearSVM}


def make(loss, **options):
    return LogisticRegression(**options) if loss == "logistic" else LinearSVM(loss=loss, **options)


def data(seed, rows=80, columns=6):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) * rng.choice([0.3, 1.0, 5.0], columns)
    y = (X @ rng.standard_normal(columns) + rng.standard_normal(rows) > 0.3).astype(int)
    y[:2] = 0, 1
    return X, y


def objective_and_gradient(z, X, y, loss, C, weights, offset):
    A = np.column_stack([X, np.full(len(X), float(offset))])
    m = y * (A @ z)
    if loss == "logistic":
        value, slope = np.logaddexp(0, -m), -expit(-m)
    else:
        value, slope = np.maximum(0, 1 - m) ** 2, -2 * np.maximum(0, 1 - m)
    w = np.append(z[:-1], 0.0)
    return C * weights @ value + w @ w / 2, C * A.T @ (weights * slope * y) + w


def truth(X, y, low, high, loss, C=1.0, weights=None, offset=True):
    """The optimum by L-BFGS-B, to its last digits."""
    columns, weights = X.shape[1], np.ones(len(X)) if weights is None else weights
    limits = [*zip(np.broadcast_to(low, columns), np.broadcast_to(high, columns), strict=True), (-np.inf, np.inf)]
    start = np.clip(np.zeros(columns + 1), *np.array(limits).T)
    found = minimize(
        objective_and_gradient,
        start,
        (X, 2 * y - 1, loss, C, weights, offset),
        jac=True,
        method="L-BFGS-B",
        bounds=limits,
        options={"maxiter": 100_000, "maxfun": 1_000_000, "ftol": 0.0, "gtol": 1e-11, "maxls": 100},
    )
    return found.x, found.fun


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(list(CLASSIFIERS)),
    st.sampled_from([(0.0, np.inf), (-np.inf, 0.0), (-0.1, 0.2), (0.5, 1.0), (0.0, 0.0)]),
    st.sampled_from([1e-3, 1.0, 1e3]),
    st.booleans(),
)
def test_the_optimum_is_that_of_lbfgsb(seed, loss, limits, C, offset):
    X, y = data(seed)
    weights = np.random.default_rng(seed).uniform(0.1, 2, len(X))
    bounds = tuple(None if np.isinf(end) else end for end in limits)
    model = make(loss, bounds=bounds, C=C, tol=1e-9, fit_intercept=offset).fit(X, y, weights)
    z, least = truth(X, y, *limits, loss, C, weights, offset)
    assert model.gradient_norm_ <= 1e-9 or model.status_.reason == "precision"
    assert (model.coef_ >= limits[0]).all()
    assert (model.coef_ <= limits[1]).all()
    assert model.objective_ <= least * (1 + 1e-9)
    mine = objective_and_gradient(
        np.append(model.coef_, model.intercept_ if offset else 0.0), X, 2 * y - 1, loss, C, weights, offset
    )
    assert model.objective_ == pytest.approx(mine[0], rel=1e-12)
    np.testing.assert_allclose(model.coef_[0], z[:-1], atol=1e-4 * max(1.0, np.abs(z).max()))


@pytest.mark.parametrize("loss", CLASSIFIERS)
@pytest.mark.parametrize(("low", "high"), [(0.0, 9.0), (-0.3, 0.2), (0.5, 2.0)])
def test_the_optimum_is_that_of_the_reference(loss, low, high):
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((12, 3)), np.arange(12) % 2
    model = make(loss, bounds=(low, high), tol=1e-10).fit(X, y)
    plane = bounded_plane(X.tolist(), (2 * y - 1).tolist(), 1.0, low, high, loss)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), plane, atol=1e-7)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_bounds_by_column_dense_and_sparse(loss):
    X, y = data(3)
    X[X < 0.2] = 0
    low, high = np.array([0, -1, -np.inf, 0.1, -0.2, -np.inf]), [None, 1, 0, 0.1, None, None]
    models = [make(loss, bounds=(low, high), tol=1e-9).fit(form(X), y) for form in (np.asarray, sparse.csr_matrix)]
    z, least = truth(X, y, low, [np.inf if end is None else end for end in high], loss)
    for model in models:
        np.testing.assert_allclose(np.append(model.coef_, model.intercept_), z, atol=1e-5)
        assert model.objective_ == pytest.approx(least, rel=1e-9)
        assert model.coef_[0, 3] == 0.1


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_bounds_that_bind_nothing_change_nothing(loss):
    X, y = data(4)
    free = make(loss, tol=1e-10).fit(X, y)
    bound = make(loss, tol=1e-10, bounds=(-1e6, 1e6)).fit(X, y)
    np.testing.assert_allclose(bound.coef_, free.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("limits", [(None, None), (-1, 1)])
def test_a_nearly_vanishing_loss_is_minimised_as_without_bounds(limits):
    """Where all margins can be large, a small gradient alone says little: the Hessian must predict no fall, either."""
    random = np.random.default_rng(258)
    X = random.standard_normal((37, 10)) * 10.0 ** random.uniform(-2, 2, 10)
    y = np.where(X @ random.standard_normal(10) > 0, 1, -1)

    def objective(bounds):
        model = LinearSVM(loss="squared-hinge", C=150.0, bounds=bounds).fit(X, y)
        assert np.abs(model.coef_).max() < 1  # no bound binds
        slack = np.maximum(0, 1 - y * model.decision_function(X))
        return 150 * slack @ slack + (model.coef_**2).sum() / 2

    assert objective(limits) == pytest.approx(objective(None), rel=1e-8)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_many_columns_are_solved_without_a_matrix(loss, monkeypatch):
    X, y = data(5, 60, 30)
    direct = make(loss, bounds=(0, None), tol=1e-8).fit(X, y)
    monkeypatch.setattr(SmoothObjective, "computes_hessian", False)
    rounds = make(loss, bounds=(0, None), tol=1e-8).fit(X, y)
    np.testing.assert_allclose(rounds.coef_, direct.coef_, atol=1e-6)
    np.testing.assert_array_equal(rounds.coef_ == 0, direct.coef_ == 0)


@pytest.mark.parametrize("loss", CLASSIFIERS)
def test_each_class_against_the_rest_is_its_own_fit(loss):
    X, _ = data(6)
    y = np.random.default_rng(0).integers(0, 3, len(X))
    model = make(loss, bounds=(0, None)).fit(X, y)
    assert model.multi_class_ == "ovr"
    for k in range(3):
        np.testing.assert_array_equal(model.coef_[k : k + 1], make(loss, bounds=(0, None)).fit(X, y == k).coef_)


def test_same_bits_for_every_number_of_threads():
    X, y = data(7, 5000, 20)
    found = {LogisticRegression(bounds=(0, 0.5), n_jobs=n).fit(X, y).coef_.tobytes() for n in (1, 2, 3)}
    assert len(found) == 1


@pytest.mark.parametrize("bounds", [(0, None), [None, 0.5], (np.zeros(6), np.inf), ([0.0, None, 1, 2, 3, 4], 5)])
def test_files_and_pickles_keep_bounds(bounds, tmp_path):
    X, y = data(8)
    model = LogisticRegression(bounds=bounds).fit(X, y)
    rosenblatt.save(model, tmp_path / "model")
    for other in (rosenblatt.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(clone(other).fit(X, y).coef_, model.coef_)


def test_a_warm_start_begins_within_the_bounds():
    X, y = data(9)
    model = LogisticRegression(warm_start=True, tol=1e-10).fit(X, y).set_params(bounds=(0, 0.1)).fit(X, y)
    np.testing.assert_allclose(model.coef_, LogisticRegression(bounds=(0, 0.1), tol=1e-10).fit(X, y).coef_, atol=1e-7)


def test_a_limit_of_steps_is_reported():
    X, y = data(10)
    with pytest.warns(rosenblatt.classifiers.messages.ConvergenceWarning, match="max_iter reached"):
        model = LogisticRegression(bounds=(0, None), max_iter=1, tol=1e-12).fit(X, y)
    assert model.n_iter_[0] == 1
    assert (model.coef_ >= 0).all()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LogisticRegression(bounds=(0, None), solver="sgd"), "does not go with solver='sgd'"),
        (LogisticRegression(bounds=(0, None), solver="gd"), "does not go with solver='gd'"),
        (LinearSVM(bounds=(0, None)), "does not go with loss='hinge'"),
        (LogisticRegression(bounds=(0, None), penalty="l1"), "does not go with penalty='l1'"),
        (LogisticRegression(bounds=(0, None), penalty="jeffreys"), "does not go with penalty='jeffreys'"),
        (LogisticRegression(bounds=(0, None), penalty=None), "does not go with penalty"),
        (LogisticRegression(bounds=(0, None), multi_class="joint"), "multi_class='joint' does not go with bounds"),
        (LogisticRegression(bounds=(1, 0)), "low <= high"),
        (LogisticRegression(bounds=(np.inf, None)), "low <= high"),
        (LogisticRegression(bounds=0), r"a pair \(low, high\)"),
        (LogisticRegression(bounds=("a", 1)), "numbers or None, not 'a'"),
        (LogisticRegression(bounds=(np.nan, 1)), "numbers or None, not nan"),
        (LogisticRegression(bounds=([0, 1], [1, 2, 3])), "as many low as high ends"),
        (LogisticRegression(bounds=([0, 1], None)), "bounds has 2 numbers, but the model has 6 columns"),
    ],
)
def test_what_cannot_be_kept_is_refused(model, sentence):
    X, y = data(11)
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)
    assert not hasattr(model, "classes_")
