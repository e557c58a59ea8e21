"""partial_fit of one row takes a short way. It must learn what the long way learns, and refuse what that refuses."""

import copy
import pickle

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning

from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SecondOrderPerceptron,
)
from rosenblatt.classifiers import one_trainer
from rosenblatt.engine.stream import Stream

MODELS = [
    Perceptron(),
    Perceptron(step="1/sqrt(t)", eta0=0.5, fit_intercept=False),
    AveragedPerceptron(),
    PocketPerceptron(order="cyclic"),
    PassiveAggressive(),
    Perceptron(margin=1.0),
    ALMA(),
    SecondOrderPerceptron(),
    AROW(),
    AROW(step="full"),
    LogisticRegression(solver="sgd", alpha=1e-3),
    LogisticRegression(solver="sgd", alpha=1e-3, keep="average", eta0=0.1),
    LinearSVM(solver="sgd", penalty=None),
]
FORMS = {
    "array": lambda x: x,
    "float32": lambda x: x.astype(np.float32),
    "Fortran order": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 3, axis=1)[:, ::3],
    "backwards": lambda x: x[:, ::-1].copy()[:, ::-1],
    "read only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "not aligned": lambda x: np.frombuffer(b"-" + x.tobytes(), np.dtype("V1")).view(np.uint8)[1:].view(x.dtype)[None],
    "big endian": lambda x: x.astype(">f8"),
    "list": lambda x: x.tolist(),
    "CSR": sparse.csr_matrix,
    "CSR array": sparse.csr_array,
    "CSR, columns in falling order": lambda x: reversed_columns(sparse.csr_matrix(x)),
    "CSC": sparse.csc_matrix,
    "CSC array": sparse.csc_array,
}
FRAMES = {
    "pandas": lambda x: pandas.DataFrame(x, columns=list("abcde")),
    "pandas, one index": lambda x: pandas.DataFrame(x, columns=INDEX),
    "polars": lambda x: polars.DataFrame(x, schema=list("abcde")),
}
INDEX = pandas.Index(list("abcde"))
LABELS = {
    "int": lambda y: y,
    "float": lambda y: y.astype(float),
    "bool": lambda y: y > 0,
    "str": lambda y: np.where(y > 0, "spam", "ham"),
    "object": lambda y: np.where(y > 0, "spam", "ham").astype(object),
    "list": lambda y: y.tolist(),
    "Series": pandas.Series,
}
DICE = np.random.default_rng(5)
X = DICE.integers(-64, 65, size=(60, 5)) / 8.0  # float32 holds them exactly
Y = np.where(X[:, 0] + X[:, 1] + DICE.normal(size=60) > 0, 1, -1)


def reversed_columns(row):
    row.indices, row.data = row.indices[::-1].copy(), row.data[::-1].copy()
    return row


@pytest.fixture
def short_ways(monkeypatch):
    """Count the rows that take the short way."""
    taken = []

    def learn_row(self, *inputs, learn=Stream.learn_row):
        taken.append(learn(self, *inputs))
        return taken[-1]

    monkeypatch.setattr(Stream, "learn_row", learn_row)
    return taken


def one_by_one(model, X, y, classes):
    for i in range(len(X)):
        model.partial_fit(X[i], y[i], classes=classes if i == 0 else None)
    return model


def assert_same_model(one, other):
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    np.testing.assert_array_equal(one.classes_, other.classes_)
    for name in ("n_visits_", "n_updates_", "n_mistakes_", "status_"):
        assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_every_classifier_learns_the_same_bits_by_the_short_way(model, short_ways):
    with_eta0 = clone(model)
    if with_eta0.eta0 is None:
        with_eta0.set_params(eta0=0.05)  # otherwise the rows of the first call decide
    long = clone(with_eta0).partial_fit(X, Y)
    short = one_by_one(with_eta0, [X[i : i + 1] for i in range(60)], [Y[i : i + 1] for i in range(60)], [-1, 1])
    assert_same_model(short, long)
    assert short_ways == [True] * 59


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("labels", LABELS)
def test_every_form_of_a_row_and_a_label_is_the_same(form, labels, short_ways):
    make, label = FORMS[form], LABELS[labels]
    long = AveragedPerceptron().partial_fit(X, np.asarray(label(Y)))
    rows, single = [make(X[i : i + 1]) for i in range(60)], [label(Y[i : i + 1]) for i in range(60)]
    short = one_by_one(AveragedPerceptron(), rows, single, np.unique(label(Y)))
    assert_same_model(short, long)
    assert short_ways.count(True) == (0 if form in ("not aligned", "big endian") else 59)


@pytest.mark.parametrize("form", FRAMES)
def test_every_data_frame_is_the_same(form, short_ways):
    rows = [FRAMES[form](X[i : i + 1]) for i in range(60)]
    short = one_by_one(AveragedPerceptron(), rows, [Y[i : i + 1] for i in range(60)], [-1, 1])
    assert_same_model(short, AveragedPerceptron().partial_fit(X, Y))
    assert short_ways == [True] * 59


