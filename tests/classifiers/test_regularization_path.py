"""The path over penalties: every point is an optimum, and the next is found from it."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearSVM, LogisticRegression, Perceptron, regularization_path

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
CS = [0.01, 0.1, 1.0]


@pytest.mark.parametrize(
    "model", [LogisticRegression(tol=1e-8), LinearSVM(loss="squared-hinge", tol=1e-8), LinearSVM(tol=1e-8)], ids=repr
)
def test_every_point_is_the_optimum_for_its_penalty(model):
    path = regularization_path(X, Y, model, CS[::-1])
    assert path.C.tolist() == CS
    for k, C in enumerate(CS):
        alone = type(model)(**{**model.get_params(), "C": C}).fit(X, Y)
        assert path.objective[k] == pytest.approx(alone.objective_, rel=1e-6)
        np.testing.assert_allclose(path.coef[k], alone.coef_, atol=1e-3)
        assert path.mistakes[k] == alone.status_.mistakes == path.status[k].mistakes
    assert model.C is None
    assert not hasattr(model, "coef_")


def test_a_path_costs_less_than_its_points():
    Cs = np.logspace(-2, 2, 20)
    alone = sum(LogisticRegression(C=C).fit(X, Y).n_visits_ for C in Cs)
    assert regularization_path(X, Y, "logistic", Cs).visits.sum() < 0.8 * alone


def test_shapes_for_several_classes_and_weights():
    wine, y = load_wine(return_X_y=True)
    wine = StandardScaler().fit_transform(wine)
    path = regularization_path(wine, y, LogisticRegression(), Cs=CS, sample_weight=np.full(len(y), 2.0))
    assert (path.coef.shape, path.intercept.shape, len(path.status)) == ((3, 3, 13), (3, 3), 3)
    twice = LogisticRegression(C=2 * CS[-1]).fit(wine, y)
    np.testing.assert_allclose(path.coef[-1], twice.coef_, atol=1e-3)
    assert path.classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("model", "Cs", "sentence"),
    [
        ("ridge", CS, "model must be a classifier or one of 'logistic', 'hinge', 'squared-hinge', not 'ridge'"),
        (Perceptron(), CS, "model must be a LogisticRegression or LinearSVM with a penalty"),
        (LogisticRegression(penalty=None), CS, "model must be a LogisticRegression or LinearSVM with a penalty"),
        ("hinge", [1.0, 0.0], "Cs must be a finite number above 0, not 0.0"),
        ("hinge", [], "Cs is empty"),
    ],
)
def test_what_makes_no_path_is_refused(model, Cs, sentence):
    with pytest.raises(ValueError, match=sentence):
        regularization_path(X, Y, model, Cs)
