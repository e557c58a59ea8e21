"""LinearSVM: agreement with LIBLINEAR and with the widest margin; joint classes."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from rosenblatt import LinearSVM, LogisticRegression

VALUES = {"hinge": lambda m: np.maximum(0, 1 - m), "squared-hinge": lambda m: np.maximum(0, 1 - m) ** 2}


def scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(model, loss, X, y, C, penalize_intercept):
    signs = np.where(y == model.classes_[1], 1, -1)
    losses = VALUES[loss](signs * (X @ model.coef_[0] + model.intercept_))
    weights = np.append(model.coef_, model.intercept_ if penalize_intercept else 0)
    return C * losses.sum() + 0.5 * weights @ weights


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("loss", VALUES)
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_the_optimum_is_liblinears(load, loss, C):
    X, y = scaled(load)
    X, y = X[:600], y[:600] > 0
    theirs = LinearSVC(loss=loss.replace("-", "_"), C=C, tol=1e-9, max_iter=1_000_000, random_state=0).fit(X, y)
    ours = LinearSVM(loss=loss, C=C, penalize_intercept=True, tol=1e-8).fit(X, y)
    assert ours.objective_ == pytest.approx(objective(theirs, loss, X, y, C, True), rel=1e-6)
    assert ours.objective_ == pytest.approx(objective(ours, loss, X, y, C, True), rel=1e-12)


@pytest.mark.parametrize("solver", ["gd", "sgd"])
def test_modified_huber_comes_near_the_minimum_that_scipy_finds(solver):
    X, y = scaled(load_breast_cancer)
    signs = np.where(y == 1, 1, -1)

    def huber(z):
        m = signs * (X @ z[:-1] + z[-1])
        return 0.01 * np.where(m < -1, -4 * m, np.maximum(0, 1 - m) ** 2).sum() + 0.5 * z[:-1] @ z[:-1]

    model = LinearSVM(loss="modified-huber", solver=solver, C=0.01, random_state=0).fit(X, y)
    assert model.objective_ == pytest.approx(huber(np.append(model.coef_, model.intercept_)), rel=1e-12)
    assert model.objective_ == pytest.approx(minimize(huber, np.zeros(31)).fun, rel=0.02)


def test_modified_huber_counts_far_outliers_less_than_the_squared_hinge():
    X, y = np.array([*[[-2.0], [-1.0], [1.0], [2.0]] * 20, [20.0]]), np.array([*[0, 0, 1, 1] * 20, 0])
    huber, squared = (LinearSVM(loss=loss, solver="gd", tol=1e-3) for loss in ("modified-huber", "squared-hinge"))
    assert huber.fit(X, y).coef_[0, 0] > squared.fit(X, y).coef_[0, 0]


def test_modified_huber_has_no_optimum_yet():
    with pytest.raises(
        ValueError, match="loss='modified-huber' does not go with solver='optimum': choose 'sgd' or 'gd'"
    ):
        LinearSVM(loss="modified-huber").fit([[0.0], [1.0]], [0, 1])


def test_with_a_free_offset_the_optimum_is_libsvms():
    X, y = scaled(load_breast_cancer)
    theirs = SVC(kernel="linear", tol=1e-8).fit(X, y)
    ours = LinearSVM(tol=1e-7).fit(X, y)
    assert ours.objective_ == pytest.approx(objective(theirs, "hinge", X, y, 1.0, False), rel=1e-5)


def test_the_proof_fits_the_loss():
    X, y = scaled(load_breast_cancer)
    hinge, squared = LinearSVM(tol=1e-5).fit(X, y), LinearSVM(loss="squared-hinge").fit(X, y)
    assert 0 <= hinge.duality_gap_ <= 1e-5
    assert squared.gradient_norm_ <= 1e-6
    assert (hinge.status_.reason, squared.status_.reason) == ("gap", "gradient")
    assert hinge.status_.converged
    with pytest.raises(AttributeError, match="there is no gradient_norm_: it is there after"):
        hinge.gradient_norm_  # noqa: B018
    with pytest.raises(AttributeError, match="there is no duality_gap_"):
        squared.duality_gap_  # noqa: B018
    with pytest.raises(AttributeError, match="there is no duality_gap_"):
        LogisticRegression().fit(X, y).duality_gap_  # noqa: B018
    with pytest.raises(AttributeError, match="LinearSVM has no objective_ before fit"):
        LinearSVM().objective_  # noqa: B018


def test_a_large_c_finds_the_widest_margin():
    X, y = [[0.0, 0.0], [1.0, 0.0], [3.0, 5.0], [9.0, 5.0]], [0, 0, 1, 1]
    model = LinearSVM(C=1e4, tol=1e-8).fit(X, y)
    w = np.array([2.0, 5.0]) / 29 * 2  # the nearest points are (1, 0) and (3, 5)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-4)


@pytest.mark.parametrize("solver", ["gd", "sgd"])
@pytest.mark.parametrize("loss", VALUES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_joint_classes_win_by_a_margin(loss, solver):
    X, y = scaled(load_iris)
    model = LinearSVM(loss=loss, multi_class="joint", solver=solver, random_state=0, max_iter=300).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.score(X, y) > 0.95
    scores = model.decision_function(X)
    own = scores[np.arange(150), y]
    scores[np.arange(150), y] = -np.inf
    expected = VALUES[loss](own - scores.max(axis=1)).sum() + 0.5 * np.sum(model.coef_**2)
    assert model.objective_ == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated(method):
    X, y = scaled(load_breast_cancer)
    model = CalibratedClassifierCV(LinearSVM(), method=method, cv=3).fit(X, y)
    assert np.mean((model.predict_proba(X)[:, 1] - y) ** 2) < 0.03


@pytest.mark.parametrize(
    ("y", "least"),
    [([0, 0, 0, 1, 1], 0.0), ([0, 0, 1, 0, 1], 2.0)],
    ids=["complete", "quasi"],
)
def test_the_squared_hinge_has_an_optimum_without_a_penalty_though_a_plane_separates(y, least):
    """Rows at the same place with either label cost at least 1 each: (1 - m)^2 + (1 + m)^2 is 2 at m = 0, and more."""
    X = [[0.0], [1.0], [2.0], [2.0 if least else 3.0], [4.0]]
    model = LinearSVM(loss="squared-hinge", penalty=None).fit(X, y)
    assert model.status_.converged
    assert model.objective_ == pytest.approx(least, abs=1e-9)