@pytest.mark.parametrize("names", ["abced", "abcd", "abcdef"])
@pytest.mark.parametrize("form", [pandas.DataFrame, polars.DataFrame])
def test_columns_of_other_names_are_refused(form, names):
    def frame(names):
        return form({name: [1.0] for name in names})

    model = Perceptron().partial_fit(frame("abcde"), [1], classes=[-1, 1]).partial_fit(frame("abcde"), [1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.partial_fit(frame(names), [1])


def test_what_python_does_while_a_row_is_taken_is_not_lost(streaming, short_ways):
    class Trains:
        """A column of labels whose conversion trains the model."""

        def to_list(self):
            self.to_list = lambda: Y[59:].tolist()
            streaming.partial_fit(X[41:59], Y[41:59])
            return self.to_list()

        def __array__(self, *_, **__):
            return Y[59:]

        shape, ndim = (1,), 1

    streaming.partial_fit(X[59:], Trains())
    assert short_ways[-1] is False
    assert_same_model(streaming, Perceptron().partial_fit(X, Y))


@pytest.fixture
def streaming():
    return Perceptron().partial_fit(X[:40], Y[:40]).partial_fit(X[40:41], Y[40:41])


def test_short_and_long_ways_mix(streaming, short_ways):
    streaming.partial_fit(X[41:42], Y[41:42])
    streaming.partial_fit(X[42:50], Y[42:50])
    streaming.partial_fit(X[50:51], Y[50:51], sample_weight=[1.0])
    streaming.partial_fit(X[51:52], Y[51:52]).predict(X)
    for i in range(52, 60):
        streaming.partial_fit(X[i : i + 1], Y[i : i + 1])
    assert short_ways.count(True) == 10
    assert_same_model(streaming, Perceptron().partial_fit(X, Y))


@pytest.mark.parametrize(
    ("row", "label", "says"),
    [
        (np.array([[1.0, np.nan, 0, 0, 0]]), [1], "NaN"),
        ([[1.0, 2.0, 3.0, 4.0, float("inf")]], [1], "infinity"),
        (np.ones((1, 4)), [1], "features"),
        (np.ones(5), [1], "1D array"),
        (sparse.csr_array([[1.0, np.nan, 0, 0, 0]]), [1], "NaN in column 1"),
        (sparse.csc_array([[1.0, np.inf, 0, 0, 0]]), [1], "infinity in column 1"),
        (sparse.csr_array(np.ones((1, 4))), [1], "features"),
        (sparse.csr_array(np.ones((2, 5))), [1], "inconsistent"),
        (None, [1], "2D array"),
        (np.ones((1, 5)), None, "requires y"),
        (np.ones((1, 5)), [None], "no label"),
        (np.ones((1, 5)), [1, -1], "inconsistent"),
        (np.ones((1, 5)), ["spam"], "text"),
    ],
)
def test_what_the_long_way_refuses_is_refused(streaming, row, label, says):
    before = streaming.coef_.copy(), streaming.n_visits_
    with pytest.raises(ValueError, match=says):
        streaming.partial_fit(row, label)
    np.testing.assert_array_equal(streaming.coef_, before[0])
    assert streaming.n_visits_ == before[1]
    streaming.partial_fit(X[41:42], Y[41:42])
    assert streaming.n_visits_ == before[1] + 1


def test_numbers_that_overflow_are_refused_as_by_the_long_way(streaming):
    streaming.partial_fit(np.full((1, 5), 1e200), [-int(streaming.predict(np.full((1, 5), 1e200))[0])])
    before = streaming.coef_.copy()
    with pytest.raises(ValueError, match="overflow"):
        streaming.partial_fit(np.full((1, 5), 1e200), [1])
    np.testing.assert_array_equal(streaming.coef_, before)


def test_a_new_label_gets_a_plane(streaming, short_ways):
    streaming.partial_fit(X[41:42], [7]).partial_fit(X[42:43], Y[42:43])
    assert streaming.classes_.tolist() == [-1, 1, 7]
    assert short_ways == [False, False]


def test_a_changed_parameter_counts_at_once(streaming, short_ways):
    other = pickle.loads(pickle.dumps(streaming))
    streaming.set_params(eta0=0.25).partial_fit(X[41:42], -Y[41:42])
    other.eta0 = 0.25
    other.partial_fit(X[41:42], -Y[41:42], sample_weight=[1.0])
    assert_same_model(streaming, other)
    assert short_ways == [False]
    streaming.class_weight = {1: 2.0}
    streaming.partial_fit(X[42:43], Y[42:43])
    streaming.class_weight = None
    streaming.multi_class = "joint"
    streaming.partial_fit(X[42:43], Y[42:43])
    assert short_ways == [False] * 3


def test_a_column_of_labels_is_warned_of(streaming):
    with pytest.warns(DataConversionWarning):
        streaming.partial_fit(X[41:42], Y[41:42].reshape(1, 1))


def test_an_array_is_refused_by_a_model_that_knows_names():
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = Perceptron().partial_fit(frame, Y).partial_fit(frame[:1], Y[:1])
    with pytest.warns(UserWarning, match="feature names"):
        model.partial_fit(X[:1], Y[:1])


def test_predictions_follow_each_row(streaming):
    twin = Perceptron().partial_fit(X[:41], Y[:41])
    for i in range(41, 60):
        streaming.partial_fit(X[i : i + 1], Y[i : i + 1])
        twin.partial_fit(X[i : i + 1], Y[i : i + 1], sample_weight=[1.0])
        np.testing.assert_array_equal(streaming.decision_function(X), twin.decision_function(X))


@pytest.mark.parametrize("duplicate", [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy])
def test_a_copy_goes_on_by_itself(streaming, duplicate):
    twin, before = duplicate(streaming), streaming.coef_.copy()
    for i in range(41, 60):
        twin.partial_fit(X[i : i + 1], Y[i : i + 1])
    np.testing.assert_array_equal(streaming.coef_, before)
    assert_same_model(twin, Perceptron().partial_fit(X, Y))


def test_a_row_is_refused_while_another_thread_trains_the_model(streaming, monkeypatch):
    monkeypatch.setitem(one_trainer.trainers, id(streaming), (-1,))
    with pytest.raises(RuntimeError, match="is being trained in another thread"):
        streaming.partial_fit(X[41:42], Y[41:42])
