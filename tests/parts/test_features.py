"""Lifts: rows made when they are visited are the lifted matrix, for every classifier, and never stored."""

import itertools

import numpy as np
import pandas as pd
import pytest
from lifted_family import FAMILY, FORMS, XOR, XOR_Y, some_rows
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_circles
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt import (
    AveragedPerceptron,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    PocketPerceptron,
    Polynomial,
    RandomFourier,
    _core,
    audit,
    load,
    margins,
    reference,
    save,
    signed_distance,
)
from rosenblatt.engine.train import train
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.features import as_features
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.stops import Stops

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# What a lift makes


LIFTS = [Polynomial(2), Polynomial(3), RandomFourier(20, gamma=0.3)]


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("columns", [1, 2, 6])
@pytest.mark.parametrize("form", FORMS)
def test_monomials_are_those_of_scikit_learn_in_its_order(degree, columns, form):
    X = some_rows(d=columns, n=30)[0]
    peer = PolynomialFeatures(degree, include_bias=False)
    made = Polynomial(degree).transform(FORMS[form](X))
    assert sparse.issparse(made) == (form != "dense")
    expected = peer.fit_transform(X)
    np.testing.assert_array_equal(made.toarray() if form != "dense" else made, expected)
    assert Polynomial(degree).columns(columns) == expected.shape[1]
    names = [name.replace(" ", "*") for name in peer.get_feature_names_out([f"x{k + 1}" for k in range(columns)])]
    assert Polynomial(degree).named(columns) == names


