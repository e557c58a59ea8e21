"""Laws that hold for every classifier: what a call changes, and above all what it must not change."""

import copy
import gc
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from rosenblatt import ALMA, AveragedPerceptron, PassiveAggressive, Perceptron, PocketPerceptron
from rosenblatt.engine.stream import Stream
from rosenblatt.parts.orders import WHOLE_PASSES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSIFIERS = [Perceptron, AveragedPerceptron, PocketPerceptron, PassiveAggressive, ALMA]
ORDERS = ["cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"]
STREAMS = [
    *(Perceptron(step=step, keep=keep) for step in ("constant", "1/t", "1/sqrt(t)") for keep in ("last", "average")),
    *(AveragedPerceptron(step=step) for step in ("constant", "1/t", "1/sqrt(t)")),
    *(PassiveAggressive(step=step, keep=keep) for step in ("pa", "pa1", "pa2") for keep in ("last", "average")),
]


def overlapping(classes=2, rows=60, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.permutation(np.arange(rows) % classes)


def assert_same(model, other):
    """The same weights, bit for bit."""
    np.testing.assert_array_equal(model.classes_, other.classes_)
    np.testing.assert_array_equal(model.coef_, other.coef_)
    np.testing.assert_array_equal(model.intercept_, other.intercept_)


# Nothing changes when a call fails

X, Y = overlapping(3)
NAMES = [f"c{j}" for j in range(5)]


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


def fitted(model, streaming, names=False):
    given = pd.DataFrame(X, columns=NAMES) if names else X
    model = clone(model).set_params(max_iter=20)
    return model.partial_fit(given, Y) if streaming else model.fit(given, Y)


def assert_fails_and_changes_nothing(model, call, message):
    before, decided = pickle.dumps(model), model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        call()
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(model.decision_function(X), decided)


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


# partial_fit


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classes", [1, 2, 3])
def test_one_row_too_large_changes_nothing_even_with_a_new_class(classes, multi_class):
    X, y = overlapping(classes)
    X *= 1e10
    for label in (0, 1, -7, 7):
        model, other = (AveragedPerceptron(multi_class=multi_class).partial_fit(X, y) for _ in range(2))
        with pytest.raises(ValueError, match="so large that sums with them overflow"):
            model.partial_fit([[1e308] * 5], [label])
        assert_same(model, other)
        assert (model.status_, model.n_visits_, model.n_updates_) == (other.status_, other.n_visits_, other.n_updates_)
        assert_same(model.partial_fit(X, y), other.partial_fit(X, y))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("model", STREAMS, ids=repr)
def test_row_by_row_is_one_cyclic_epoch(model, multi_class, classes):
    X, y = overlapping(classes, rows=24)
    weights = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    for sample_weight in (None, weights):
        parameters = {"multi_class": multi_class, "order": "cyclic", "max_iter": 1}
        whole = clone(model).set_params(**parameters).fit(X, y, sample_weight=sample_weight)
        rows, chunks, sparse = (clone(model).set_params(**parameters) for _ in range(3))
        for i in range(len(y)):
            if sample_weight is None or sample_weight[i] > 0:
                weight = None if sample_weight is None else sample_weight[i : i + 1]
                rows.partial_fit(X[i : i + 1], y[i : i + 1], classes=range(classes), sample_weight=weight)
        for at in np.split(np.arange(len(y)), [4, 7, 17]):
            some = None if sample_weight is None else sample_weight[at]
            chunks.partial_fit(X[at], y[at], classes=range(classes), sample_weight=some)
            sparse.partial_fit(sp.csr_array(X[at]), y[at], classes=range(classes), sample_weight=some)
        assert_same(rows, whole)
        assert_same(chunks, whole)
        np.testing.assert_allclose(sparse.coef_, whole.coef_, atol=1e-12)
        assert (rows.n_updates_, rows.n_mistakes_) == (whole.n_updates_, whole.n_mistakes_)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_pocket_streams_alike_in_any_chunks(classes, multi_class):
    X, y = overlapping(classes)
    streams = [PocketPerceptron(multi_class=multi_class) for _ in range(3)]
    for stream, size in zip(streams, (1, 7, 60), strict=True):
        for at in range(0, 60, size):
            stream.partial_fit(X[at : at + size], y[at : at + size], classes=range(classes))
    assert_same(streams[0], streams[1])
    assert_same(streams[0], streams[2])


@pytest.mark.parametrize("classifier", [Perceptron, AveragedPerceptron])
def test_one_batch_is_one_step(classifier):
    X, y = overlapping()
    model = classifier(order="batch", max_iter=1)
    assert_same(clone(model).partial_fit(X, y), clone(model).fit(X, y))


def planes_by_hand(X, labels, joint):
    """One plane a class, moved at mistakes. The second begins as the mirror of the first, others as 0.

    Of more than two joint classes the true one and its best rival move; the third halves the two mirrored planes, so
    that their difference stays.
    """
    planes = {}
    for x, label in zip(np.c_[X, np.ones(len(X))], labels, strict=True):
        if label not in planes:
            if joint and len(planes) == 2:
                planes = {k: plane / 2 for k, plane in planes.items()}
            planes[label] = -next(iter(planes.values())) if len(planes) == 1 else np.zeros(len(x))
        scores = {k: planes[k] @ x for k in sorted(planes)}
        if joint and len(planes) > 2:
            rival = max((k for k in scores if k != label), key=scores.get)
            moves = {label: 1, rival: -1} if scores[label] <= scores[rival] else {}
        else:
            signs = {k: 1 if k == label else -1 for k in planes}
            moves = {k: sign for k, sign in signs.items() if sign * scores[k] <= 0}
        for k, sign in moves.items():
            planes[k] = planes[k] + sign * x
    return np.array([planes[k] for k in sorted(planes)])


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), *[st.integers(-3, 3)] * 3), min_size=1, max_size=40), st.permutations("wxyz")
)
def test_classes_may_turn_up_at_any_time_and_in_any_order(multi_class, rows, names):
    X, labels = np.array([row[1:] for row in rows], float), np.array([names[row[0]] for row in rows])
    model = Perceptron(multi_class=multi_class)
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], labels[i : i + 1])
        assert model.classes_.tolist() == sorted(set(labels[: i + 1]))
    planes = planes_by_hand(X, labels, joint=multi_class == "joint")
    planes = planes[1:] if len(planes) == 2 else planes
    np.testing.assert_array_equal(np.c_[model.coef_, model.intercept_], planes)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("names", ["abcd", "dcba", "bdac"])
