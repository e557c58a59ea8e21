"""The path over penalties: every point is an optimum, and the next is found from it."""

import numpy as np
import pandas as pd
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


SPARSE = {
    "l1": LogisticRegression(penalty="l1"),
    "elastic net": LogisticRegression(penalty="elasticnet", l1_ratio=0.4),
    "squared hinge": LinearSVM(loss="squared-hinge", penalty="l1"),
    "penalised offset": LogisticRegression(penalty="l1", penalize_intercept=True),
    "no offset": LogisticRegression(penalty="l1", fit_intercept=False),
}


@pytest.mark.parametrize("name", SPARSE)
def test_a_path_begins_where_the_first_weight_leaves_0(name):
    model, weights = SPARSE[name], np.random.default_rng(0).uniform(0.2, 2, len(Y))
    path = regularization_path(X, Y, model, Cs=4, sample_weight=weights)
    np.testing.assert_allclose(path.C[1:] / path.C[:-1], 10)
    assert not path.coef[0].any()
    assert path.coef[1].any()
    assert (path.duality_gap < 1e-8).all()
    just_above = type(model)(**{**model.get_params(), "C": path.C[0] * (1 + 1e-4), "tol": 1e-12})
    just_above.fit(X, Y, sample_weight=weights)
    assert just_above.coef_.any() or just_above.intercept_.any()


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_a_path_of_several_classes_begins_where_the_first_of_them_moves(multi_class):
    wine, y = load_wine(return_X_y=True)
    wine = StandardScaler().fit_transform(wine)
    model = LogisticRegression(penalty="l1", multi_class=multi_class)
    path = regularization_path(wine, y, model, Cs=2)
    assert not path.coef[0].any()
    above = regularization_path(
        wine, y, LogisticRegression(penalty="l1", multi_class=multi_class, tol=1e-12), Cs=[path.C[0] * (1 + 1e-4)]
    )
    assert above.coef.any()


def test_columns_without_a_slope_have_a_path_of_zeros():
    path = regularization_path(np.ones((6, 2)), [0, 1] * 3, LogisticRegression(penalty="l1"), Cs=2)
    assert not path.coef.any()


def test_without_values_there_are_100():
    path = regularization_path(X[:60, :3], Y[:60], LogisticRegression(penalty="l1"))
    assert path.C.shape == path.duality_gap.shape == (100,)
    assert np.isnan(path.gradient_norm).all()
    square = regularization_path(X[:60, :3], Y[:60])
    assert (len(square.C), square.C[0], square.C[-1]) == (100, pytest.approx(1e-4), pytest.approx(1e4))
    assert np.isnan(square.duality_gap).all()
    assert (square.gradient_norm < 1e-6).all()


def test_the_columns_of_a_frame_keep_their_names():
    frame = pd.DataFrame(X[:, :2], columns=["radius", "texture"])
    assert regularization_path(frame, Y, Cs=1).names == ["radius", "texture"]
    lifted = regularization_path(frame, Y, LogisticRegression(features="polynomial-2"), Cs=1)
    assert len(lifted.names) == lifted.coef.shape[2] == 5
    assert regularization_path(X[:, :2], Y, Cs=1).names is None


@pytest.mark.parametrize(
    ("model", "Cs", "sentence"),
    [
        ("ridge", CS, "model must be a classifier or one of 'logistic', 'hinge', 'squared-hinge', not 'ridge'"),
        (Perceptron(), CS, "model must be a LogisticRegression or LinearSVM with a penalty"),
        (LogisticRegression(penalty=None), CS, "model must be a LogisticRegression or LinearSVM with a penalty"),
        ("hinge", [1.0, 0.0], "Cs must be a finite number above 0, not 0.0"),
        ("hinge", [], "Cs is empty"),
        ("hinge", "auto", "Cs must be a whole number of at least 1, not 'auto'"),
        (LogisticRegression(encode=True), CS, "^regularization_path, .* does not go with encode=True: encode the rows"),
        ("hinge", 0, "Cs must be a whole number of at least 1, not 0"),
        (LogisticRegression(penalty="jeffreys"), CS, "model must be a LogisticRegression or LinearSVM with a penalty"),
    ],
)
def test_what_makes_no_path_is_refused(model, Cs, sentence):
    with pytest.raises(ValueError, match=sentence):
        regularization_path(X, Y, model, Cs)


@pytest.mark.parametrize("model", [LogisticRegression(penalty="l1"), LinearSVM(penalty="l1")])
def test_constant_columns_move_no_weight_and_no_first_value(model):
    y = np.repeat([0, 1], [20, 30])
    path = regularization_path(np.full((50, 3), 0.1), y, model, Cs=3)
    assert path.C[0] == 1.0
    assert not path.coef.any()
