"""LogisticRegression: agreement with scikit-learn, probabilities, and separation that is told."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.special import expit, softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as Theirs
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearSVM, LogisticRegression, Perceptron, load, save
from rosenblatt.classifiers.messages import SeparationWarning


def scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(model, X, y, C):
    """Of any logistic regression for two classes, from the definition."""
    signs = np.where(y == model.classes_[1], 1, -1)
    losses = np.logaddexp(0, -signs * (X @ model.coef_[0] + model.intercept_))
    return C * losses.sum() + 0.5 * np.sum(model.coef_**2)


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_digits])
def test_the_optimum_is_scikit_learns(load, C):
    X, y = scaled(load)
    y = y == 1
    theirs = Theirs(C=C, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y)
    ours = LogisticRegression(C=C).fit(X, y)
    assert ours.objective_ == pytest.approx(objective(theirs, X, y, C), rel=1e-6)
    assert ours.objective_ == pytest.approx(objective(ours, X, y, C), rel=1e-12)
    assert ours.gradient_norm_ <= 1e-6
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_softmax_is_scikit_learns(load):
    X, y = scaled(load)
    theirs = Theirs(tol=1e-10, max_iter=10_000).fit(X, y)
    ours = LogisticRegression(multi_class="joint", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_softmax_broken_off_tells_the_objective_of_its_weights():
    X, y = scaled(load_wine)
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        model = LogisticRegression(multi_class="joint", max_seconds=1e-9).fit(X, y)
    logs = model.predict_log_proba(X)[np.arange(len(y)), y]
    assert model.objective_ == pytest.approx(-logs.sum() + 0.5 * np.sum(model.coef_**2))


def test_a_class_against_the_rest_is_that_problem_alone():
    X, y = scaled(load_wine)
    ours = LogisticRegression(multi_class="ovr").fit(X, y)
    alone = [LogisticRegression().fit(X, y == k) for k in range(3)]
    for k in range(3):
        np.testing.assert_allclose(ours.coef_[k], alone[k].coef_[0], rtol=1e-12)
    assert ours.objective_ == pytest.approx(sum(model.objective_ for model in alone))
    assert ours.gradient_norm_ == max(model.gradient_norm_ for model in alone)
    assert ours.history_["objective"][-1] == pytest.approx(ours.objective_)


def test_without_a_penalty_on_overlapping_data():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:, :2], y[50:]
    theirs = Theirs(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(X, y)
    ours = LogisticRegression(penalty=None).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4)


# Probabilities


def with_plane(*scores):
    """A fitted model of one column, so that decision_function(x) is x."""
    model = LogisticRegression().fit([[-1.0], [1.0]], [0, 1])
    model._learned.coef[:], model._learned.intercept[:] = 1.0, 0.0
    return model, np.array(scores)[:, None]


def test_probabilities_are_stable_for_large_scores_and_half_at_zero():
    model, X = with_plane(-1e4, -800, -30, 0, 30, 800, 1e4)
    chances, logs = model.predict_proba(X), model.predict_log_proba(X)
    np.testing.assert_allclose(chances[:, 1], expit(X[:, 0]), rtol=1e-15)
    assert chances[3].tolist() == [0.5, 0.5]
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-15)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(logs[[0, -1]], [[0.0, -1e4], [-1e4, 0.0]])
    np.testing.assert_allclose(np.exp(logs), chances, atol=1e-15)


@pytest.mark.parametrize("size", [1.0, 1e4])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_probabilities_of_many_classes(multi_class, size):
    X, y = scaled(load_wine)
    model = LogisticRegression(multi_class=multi_class).fit(X, y)
    model._learned.coef[:] *= size
    scores = model.decision_function(X)
    chances, logs = model.predict_proba(X), model.predict_log_proba(X)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    if multi_class == "joint":
        np.testing.assert_allclose(chances, softmax(scores, axis=1), atol=1e-12)
    elif size == 1.0:
        np.testing.assert_allclose(chances, expit(scores) / expit(scores).sum(axis=1, keepdims=True))


def test_rows_that_every_class_rejects_have_probabilities_too():
    X, y = scaled(load_wine)
    model = LogisticRegression().fit(X, y)
    model._learned.intercept[:] = [-2e4, -1e4, -3e4]
    np.testing.assert_array_equal(model.predict_proba(0 * X[:1]), [[0.0, 1.0, 0.0]])


def test_only_logistic_regression_has_probabilities():
    assert not hasattr(LinearSVM(), "predict_proba")
    assert not hasattr(Perceptron(), "predict_log_proba")


# Separation

ONE_HOT = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]], float)
SEPARATED = {
    "quasi": ([[1.0], [2.0], [3.0], [3.0]], [0, 0, 1, 0], "quasi-completely", [0, 1]),
    "complete": ([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], "completely", [0, 1, 2, 3]),
    "a category of one class only": (ONE_HOT, [0, 1, 0, 1, 1, 1], "quasi-completely", [4, 5]),
}


@pytest.mark.parametrize("case", SEPARATED)
def test_separation_is_told(case):
    """The weights returned have the rows that a plane can separate on their own sides."""
    X, y, how, right = SEPARATED[case]
    with pytest.warns(SeparationWarning, match=rf" {how} separated.*penalty.*separability\(X, y\)"):
        model = LogisticRegression(penalty=None).fit(X, y)
    assert (model.status_.reason, model.status_.converged) == ("separated", False)
    margins = (2 * np.array(y) - 1) * model.decision_function(X)
    assert (margins[right] > 0).all()
    assert issubclass(SeparationWarning, ConvergenceWarning)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_where_separation_is_complete_no_row_is_left_on_the_wrong_side(scale):
    """Tumours that a narrow gap separates: the proof is there long before the weights find it."""
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(SeparationWarning, match=" completely separated"):
        model = LogisticRegression(penalty=None).fit(X * scale, y)
    assert model.score(X * scale, y) == 1
    assert model.status_.mistakes == 0


@pytest.mark.parametrize("case", SEPARATED)
def test_with_a_penalty_there_is_an_optimum(case):
    X, y, *_ = SEPARATED[case]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LogisticRegression(C=10.0).fit(X, y).status_.reason == "gradient"


def test_one_separated_class_among_several_is_told():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(SeparationWarning):
        assert LogisticRegression(penalty=None).fit(X, y).status_.reason == "separated"


@pytest.mark.parametrize(("solver", "how"), [("optimum", "joint"), ("gd", "ovr"), ("sgd", "ovr")])
def test_several_classes_are_joint_by_default_where_the_solver_can(solver, how, tmp_path):
    X, y = scaled(load_wine)
    parameters = {"solver": solver, "random_state": 0, **({} if solver == "optimum" else {"max_iter": 30})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model, named = (LogisticRegression(**parameters, **more).fit(X, y) for more in ({}, {"multi_class": how}))
    assert (model.multi_class, model.multi_class_) == ("auto", how)
    np.testing.assert_array_equal(model.coef_, named.coef_)
    np.testing.assert_array_equal(model.predict_proba(X), named.predict_proba(X))
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), named.predict_proba(X))
    model.set_params(multi_class="ovr" if how == "joint" else "joint")  # says how to fit next, not what was learned
    np.testing.assert_array_equal(model.predict_proba(X), named.predict_proba(X))


@pytest.mark.parametrize("how", ["ovr", "joint"])
def test_pickles_of_versions_without_auto_keep_what_they_said(how):
    X, y = scaled(load_wine)
    model = LogisticRegression(multi_class=how).fit(X, y)
    old = pickle.loads(pickle.dumps(model))
    del old._learned.__dict__["joint"]
    assert old.multi_class_ == how
    np.testing.assert_array_equal(old.predict_proba(X), model.predict_proba(X))


def test_a_stream_of_several_classes_is_one_vs_rest_by_default():
    X, y = scaled(load_wine)
    model = LogisticRegression(solver="sgd", alpha=1e-4).partial_fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    assert model.multi_class_ == "ovr"
    assert model.score(X, y) > 0.9