def test_one_class_then_two_three_and_four(classifier, multi_class, names):
    rng = np.random.default_rng(0)
    centres = np.array([[9.0, 0], [-9, 0], [0, 9], [0, -9]])
    model = classifier(multi_class=multi_class)
    for known in range(1, 5):
        for _ in range(60):
            k = rng.integers(known)
            model.partial_fit(rng.normal(centres[k], 0.5)[None], [names[k]])
        assert model.classes_.tolist() == sorted(names[:known])
        assert model.predict(centres[:known]).tolist() == list(names[:known])
        assert model.coef_.shape == (known if known > 2 else 1, 2)
        assert model.decision_function(centres).shape == ((4, known) if known > 2 else (4,))


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_expected_classes_are_there_from_the_start(multi_class):
    X, y = overlapping(3)
    told, untold = (Perceptron(multi_class=multi_class) for _ in range(2))
    told.partial_fit(X[:1], y[:1], classes=[2, 0, 1])
    assert told.classes_.tolist() == [0, 1, 2]
    assert told.decision_function(X).shape == (60, 3)
    assert_same(told.partial_fit(X[1:], y[1:]), untold.partial_fit(X, y))


def test_long_and_short_names_and_wider_numbers():
    X, y = overlapping()
    model = Perceptron().partial_fit(X, np.array(["a", "b"])[y]).partial_fit(X, np.array(["abracadabra", "c"])[y])
    assert model.classes_.tolist() == ["a", "abracadabra", "b", "c"]
    model = Perceptron().partial_fit(X, y.astype(np.int8)).partial_fit(X, y + 1000)
    assert model.classes_.tolist() == [0, 1, 1000, 1001]


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_stream_goes_on_from_a_fitted_model(classifier, classes, multi_class):
    X, y = overlapping(classes)
    model = classifier(multi_class=multi_class, intercept_scaling=2.0, max_iter=3, random_state=0).fit(X, y)
    coef, intercept = model.coef_.copy(), model.intercept_.copy()
    right = X[:1] * np.sign(model.decision_function(X[:1])).ravel()[0] if classes == 2 else X[:1]
    label = model.predict(right)
    model.partial_fit(right, label, classes=model.classes_)
    assert model.status_.reason == "stream"
    if classifier not in (PassiveAggressive, ALMA) and classes == 2:  # a right answer moves no perceptron
        np.testing.assert_array_equal(model.coef_, coef)
        np.testing.assert_array_equal(model.intercept_, intercept)
    assert np.abs(model.coef_ - coef).max() < np.abs(coef).max()


