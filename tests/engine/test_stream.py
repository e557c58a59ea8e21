"""Each row of a stream is scored by the weights that would be returned just before it is learned."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import KernelPerceptron, _core
from rosenblatt.engine.column_map import ColumnMap
from rosenblatt.engine.stream import Stream
from rosenblatt.foundation.errors import TooLarge
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.steps import SECOND_ORDER, STEPS
from rosenblatt.reference import Learner
from rosenblatt.reference.returned_scores import predict_and_learn

STREAMED = [keep for keep in KEEPS if keep != "vote"]  # which keeps all rows that moved w


def recipes():
    """Every loss, step and keep that goes together, with and without a penalty."""
    for loss, step, keep, alpha in itertools.product(LOSSES, STEPS, STREAMED, (0.0, 0.25)):
        try:
            yield Recipe(loss=loss, step=step, keep=keep, alpha=alpha, order="cyclic", eta0=0.5, C=0.25)
        except ValueError:
            continue


def name(recipe):
    return "-".join([recipe.loss, recipe.step, recipe.keep] + ["l2"] * (recipe.alpha > 0))


def start(recipe, columns, classes, multi_class="ovr"):
    stream = Stream(recipe, columns, multi_class, seed=0)
    stream.grow([], classes)
    return stream


def noisy(seed, rows, columns, classes):
    """Rows whose classes are often, but not always, the nearest of some centres."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, classes, rows).astype(np.int32)
    X = random.normal(0, 1, (rows, columns)) + 0.7 * random.normal(0, 1, (classes, columns))[codes]
    return np.where(random.random(X.shape) < 0.5, 0.0, X), codes


def row_by_row(stream, X, codes, weights=None):
    """The slow truth: score one row by the weights returned, learn it, and so on."""
    scores = []
    for i in range(len(codes)):
        row, weight = as_rows(X[i : i + 1]), None if weights is None else weights[i : i + 1]
        scores.append(_core.scores(stream.recipe.lifted(row), *stream.returned, 1)[0])
        stream.learn(row, codes[i : i + 1], weight, 1)
    return np.vstack(scores)


def states(stream):
    """Everything that the states hold, but how often they were called."""
    return [{key: value for key, value in state.__getstate__().items() if key != "passes"} for state in stream.states]


@pytest.mark.parametrize("recipe", list(recipes()), ids=name)
def test_every_row_is_scored_by_the_weights_returned_just_before_it(recipe):
    for classes, multi_class, form in ((2, "ovr", np.asarray), (3, "ovr", sparse.csr_matrix), (3, "joint", np.asarray)):
        if multi_class == "joint" and recipe.loss == "logistic":
            continue
        X, codes = noisy(classes, 60, 21, classes)
        fast, slow = (start(recipe, X.shape[1], classes, multi_class) for _ in range(2))
        weights = np.random.default_rng(0).uniform(0.5, 2.0, len(codes))
        scores = fast.predict_and_learn(as_rows(form(X)), codes, weights, 1)
        np.testing.assert_array_equal(scores, row_by_row(slow, form(X), codes, weights))
        np.testing.assert_equal(states(fast), states(slow))


@pytest.mark.parametrize("keep", STREAMED)
@pytest.mark.parametrize(("value", "index"), list(itertools.product((np.float64, np.float32), (np.int32, np.int64))))
def test_every_kind_of_row_gives_the_same_decisions(keep, value, index):
    random = np.random.default_rng(3)
    X = np.where(random.random((300, 70)) < 0.7, 0, random.integers(-3, 4, (300, 70))).astype(value)
    codes = random.integers(0, 4, 300).astype(np.int32)
    S = sparse.csr_matrix(X)
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    for multi_class in ("ovr", "joint"):
        found = []
        for rows in (X, S):
            fast, slow = (start(Recipe(keep=keep), X.shape[1], 4, multi_class) for _ in range(2))
            found.append(fast.predict_and_learn(as_rows(rows), codes, None, 1))
            np.testing.assert_array_equal(found[-1], row_by_row(slow, rows, codes))
        np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("keep", STREAMED)
@pytest.mark.parametrize(("loss", "step"), [("perceptron", "constant"), ("hinge", "constant"), ("hinge", "pa1")])
def test_scores_are_those_of_the_definition(keep, loss, step):
    """Small whole numbers, so that all sums of the last and the best weights are exact."""
    recipe = Recipe(loss=loss, step=step, keep=keep, order="cyclic", C=0.25)
    exact = step == "constant" and keep != "average"
    for planes, multi_class in ((1, "ovr"), (3, "joint")):
        random = np.random.default_rng(planes)
        X = random.integers(-3, 4, (150, 4)).astype(float)
        codes = random.integers(0, max(planes, 2), 150).astype(np.int32)
        y = codes if planes > 1 else 2 * codes - 1
        definition = Learner(X.tolist(), y.tolist(), recipe, planes, stream=True)
        expected = np.array(predict_and_learn(definition))
        for rows in (X, sparse.csr_matrix(X)):
            stream = start(recipe, 4, max(planes, 2), multi_class)
            scores = stream.predict_and_learn(as_rows(rows), codes, None, 1)
            np.testing.assert_allclose(scores, expected, rtol=0, atol=0 if exact else 1e-9)
            assert (stream.n_mistakes, stream.n_updates) == (definition.mistakes, definition.updates) or not exact


