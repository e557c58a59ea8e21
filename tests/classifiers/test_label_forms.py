"""Forms of several labels, in fit and in streams, whose labels may come later."""

import numpy as np
import pytest
from label_rows import FORMS, LISTS, NAMES, X, Y, alone
from sklearn.base import clone

from rosenblatt import AveragedPerceptron, KernelPerceptron, LogisticRegression, Perceptron, load, save

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def part(y, rows):
    return y.iloc[rows] if hasattr(y, "iloc") else y[rows]


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_several_labels(form, tmp_path):
    y, expected = FORMS[form], AveragedPerceptron(random_state=0).fit(X, Y)
    model = AveragedPerceptron(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.score(X, y) == expected.score(X, Y) == np.mean((expected.predict(X) == Y).all(axis=1))
    assert model.decision_function(X).shape == (80, 3)
    texts = ("lists", "tuples", "sets", "series", "polars series")
    named = form in (*texts, "whole numbers")
    names = dict.fromkeys(("data frame", "polars frame"), NAMES[::-1].tolist()) | dict.fromkeys(texts, NAMES.tolist())
    assert model.classes_.tolist() == names.get(form, [0, 1, 2])
    answer, matrix = model.predict(X), expected.predict(X)
    if named:
        assert answer == [tuple(model.classes_[has].tolist()) for has in matrix.astype(bool)]
    else:
        np.testing.assert_array_equal(answer, matrix)
        assert answer.dtype == np.int64
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.multilabel_
    assert again.classes_.tolist() == model.classes_.tolist()
    assert str(again.predict(X)) == str(answer)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "model", [AveragedPerceptron(), LogisticRegression(solver="sgd", alpha=0.01, eta0=0.1)], ids=repr
)
def test_streams_of_several_labels(form, model, tmp_path):
    y = FORMS[form]
    stream, seen = clone(model).set_params(random_state=0), clone(model).set_params(random_state=0)
    for begin in range(0, 80, 20):
        rows = slice(begin, begin + 20)
        stream.partial_fit(X[rows], part(y, rows))
        seen.partial_fit(X[rows], Y[rows, 1], classes=[0, 1])
    np.testing.assert_array_equal(stream.coef_[1], seen.coef_[0])
    save(stream, tmp_path / "model")
    again = load(tmp_path / "model").partial_fit(X, y)
    np.testing.assert_array_equal(again.coef_, stream.partial_fit(X, y).coef_)
    assert "3 planes, one a label" in stream.status_


def test_labels_of_a_stream_may_come_later():
    stream = Perceptron(random_state=0).partial_fit(X[:1], [["red"]], classes=["blue", "red"])
    assert stream.multilabel_
    assert stream.predict(X[:1]) == [("red",)]
    stream.partial_fit(X[1:2], [["red"]]).partial_fit(X[2:4], [[], ["amber", "blue"]])
    assert stream.classes_.tolist() == ["amber", "blue", "red"]
    one = Perceptron(random_state=0)
    for rows, red in (([0], [1]), ([1], [1]), ([2, 3], [0, 0])):
        one.partial_fit(X[rows], red, classes=[0, 1])
    np.testing.assert_array_equal(stream.coef_[2], one.coef_[0])
    named = Perceptron(random_state=0).partial_fit(X, Y, classes=NAMES)
    assert named.classes_.tolist() == NAMES.tolist()
    with pytest.raises(ValueError, match=r"y has 2 columns, but 3 labels are known"):
        named.partial_fit(X, Y[:, :2])


def test_a_stream_goes_on_from_a_fit():
    model = Perceptron(max_iter=5, random_state=0)
    going_on = clone(model).fit(X, Y).partial_fit(X, Y)
    for k in range(3):
        np.testing.assert_array_equal(going_on.coef_[k], alone(model, k).partial_fit(X, Y[:, k]).coef_[0])
    kernel = KernelPerceptron(max_iter=3, random_state=0).fit(X, LISTS)
    assert kernel.partial_fit(X, LISTS).dual_coef_.shape[0] == 3


def test_warm_start_goes_on_from_each_plane():
    model = Perceptron(max_iter=3, warm_start=True, random_state=0).fit(X, Y)
    again = clone(model).fit(X, Y).fit(X, Y)
    for k in range(3):
        np.testing.assert_array_equal(again.coef_[k], alone(model, k).fit(X, Y[:, k]).coef_[0])
    with pytest.raises(ValueError, match="warm_start needs the columns and classes"):
        model.fit(X, (Y[:, 0] + Y[:, 1]))


def test_a_stream_keeps_its_form():
    matrix, lists, plain = (Perceptron(random_state=0).partial_fit(X, y) for y in (Y, LISTS, Y[:, 0]))
    for model, other in ((matrix, LISTS), (lists, Y), (matrix, Y[:, 0]), (plain, Y), (plain, LISTS)):
        with pytest.raises(ValueError, match="as this Perceptron has learned them: call fit to begin anew"):
            model.partial_fit(X, other)
    with pytest.raises(ValueError, match="which partial_fit does not weigh"):
        Perceptron(class_weight="balanced").partial_fit(X, Y)
    with pytest.raises(ValueError, match="multi_class='joint' does not go with several labels"):
        Perceptron(multi_class="joint").partial_fit(X, Y)
