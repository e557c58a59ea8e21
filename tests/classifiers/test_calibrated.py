"""Probabilities of margin classifiers: there with `calibration`, cross-fitted, and without effect on labels."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.metrics import log_loss

from rosenblatt import (
    ALMA,
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
)
from rosenblatt.classifiers.calibration.methods import METHODS, fit_calibration
from rosenblatt.foundation.seeds import draw_seed
from rosenblatt.foundation.splitting import folds

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
MARGIN_CLASSIFIERS = [
    *(Perceptron, AveragedPerceptron, PocketPerceptron, PassiveAggressive, ALMA, LinearSVM, KernelPerceptron),
]


def rows(classes=2, count=120, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, 4))
    return X, np.argmax(X[:, :classes] + 0.7 * random.normal(size=(count, classes)), axis=1)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", MARGIN_CLASSIFIERS)
def test_calibration_gives_probabilities_and_changes_nothing_else(kind, method, classes):
    X, y = rows(classes)
    plain = kind(max_iter=20, random_state=0).fit(X, y)
    model = kind(max_iter=20, random_state=0, calibration=method).fit(X, y)
    assert not hasattr(plain, "predict_proba")
    assert not hasattr(plain, "predict_log_proba")
    assert_array_equal(model.decision_function(X), plain.decision_function(X))
    assert_array_equal(model.predict(X), plain.predict(X))
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(X), classes)
    assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert_allclose(np.exp(model.predict_log_proba(X)), probabilities)
    assert log_loss(y, probabilities) < log_loss(y, np.full_like(probabilities, 1 / classes))


def test_probabilities_do_not_depend_on_the_run_the_threads_or_the_kind_of_matrix():
    X, y = rows(3)
    first, *others = (
        PassiveAggressive(random_state=7, n_jobs=jobs, max_iter=20, calibration="platt")
        .fit(form(X), y)
        .predict_proba(X)
        for jobs, form in ((1, np.asarray), (1, np.asarray), (2, np.asarray), (1, csr_matrix))
    )
    for other in others:
        assert_array_equal(other, first)


def test_the_scores_come_from_trainings_without_their_fold():
    X, y = rows(3)
    scores = np.empty((len(X), 3))
    for places in folds(y.astype(np.int32), 5, draw_seed(4)):
        rest = np.setdiff1d(np.arange(len(X)), places)
        scores[places] = AveragedPerceptron(random_state=4).fit(X[rest], y[rest]).decision_function(X[places])
    model = AveragedPerceptron(random_state=4, calibration="isotonic").fit(X, y)
    expected = fit_calibration("isotonic", scores, y, 3).probabilities(model.decision_function(X))
    assert_allclose(model.predict_proba(X), expected, atol=1e-12)


@pytest.mark.parametrize("kernel", ["gaussian", "precomputed"])
def test_rows_of_weight_0_count_as_no_rows(kernel):
    X, y = rows()
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2)) if kernel == "precomputed" else X
    weights = 1.0 * (np.arange(len(X)) % 3 > 0)
    kept = np.flatnonzero(weights)
    model = KernelPerceptron(kernel, calibration="platt", random_state=0, max_iter=20)
    weighted = model.fit(K, y, weights).predict_proba(K)
    inside = np.ix_(kept, kept) if kernel == "precomputed" else kept
    outside = K[:, kept] if kernel == "precomputed" else K
    assert_allclose(weighted, model.fit(K[inside], y[kept]).predict_proba(outside), atol=1e-9)


def test_class_weights_do_not_shift_probabilities():
    X, y = rows(count=600)
    y[(X[:, 2] > -0.5) & (y == 1)] = 0  # class 1 is rare
    model = LinearSVM(class_weight="balanced", calibration="platt").fit(X, y)
    assert model.predict(X).mean() > y.mean() + 0.05
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(y.mean(), abs=0.02)


def test_early_stopping_holds_rows_out_of_each_training():
    X, y = rows(count=300)
    options = {"solver": "sgd", "early_stopping": True, "random_state": 0, "max_iter": 20}
    model = LinearSVM(**options, calibration="platt").fit(X, y)
    assert_array_equal(model.coef_, LinearSVM(**options).fit(X, y).coef_)
    assert log_loss(y, model.predict_proba(X)) < 0.5


# Refusals


def test_without_calibration_the_error_says_what_to_set():
    X, y = rows()
    with pytest.raises(AttributeError, match="predict_proba") as error:
        Perceptron().fit(X, y).predict_proba(X)
    assert "set calibration='platt' before fit" in str(error.value.__cause__)


@pytest.mark.parametrize("method", ["sigmoid", 3, ["platt"]])
def test_an_unknown_method_is_refused_and_the_model_stays(method):
    X, y = rows()
    model = Perceptron(max_iter=5, calibration="platt").fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="calibration must be one of 'platt', 'isotonic', not"):
        model.set_params(calibration=method).fit(X, y)
    assert_array_equal(model.set_params(calibration="platt").predict_proba(X), before)


def test_a_class_with_one_row_is_refused():
    with pytest.raises(ValueError, match="calibration='platt' needs two rows or more of each class, and 'b' has one"):
        Perceptron(calibration="platt").fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])


def test_partial_fit_moves_the_weights_and_ends_the_calibration():
    X, y = rows()
    model = Perceptron(max_iter=5, calibration="platt").fit(X, y)
    with pytest.raises(ValueError, match="is not calibrated: fit calibrates"):
        model.partial_fit(X, y).predict_proba(X)


def test_ctrl_c_in_a_fold_leaves_a_model_without_probabilities():
    X, y = rows()
    watched = {"folds"}

    def kernel(left, right):
        if "folds" in watched and max(len(left), len(right)) < len(X):
            raise KeyboardInterrupt
        return left @ right.T

    model = KernelPerceptron(kernel, calibration="platt", max_iter=5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    watched.clear()
    assert model.status_.rows == len(X)
    with pytest.raises(ValueError, match="an interrupted fit do not"):
        model.predict_proba(X)


def test_logistic_regression_has_its_own_probabilities():
    assert "calibration" not in LogisticRegression().get_params()
    assert hasattr(LogisticRegression(), "predict_proba")


@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_the_quality_of_probabilities_is_measured_on_rows_left_out(method):
    random = np.random.default_rng(0)
    rows = random.normal(size=(900, 3))
    labels = (rows[:, 0] + random.logistic(size=900) > 0).astype(int)
    train, new = slice(0, 300), slice(300, 900)
    model = LinearSVM(calibration=method).fit(rows[train], labels[train])
    truth = log_loss(labels[new], model.predict_proba(rows[new]))
    seen = log_loss(labels[train], model.predict_proba(rows[train]))
    assert abs(model.calibrated_log_loss_ - truth) < 0.06
    assert model.calibrated_log_loss_ > seen  # of rows that the model and its calibration have seen
    assert 0 <= model.calibration_error_ < 0.15
    plain = LinearSVM().fit(rows[train], labels[train])
    with pytest.raises(
        AttributeError, match=r"there is no calibration_error_: it is there after fit with calibration="
    ):
        plain.calibration_error_  # noqa: B018