def test_a_changed_parameter_counts_from_the_next_call():
    X, y = overlapping()
    model = Perceptron(eta0=1.0).partial_fit(X[:30], y[:30])
    coef = model.coef_.copy()
    wrong = X[30:31] * (-1 if model.predict(X[30:31])[0] == 1 else 1)
    model.set_params(eta0=0.25).partial_fit(wrong, [1])
    np.testing.assert_allclose(model.coef_, coef + 0.25 * wrong)
    assert model.set_params(keep="average").partial_fit(X, y).n_visits_ == 60


def test_rows_weigh_by_class_in_a_stream():
    X, y = overlapping(3)
    by_class = Perceptron(class_weight={0: 2.0, 2: 0.5, 9: 7.0})
    by_row = Perceptron()
    for at in np.array_split(np.arange(60), 7):
        by_class.partial_fit(X[at], y[at])
        by_row.partial_fit(X[at], y[at], sample_weight=np.array([2.0, 1.0, 0.5])[y[at]])
    assert_same(by_class, by_row)
    with pytest.raises(ValueError, match="'balanced' needs all rows at once"):
        by_class.set_params(class_weight="balanced").partial_fit(X, y)
    assert_same(by_class, by_row)


@pytest.mark.parametrize("again", [lambda m: pickle.loads(pickle.dumps(m)), copy.deepcopy], ids=["pickle", "deepcopy"])
@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_copies_predict_and_learn_alike(classifier, multi_class, streaming, again):
    model = fitted(classifier(multi_class=multi_class, random_state=0), streaming)
    other = again(model)
    assert_same(model, other)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    assert (other.status_, other.status_.reason, other.n_visits_) == (
        model.status_,
        model.status_.reason,
        model.n_visits_,
    )
    more, labels = overlapping(4, seed=5)
    assert_same(model.partial_fit(more, labels), other.partial_fit(more, labels))
    before = other.coef_.copy()
    model.partial_fit(more, labels)
    np.testing.assert_array_equal(other.coef_, before)


def test_a_clone_knows_nothing():
    for streaming in (False, True):
        assert vars(clone(fitted(Perceptron(), streaming))) == vars(Perceptron(max_iter=20))


# fit


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_a_row_of_weight_0_is_no_row(classifier, order, classes):
    if order == "working-set" and classifier in (PassiveAggressive, PocketPerceptron):
        return
    if order == "batch" and classifier is PassiveAggressive:
        return
    if order not in WHOLE_PASSES and classifier is ALMA:
        return
    X, y = overlapping(classes)
    weights = np.random.default_rng(2).integers(0, 3, 60).astype(float)
    y[weights == 0] = 77  # not even a class
    kept = weights > 0
    model = classifier(order=order, max_iter=12, random_state=3)
    for form in (np.asarray, sp.csr_array):
        removed = clone(model).fit(form(X[kept]), y[kept], sample_weight=weights[kept])
        assert_same(clone(model).fit(form(X), y, sample_weight=weights), removed)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classifier", [Perceptron, AveragedPerceptron, PocketPerceptron])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0}])
