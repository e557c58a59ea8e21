"""Laws of partial_fit: rows one by one, classes at any time, copies that learn alike."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_laws import CLASSIFIERS, X, assert_same, fitted, overlapping
from sklearn.base import clone

from rosenblatt import ALMA, AveragedPerceptron, PassiveAggressive, Perceptron, PocketPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

STREAMS = [
    *(Perceptron(step=step, keep=keep) for step in ("constant", "1/t", "1/sqrt(t)") for keep in ("last", "average")),
    *(AveragedPerceptron(step=step) for step in ("constant", "1/t", "1/sqrt(t)")),
    *(PassiveAggressive(step=step, keep=keep) for step in ("pa", "pa1", "pa2") for keep in ("last", "average")),
]


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
