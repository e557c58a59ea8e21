"""A call that fails changes nothing, and says what was wrong in one sentence."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from linear_laws import CLASSIFIERS, NAMES, X, Y, assert_fails_and_changes_nothing, fitted
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from rosenblatt import ALMA, AveragedPerceptron, PassiveAggressive, Perceptron, PocketPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def with_value(value, dtype=np.float64):
    changed = X.astype(dtype)
    changed[7, 2] = value
    return changed


def broken_csr(X=X):
    matrix = sp.csr_array(X)
    matrix.indices = matrix.indices.copy()
    matrix.indices[8] = 1000
    return matrix


def with_weight(value):
    weights = np.ones(len(X))
    weights[5] = value
    return {"sample_weight": weights}


BAD_DATA = {
    "NaN": ((with_value(np.nan), Y), {}, "contains NaN in column 2, row 7"),
    "infinity float32": ((with_value(np.inf, np.float32), Y), {}, "contains infinity in column 2, row 7"),
    "NaN in CSR": ((sp.csr_array(with_value(np.nan)), Y), {}, "contains NaN in column 2, row 7"),
    "infinity in a frame": (
        (pd.DataFrame(with_value(-np.inf), columns=NAMES), Y),
        {},
        "infinity in column ('c2'|2), row 7",
    ),
    "NaN with a new class": ((with_value(np.nan), Y + 7), {}, "contains NaN"),
    "no rows": ((X[:0], Y[:0]), {}, "Found array with 0 sample"),
    "no columns": ((X[:, :0], Y), {}, "0 feature"),
    "text": ((X.astype(str).astype(object) + "m", Y), {}, "contains text in column 0"),
    "complex": ((X + 1j, Y), {}, "Complex data not supported"),
    "one dimension": ((X[:, 0], Y), {}, "Expected 2D array, got 1D array"),
    "three dimensions": ((X[None], Y), {}, "dim 3"),
    "broken CSR": ((broken_csr(), Y), {}, "The sparse X is broken"),
    "broken CSR with a row of weight 0": ((broken_csr(), Y), with_weight(0), "The sparse X is broken"),
    "no y": ((X, None), {}, "the target y is None"),
    "short y": ((X, Y[:-1]), {}, "60 rows in X, 59 labels in y"),
    "continuous y": ((X, X[:, 0]), {}, "Unknown label type: continuous"),
    "two columns of y": ((X, np.c_[Y, Y]), {}, "y should be a 1d array"),
    "NaN in y": ((X, np.where(Y, Y, np.nan)), {}, "Input y contains NaN"),
    "negative weight": ((X, Y), with_weight(-1), "must not be negative: row 5 has -1"),
    "negative weight with a new class": ((X, Y + 7), with_weight(-1), "must not be negative"),
    "NaN weight": ((X, Y), with_weight(np.nan), "sample_weight contains NaN"),
    "short weights": ((X, Y), {"sample_weight": np.ones(3)}, "sample_weight.shape"),
    "numbers too large": ((X * 1e200, Y), {}, "so large that sums with them overflow"),
    "numbers too large with a new class": ((X * 1e200, Y + 1), {}, "so large that sums with them overflow"),
    "no weight at all": ((X, Y), {"sample_weight": np.zeros(60)}, "nothing to learn from|at least one non-zero"),
}
ONLY_FIT = {"one class": ((X, np.zeros(60)), {}, r"y has only one class, 0\.0; \w+ needs two classes or more")}
ONLY_STREAM = {
    "other columns": ((X[:, :3], Y), {}, "X has 3 features, but .* is expecting 5 features"),
    "text for numbers": ((X, Y.astype(str)), {}, "Labels must be all text or all numbers"),
    "text among classes": ((X, Y), {"classes": ["a", "b"]}, "Labels must be all text or all numbers"),
    "continuous classes": ((X, Y), {"classes": [0.1, 0.2]}, "Unknown label type"),
}
BAD_PARAMETERS = [
    ({"order": "cycle"}, "order must be one of 'cyclic', 'shuffle-once', .*, not 'cycle'"),
    ({"step": "quick"}, "step must be one of 'constant', .*'pa2'.*, not 'quick'"),
    ({"criterion": None}, "criterion must be one of 'mistakes', 'loss', 'gradient', 'weights', not None"),
    ({"multi_class": "ova"}, "multi_class must be one of 'ovr', 'joint', 'auto', not 'ova'"),
    ({"step": "pegasos"}, "step='pegasos' does not go with penalty='none'"),
    ({"max_iter": 0}, "max_iter must be a whole number of at least 1, not 0"),
    ({"max_iter": 2.5}, "max_iter must be a whole number"),
    ({"tol": -1e-9}, "tol must be a finite number of at least 0, not -1e-09"),
    ({"tol": "0"}, "tol must be a finite number"),
    ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number"),
    ({"max_seconds": 0}, "max_seconds must be a finite number above 0"),
    ({"fit_intercept": "no"}, "fit_intercept must be True or False, not 'no'"),
    ({"intercept_scaling": 0}, "intercept_scaling must be a finite number other than 0"),
    ({"class_weight": "even"}, "class_weight must be a dict, 'balanced' or None, not 'even'"),
    ({"class_weight": {0: -1}}, "class_weight must hold finite numbers above 0"),
    ({"n_jobs": 0}, "n_jobs must be a number of threads"),
    ({"random_state": "dice"}, "random_state must be None, a whole number"),
]
BAD_STEPS = [
    (Perceptron(eta0=eta0), f"eta0 must be a finite number above 0, not {eta0!r}")
    for eta0 in (0, -1.0, float("nan"), float("inf"), "1", True, None)
]
REFUSED_TOGETHER = [
    (Perceptron(step="pa"), "step='pa' does not go with loss='perceptron'"),
    (PassiveAggressive(order="batch"), "step='pa1' does not go with order='batch'"),
    (PassiveAggressive(order="working-set"), "order='working-set' does not go with loss='hinge'"),
    (PocketPerceptron(order="working-set"), "order='working-set' does not go with keep='best'"),
    (Perceptron(margin=-1.0), "margin must be a finite number of at least 0"),
    (Perceptron(margin=1.0, order="working-set"), "margin=1.0 does not go with order='working-set'"),
    (Perceptron(margin=1.0, criterion="loss"), "margin=1.0 does not go with criterion='loss'"),
    (ALMA(margin=1.0), "margin must be below 1 with step='alma'"),
    (ALMA(order="batch"), "margin=0.5 does not go with order='batch'"),
    (ALMA(margin=0.0, order="batch"), "step='alma' does not go with order='batch'"),
    (PassiveAggressive(C=0), "C must be a finite number above 0"),
]


@pytest.mark.filterwarnings("ignore:X has feature names")
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("case", [*BAD_DATA, *ONLY_FIT, *ONLY_STREAM])
def test_bad_data_leave_the_model_as_it_was(case, method, streaming):
    if case in (ONLY_STREAM if method == "fit" else ONLY_FIT):
        return
    arguments, weights, message = (BAD_DATA | ONLY_FIT | ONLY_STREAM)[case]
    for model in (fitted(Perceptron(), streaming), fitted(AveragedPerceptron(multi_class="joint"), streaming)):
        assert_fails_and_changes_nothing(model, lambda m=model: getattr(m, method)(*arguments, **weights), message)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("case", BAD_DATA)
def test_names_of_columns_stay_too(case, method):
    (bad, labels), weights, message = BAD_DATA[case]
    model = fitted(Perceptron(), streaming=True, names=True)
    message = (
        message.replace("column 2", "column 'c2'").replace("column 0", "column 'c0'") if method != "fit" else message
    )
    assert_fails_and_changes_nothing(model, lambda: getattr(model, method)(bad, labels, **weights), message)
    assert model.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("case", [*BAD_DATA, *ONLY_FIT])
def test_bad_data_leave_a_new_model_new(case):
    arguments, weights, message = (BAD_DATA | ONLY_FIT)[case]
    for method in ("fit", "partial_fit")[: 1 if case in ONLY_FIT else 2]:
        model = Perceptron()
        with pytest.raises(ValueError, match=message):
            getattr(model, method)(*arguments, **weights)
        assert vars(model) == vars(Perceptron())


@pytest.mark.parametrize(("changes", "message"), BAD_PARAMETERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_bad_parameters_leave_the_model_as_it_was(classifier, changes, message):
    if "step" in changes and classifier is ALMA:
        return  # its step is fixed
    model = fitted(classifier(), streaming=False).set_params(**changes)
    assert_fails_and_changes_nothing(model, lambda: model.fit(X, Y), message)
    if "n_jobs" not in changes:  # one pass over few rows takes one thread
        assert_fails_and_changes_nothing(model, lambda: model.partial_fit(X, Y + 1), message)


@pytest.mark.parametrize(("model", "message"), BAD_STEPS + REFUSED_TOGETHER)
def test_bad_steps_and_parts_that_do_not_go_together(model, message):
    for method in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match=message):
            getattr(clone(model), method)(X, Y)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (with_value(np.nan), "contains NaN in column 2, row 7"),
        (sp.csr_array(with_value(np.inf)), "contains infinity in column 2, row 7"),
        (with_value(-np.inf, np.float32), "contains infinity"),
        (X[:, :2], "X has 2 features, but Perceptron is expecting 5"),
        (X[:0], "Found array with 0 sample"),
        (X[0], "Expected 2D array"),
        (broken_csr(), "The sparse X is broken"),
    ],
)
def test_bad_rows_are_not_predicted(bad, message):
    model = fitted(Perceptron(), streaming=False)
    for method in (model.predict, model.decision_function):
        with pytest.raises(ValueError, match=message):
            method(bad)


def test_infinities_of_both_signs_are_seen_without_a_murmur():
    bad = with_value(np.inf)
    bad[8, 2] = -np.inf
    with pytest.raises(ValueError, match="infinity in column 2, row 7"):
        fitted(Perceptron(), streaming=False).predict(bad)


def test_scores_beyond_all_numbers_are_no_error():
    model = Perceptron(order="cyclic").fit([[3.0], [-3.0]], [1, 0])
    assert model.predict([[1e308], [-1e308]]).tolist() == [1, 0]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA], ids=str)
@pytest.mark.parametrize("kind", [list, pd.Series, lambda labels: np.array(labels, dtype=object)])
def test_labels_that_are_missing_are_named(missing, kind):
    for learn in (Perceptron().fit, Perceptron().partial_fit):
        with pytest.raises(ValueError, match=r"y has no label in row 1, but .*: fill in or drop such rows\."):
            learn([[1.0], [2.0], [3.0]], kind(["a", missing, "b"]))


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_scores_that_are_no_numbers_are_refused(method):
    model = Perceptron(order="cyclic").fit([[3.0, -3.0], [-3.0, 3.0]], [1, 0])
    with pytest.raises(ValueError, match="sums with them overflow: scale them down"):
        getattr(model, method)([[1e308, 1e308]])


def test_before_fit():
    model = Perceptron()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict(X)
    for name in ("coef_", "intercept_", "classes_", "n_iter_", "status_", "history_", "trace_"):
        assert not hasattr(model, name)
    with pytest.raises(AttributeError, match="call fit"):
        fitted(model, streaming=False).trace_  # noqa: B018