def test_sparse_rows_make_products_of_stored_numbers_only():
    X = sparse.random(20, 50, density=0.1, format="csr", random_state=0)
    made, stored = Polynomial(3).transform(X), np.diff(X.indptr)
    np.testing.assert_array_equal(np.diff(made.indptr), (stored + 3) * (stored + 2) * (stored + 1) // 6 - 1)
    assert made.has_sorted_indices


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_columns_in_any_order_make_the_same_row(index, dtype):
    data, indices = np.array([5.0, 2.0, 3.0], dtype), np.array([3, 0, 2], index)
    X = sparse.csr_matrix((data, indices, np.array([0, 3], index)), shape=(1, 5))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    np.testing.assert_array_equal(Polynomial(3).transform(X).toarray(), Polynomial(3).transform(X.toarray()))


def test_narrow_rows_are_widened_before_they_are_multiplied():
    X = np.array([[0.1, 3.0]], np.float32)
    np.testing.assert_array_equal(Polynomial(2).transform(X), Polynomial(2).transform(X.astype(np.float64)))


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_cosines_of_sparse_rows_are_those_of_dense_ones(form):
    X = some_rows()[0]
    part = RandomFourier(33, gamma=0.7, random_state=5)
    np.testing.assert_array_equal(part.transform(FORMS[form](X)), part.transform(X))


def test_fourier_features_approach_the_gaussian_kernel_at_the_known_rate():
    """The error of the mean of D cosines has a standard deviation below 1 / sqrt(D), and falls as that does."""
    X, gamma = np.random.default_rng(0).standard_normal((40, 3)), 0.4
    kernel = np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    errors = []
    for size in (100, 1600, 25_600):
        squares = []
        for seed in range(10):
            Z = RandomFourier(size, gamma=gamma, random_state=seed).transform(X)
            squares.append(((Z @ Z.T - kernel) ** 2).mean())
        errors.append(np.sqrt(np.mean(squares) * size))
    assert max(errors) < 1.0
    assert max(errors) / min(errors) < 1.25


def test_frequencies_have_the_distribution_that_the_kernel_asks_for():
    """E cos(w.x) is exp(-gamma ||x||^2), E cos(2 w.x) is exp(-4 gamma ||x||^2): normal, not only of that variance."""
    Z = RandomFourier(200_000, gamma=0.25, random_state=3).transform([[0.0], [1.0], [2.0], [3.0]])
    for distance in (1, 2, 3):
        assert float(Z[0] @ Z[distance]) == pytest.approx(np.exp(-0.25 * distance**2), abs=5 / np.sqrt(200_000))


def test_seeds_differ_and_repeat():
    first, again, other = (RandomFourier(9, random_state=seed).transform(XOR) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.isclose(first, other).any(axis=0).all()


# Training on it


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("lift", LIFTS, ids=str)
@pytest.mark.parametrize("name", FAMILY)
def test_same_bits_as_training_on_the_matrix_written_out(name, lift, form, classes):
    X, y = some_rows(classes)
    X = FORMS[form](X)
    written = lift.transform(X)
    generated = clone(FAMILY[name]).set_params(features=lift, random_state=0).fit(X, y)
    stored = clone(FAMILY[name]).set_params(random_state=0).fit(written, y)
    np.testing.assert_array_equal(generated.coef_, stored.coef_)
    np.testing.assert_array_equal(generated.intercept_, stored.intercept_)
    np.testing.assert_array_equal(generated.decision_function(X), stored.decision_function(written))
    np.testing.assert_array_equal(generated.predict(X), stored.predict(written))
    assert generated.status_ == stored.status_
    assert generated.n_features_in_ == X.shape[1]
    assert generated.coef_.shape[1] == len(generated.get_feature_names_out()) == lift.columns(X.shape[1])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_the_core_agrees_with_the_reference(order, degree, form):
    random = np.random.default_rng(4)
    X, y = random.integers(-2, 3, (25, 3)).astype(float), random.choice([-1, 1], 25)
    recipe = Recipe(order=order, features=Polynomial(degree), stops=Stops(max_iter=15))
    expected = reference.train(X.tolist(), y.tolist(), recipe, seed=1)
    learned = train(as_rows(FORMS[form](X)), ((y + 1) // 2).astype(np.int32), 2, recipe, seed=1)
    assert [*learned.coef[0], learned.intercept[0]] == expected.returned()[0]
    assert (learned.n_updates, learned.n_mistakes) == (expected.updates, expected.mistakes)


@pytest.mark.parametrize("lift", LIFTS, ids=str)
@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_on_every_instruction_set_and_thread_count(lift, form, dtype):
    X, y = some_rows(n=3000)
    X, before, results = FORMS[form](X.astype(dtype)), _core.target(), set()
    try:
        for target, threads in itertools.product(_core.targets(), (1, 5)):
            _core.set_target(target)
            for model in (Perceptron(order="batch", max_iter=3), LogisticRegression(), LinearSVM(max_iter=5)):
                model.set_params(features=lift, n_jobs=threads).fit(X, y)
                results.add((type(model).__name__, model.coef_.tobytes(), model.decision_function(X).tobytes()))
    finally:
        _core.set_target(before)
    assert len(results) == 3


def test_exclusive_or_is_learned_with_products():
    plain = PocketPerceptron(random_state=0).fit(XOR, XOR_Y)
    lifted = Perceptron(features="polynomial-2", random_state=0).fit(XOR, XOR_Y)
    assert plain.status_.mistakes == 1
    assert lifted.status_.mistakes == 0
    weights = dict(zip(lifted.get_feature_names_out(), lifted.coef_[0], strict=True))
    assert weights["x1*x2"] < 0 < min(weights["x1"] + weights["x1^2"], weights["x2"] + weights["x2^2"])


def test_circles_are_separated_by_products_of_two():
    X, y = make_circles(400, noise=0.03, factor=0.5, random_state=0)
    model = Perceptron(features="polynomial-2", random_state=0).fit(X, y)
    assert model.status_.mistakes == 0
    assert model.score(X, y) == 1.0


def test_two_spirals_are_separated_by_cosines():
    turn = np.linspace(0.5, 3.0, 150) * np.pi
    arm = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)]) / turn.max()
    X, y = np.vstack([arm, -arm]), np.repeat([0, 1], 150)
    model = Perceptron(features=RandomFourier(500, gamma=10.0), order="working-set", random_state=0).fit(X, y)
    assert model.status_.mistakes == 0
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("lift", LIFTS, ids=str)
def test_streams_learn_as_they_would_from_lifted_rows(lift):
    X, y = some_rows(3)
    generated, stored = (AveragedPerceptron(features=features) for features in (lift, "identity"))
    written = lift.transform(X)
    for rows in (slice(0, 1), slice(1, 50), slice(50, 80)):
        generated.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
        stored.partial_fit(written[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_array_equal(generated.coef_, stored.coef_)
    assert generated.n_features_in_ == 4


def test_a_stream_goes_on_from_a_lifted_fit():
    X, y = some_rows()
    model = Perceptron(features="polynomial-2", max_iter=5, random_state=0).fit(X, y)
    visits = model.coef_.copy()
    model.partial_fit(X[:10], y[:10])
    assert model.coef_.shape == visits.shape


@pytest.mark.parametrize("features", ["polynomial-3", *LIFTS], ids=str)
@pytest.mark.parametrize("streamed", [False, True])
def test_saved_models_come_back_with_their_features(tmp_path, features, streamed):
    frame = pd.DataFrame(some_rows()[0], columns=list("abcd"))
    y = some_rows()[1]
    model = Perceptron(features=features, max_iter=5, random_state=0)
    model = model.partial_fit(frame, y) if streamed else model.fit(frame, y)
    save(model, tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again.features == features
    assert again.n_features_in_ == 4
    np.testing.assert_array_equal(again.decision_function(frame), model.decision_function(frame))
    assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    if streamed:
        for one in (again, model):
            one.partial_fit(frame[:7], y[:7])
        np.testing.assert_array_equal(again.coef_, model.coef_)


def test_names_are_those_of_the_columns():
    frame = pd.DataFrame(XOR, columns=["tall", "wide"])
    model = Perceptron(features="polynomial-2").fit(frame, XOR_Y)
    assert model.get_feature_names_out().tolist() == ["tall", "wide", "tall^2", "tall*wide", "wide^2"]
    assert Perceptron(max_iter=5).fit(frame, XOR_Y).get_feature_names_out().tolist() == ["tall", "wide"]
    with pytest.raises(ValueError, match="input_features must have 2 names, not 3"):
        model.get_feature_names_out(["a", "b", "c"])


def test_distances_and_audits_are_of_the_lifted_space():
    model = Perceptron(features="polynomial-2", order="cyclic").fit(XOR, XOR_Y, trace=True)
    lifted = as_features("polynomial-2").transform(XOR)
    score = lifted @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(signed_distance(model, XOR), score / np.linalg.norm(model.coef_))
    assert margins(model, XOR, XOR_Y).min() > 0
    report = audit(model, XOR, XOR_Y)
    assert report.ok
    assert report.mistakes == model.n_updates_


def test_degrees_are_chosen_by_cross_validation():
    X, y = make_circles(200, noise=0.05, factor=0.5, random_state=1)
    grid = {"features": ["identity", "polynomial-2", RandomFourier(50)]}
    search = GridSearchCV(LogisticRegression(), grid, cv=3).fit(X, y)
    assert search.best_params_["features"] != "identity"
    assert search.best_score_ > 0.98