def test_a_batch_is_scored_before_it_is_learned():
    X, codes = noisy(0, 40, 5, 2)
    stream = start(Recipe(order="batch"), 5, 2)
    for _ in range(3):
        expected = _core.scores(as_rows(X), *stream.returned, 1)[0]
        np.testing.assert_array_equal(stream.predict_and_learn(as_rows(X), codes, None, 1), expected)


def test_lifted_rows_are_scored_before_they_are_learned():
    X, codes = noisy(1, 50, 3, 2)
    for recipe in (Recipe(features="polynomial-2", keep="average"), Recipe(features="fourier-20")):
        columns = recipe.lifted(as_rows(X)).columns
        for form in (np.asarray, sparse.csr_matrix):
            fast, slow = (start(recipe, columns, 2) for _ in range(2))
            scores = fast.predict_and_learn(as_rows(form(X)), codes, None, 1)
            np.testing.assert_array_equal(scores, row_by_row(slow, form(X), codes))


@pytest.mark.parametrize("keep", STREAMED)
def test_rows_of_a_kernel_are_scored_before_they_are_learned(keep):
    X, codes = noisy(2, 60, 3, 3)
    slow = KernelPerceptron(gamma=0.5, keep=keep, random_state=0).partial_fit(X[:20], codes[:20])
    stream = slow._learned.with_room_for(X[20:], 100.0)
    scores = stream.predict_and_learn(as_rows(X[20:]), codes[20:], None, 1)
    for i in range(20, 60):
        np.testing.assert_allclose(scores[i - 20], slow.decision_function(X[i : i + 1])[0], atol=1e-12)
        slow.partial_fit(X[i : i + 1], codes[i : i + 1])
    np.testing.assert_allclose(stream.coef, slow._learned.coef, atol=1e-12)


def test_other_rows_can_be_scored_than_those_learned():
    X, codes = noisy(4, 50, 6, 2)
    fast, slow = (start(Recipe(keep="average"), 6, 2) for _ in range(2))
    scores = fast.predict_and_learn(as_rows(np.clip(X, -1, 1)), codes, None, 1, as_rows(X))
    for i in range(len(X)):
        np.testing.assert_array_equal(scores[i : i + 1], _core.scores(as_rows(X[i : i + 1]), *slow.returned, 1)[0])
        slow.learn(as_rows(np.clip(X[i : i + 1], -1, 1)), codes[i : i + 1], None, 1)
    for wrong in (X[:-1], X[:, :-1]):
        with pytest.raises(ValueError, match="differ in shape"):
            fast.predict_and_learn(as_rows(X), codes, None, 1, as_rows(wrong.copy()))


def test_rows_that_overflow_leave_the_stream_as_it_was():
    X, codes = noisy(5, 50, 6, 3)
    stream = start(Recipe(), 6, 3)
    stream.predict_and_learn(as_rows(X), codes, None, 1)
    before = stream.coef.copy()
    X[30] = np.inf
    with pytest.raises(TooLarge):
        stream.predict_and_learn(as_rows(X), codes, None, 1)
    np.testing.assert_array_equal(stream.coef, before)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("step", SECOND_ORDER)
def test_a_covariance_follows_its_columns(step, classes):
    """Columns in another order and unit, and a new one without values, change no score that follows."""
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((60, 4)), rng.integers(0, classes, 60).astype(np.int32)
    plain, moved = (Stream(Recipe(loss="hinge", step=step), 4, "joint", 0) for _ in range(2))
    for stream in (plain, moved):
        stream.grow([], classes)
        stream.learn(as_rows(X[:30]), codes[:30], None, 1)
    places, factors = np.array([2, 0, -1, 3, 1]), np.array([4.0, 0.5, 1.0, 1.0, 2.0])
    moved.remap(ColumnMap(places, factors))
    rows = np.where(places >= 0, X[:, places] / factors, 0.0)
    scores = plain.predict_and_learn(as_rows(X[30:]), codes[30:], None, 1)
    np.testing.assert_allclose(moved.predict_and_learn(as_rows(rows[30:]), codes[30:], None, 1), scores, rtol=1e-9)


@pytest.mark.parametrize("step", SECOND_ORDER)
def test_new_classes_begin_with_the_covariance_of_the_start(step):
    rng = np.random.default_rng(0)
    X, codes = rng.standard_normal((60, 4)), rng.integers(0, 3, 60).astype(np.int32)
    stream = Stream(Recipe(loss="hinge", step=step), 4, "joint", 0)
    stream.grow([], 3)
    stream.learn(as_rows(X), codes, None, 1)
    stream.grow([0, 1, 2], 4)
    each = stream.states[0].__getstate__()["covariance"].reshape(4, -1)
    assert (each[:3] != each[3]).any(axis=1).all()
    np.testing.assert_array_equal(each[3], np.ones(5) if step == "diagonal" else np.eye(5).reshape(-1))
