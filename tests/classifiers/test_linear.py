"""Laws of fit that hold for every linear classifier: weights of rows, warm starts, interrupted and repeated fits."""

import gc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from linear_laws import CLASSIFIERS, X, Y, assert_fails_and_changes_nothing, assert_same, fitted, overlapping
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import ALMA, AveragedPerceptron, PassiveAggressive, Perceptron, PocketPerceptron
from rosenblatt.engine.stream import Stream
from rosenblatt.parts.orders import WHOLE_PASSES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ORDERS = ["cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"]


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