def test_whole_weights_are_copies_for_the_batch(classifier, multi_class, class_weight):
    rng = np.random.default_rng(4)
    X, y = rng.integers(-4, 5, (40, 3)).astype(float), rng.integers(0, 3, 40)
    times = rng.integers(0, 4, 40)
    model = classifier(
        order="batch", multi_class=multi_class, class_weight=class_weight, n_iter_no_change=None, max_iter=30
    )
    weighted = clone(model).fit(X, y, sample_weight=times)
    copied = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, copied.intercept_, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_weights_of_classes_are_weights_of_rows(classifier):
    X, y = overlapping(3)
    counts = np.bincount(y[:50])
    for class_weight, factors in [({0: 3.0, 2: 0.5}, [3.0, 1.0, 0.5]), ("balanced", 50 / (3 * counts))]:
        model = classifier(max_iter=10, random_state=1)
        by_class = clone(model).set_params(class_weight=class_weight).fit(X[:50], y[:50])
        assert_same(by_class, clone(model).fit(X[:50], y[:50], sample_weight=np.array(factors)[y[:50]]))


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_warm_start_begins_where_the_last_fit_ended(classes, multi_class):
    X, y = overlapping(classes)
    model = Perceptron(order="cyclic", multi_class=multi_class, max_iter=1, warm_start=True, intercept_scaling=0.5)
    long = clone(model).set_params(max_iter=5).fit(X, y)
    for _ in range(5):
        model.fit(X, y)
    assert_same(model, long)
    assert_same(model.set_params(warm_start=False).fit(X, y), clone(model).fit(X, y))


def test_a_warm_start_needs_the_same_columns_and_classes():
    model = fitted(Perceptron(warm_start=True), streaming=False)
    for bad in ((X[:, :2], Y), (X, Y + 1), (X, Y > 0)):
        assert_fails_and_changes_nothing(
            model, lambda bad=bad: model.fit(*bad), "warm_start needs the columns and classes of the model"
        )


def test_a_second_fit_forgets_the_first():
    model = fitted(Perceptron(random_state=0), streaming=True, names=True)
    labels = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
    model.fit(X[:, :2], labels)
    assert_same(model, Perceptron(random_state=0, max_iter=20).fit(X[:, :2], labels))
    assert model.n_features_in_ == 2
    assert "feature_names_in_" not in vars(model)


@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [3, 7], [-1.0, 1.0], [np.uint8(4), np.uint8(200)]])
def test_a_score_of_exactly_0_is_the_second_class(labels):
    y = np.array(labels)[[0, 1]]
    for model in (Perceptron(order="cyclic").fit([[-1.0], [1.0]], y), Perceptron().partial_fit([[-1.0], [1.0]], y)):
        zero = [[-model.intercept_[0] / model.coef_[0, 0]]]
        assert model.decision_function(zero) == [0.0]
        assert model.predict(zero) == y[1:]
        assert model.predict(zero).dtype == y.dtype
        assert model.predict([[5.0]]) == y[1:]
        assert model.predict([[-5.0]]) == y[:1]


def test_a_trace_names_rows_as_they_were_given():
    weights = np.where(np.arange(60) % 3 == 0, 0.0, 1.0)
    trace = Perceptron(max_iter=2).fit(X, Y > 0, sample_weight=weights, trace=True).trace_
    assert len(trace["row"]) > 10
    assert (weights[trace["row"]] == 1).all()
    assert (Perceptron(order="batch", max_iter=2).fit(X, Y > 0, weights, trace=True).trace_["row"] == -1).all()


@pytest.fixture
def without_garbage_collection():
    """Python drops a Ctrl-C that lands in a callback of the collector, and Hypothesis has one."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("without_garbage_collection", "ctrl_c_amid_training")
@pytest.mark.parametrize("labels", [Y > 0, Y], ids=["two classes", "three classes"])
def test_an_interrupted_fit_leaves_what_it_has_learned(labels):
    model = Perceptron(max_iter=10**9, n_iter_no_change=10**9, n_jobs=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, labels)
    assert model.status_.reason == "interrupted"
    assert model.n_iter_ > 10
    assert model.predict(X).shape == (60,)


def test_a_fit_that_warns_as_an_error_has_still_been_made():
    model = Perceptron(max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning):
            model.fit(X, Y)
    assert model.n_iter_ == 2


def test_a_stream_is_known_by_its_status():
    model = fitted(Perceptron(), streaming=True)
    assert type(model._learned) is Stream
    assert "60 rows streamed" in model.status_
    assert model.history_ == {}
