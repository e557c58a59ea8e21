"""Jeffreys' penalty for several classes together: the definition, R's brglm2, dense and sparse rows, and weights."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize

from rosenblatt import LogisticRegression
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.reference.jeffreys import jeffreys_objective, modified_score
from rosenblatt.solvers.newton import joint_jeffreys_objective as module
from rosenblatt.solvers.newton.joint_jeffreys_objective import JointJeffreysObjective

FIGURES = json.loads((Path(__file__).parent / "brglm2" / "figures.json").read_text())


def firth(**parameters):
    return LogisticRegression(penalty="jeffreys", **parameters)


def planes_of(model):
    """The planes relative to that of the first class, offsets last, as the definition has them."""
    planes = np.column_stack([model.coef_, model.intercept_])
    return (planes[1:] - planes[0]).tolist()


def design(rows, columns, seed, classes=3, separated=False):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    noise = 0 if separated else random.gumbel(size=(rows, classes))
    y = (X @ random.normal(size=(columns, classes)) + noise).argmax(axis=1)
    if not separated:
        y[:classes] = np.arange(classes)
    return X, np.unique(y, return_inverse=True)[1]


def objective(X, y, weights=None, offset=1.0):
    problem = whole_problem(y.astype(np.int32), int(y.max()) + 1)
    return JointJeffreysObjective(as_rows(X), problem, "logistic", np.inf, weights, False, offset)


@pytest.mark.parametrize("name", ["alligators", "mtcars_gears"])
def test_estimates_are_those_of_brmultinom(name):
    """The figures are R's; `brglm2/make_figures.R` makes them. The default for several classes is to train jointly."""
    data = FIGURES[name]
    model = firth().fit(np.array(data["X"]), np.array(data["y"], int), sample_weight=data["weights"])
    found = np.array(planes_of(model))
    np.testing.assert_allclose(np.column_stack([found[:, -1], found[:, :-1]]), data["coefficients"], rtol=1e-8)
    assert model.status_.reason == "gradient"


@pytest.mark.parametrize("separated", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_is_that_of_the_definition(seed, separated, weighted):
    X, y = design(16, 2, seed, separated=separated)
    weights = np.random.default_rng(seed).uniform(0.5, 3, 16).tolist() if weighted else None
    model = firth().fit(X, y, sample_weight=weights)
    assert np.abs(modified_score(X.tolist(), y.tolist(), planes_of(model), weights)).max() < 1e-8
    value = jeffreys_objective(X.tolist(), y.tolist(), planes_of(model), weights)
    assert model.objective_ == pytest.approx(value, rel=1e-9)
    assert model.gradient_norm_ < 1e-10
    assert np.abs(model.coef_.sum(axis=0)).max() < 1e-9  # the planes add up to 0
    assert abs(model.intercept_.sum()) < 1e-9


def test_no_other_planes_have_a_lower_objective():
    X, y = design(14, 1, 7)
    model = firth().fit(X, y)
    found = minimize(
        lambda z: jeffreys_objective(X.tolist(), y.tolist(), z.reshape(2, 2).tolist()), np.zeros(4), method="BFGS"
    )
    assert model.objective_ == pytest.approx(found.fun, rel=1e-7)
    np.testing.assert_allclose(np.ravel(planes_of(model)), found.x, atol=1e-3)


def test_an_intercept_alone_adds_half_a_row_to_each_class():
    """The saturated model: Jeffreys' prior of K shares is Dirichlet with 1/2 for each."""
    y = [0, 0, 0, 0, 0, 1, 1, 2]
    model = firth().fit(np.zeros((8, 1)), y)
    np.testing.assert_allclose(model.predict_proba([[0.0]])[0], np.array([5.5, 2.5, 1.5]) / 9.5, rtol=1e-9)


def test_a_whole_weight_is_that_many_rows():
    X, y = design(25, 2, 0)
    weights = np.random.default_rng(0).integers(1, 4, 25)
    weighted = firth().fit(X, y, sample_weight=weights)
    repeated = firth().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(planes_of(weighted), planes_of(repeated), atol=1e-9)
    assert weighted.objective_ == pytest.approx(repeated.objective_)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_rows_and_float32_train_the_same_model(fit_intercept):
    X, y = design(80, 3, 1, classes=4)
    X[np.abs(X) < 0.7] = 0
    dense = firth(fit_intercept=fit_intercept).fit(X, y)
    thin = firth(fit_intercept=fit_intercept).fit(sparse.csr_matrix(X), y)
    short = firth(fit_intercept=fit_intercept).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(planes_of(thin), planes_of(dense), atol=1e-9)
    np.testing.assert_allclose(planes_of(short), planes_of(dense), atol=1e-5)


def test_neither_the_order_of_the_classes_nor_the_units_matter():
    X, y = design(40, 2, 2)
    model = firth().fit(X, y)
    other = firth(intercept_scaling=7.0).fit(X * [1e3, 1e-3] + [5, 0], 2 - y)
    np.testing.assert_allclose(other.coef_[::-1] * [1e3, 1e-3], model.coef_, rtol=1e-6)
    assert other.objective_ == pytest.approx(model.objective_, rel=1e-9)


def test_steps_with_and_without_the_whole_hessian_end_at_the_same_weights(monkeypatch):
    X, y = design(40, 2, 3)
    whole = firth().fit(X, y)
    monkeypatch.setattr(module, "MAX_NUMBERS", 0)
    held = firth().fit(X, y)
    np.testing.assert_allclose(planes_of(held), planes_of(whole), rtol=1e-7)
    assert whole.n_iter_[0] < held.n_iter_[0]


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 30)])
@pytest.mark.parametrize("offset", [2.0, 0.0])
def test_derivatives_are_those_of_the_objective(weights, offset):
    X, y = design(30, 2, 4)
    goal, step, planes = objective(X, y, weights, offset), 1e-5, 3
    z = np.random.default_rng(0).normal(size=9) * ([1.0] * 6 + [float(offset > 0)] * 3)
    used = np.eye(9)[: 9 if offset else 6]
    slopes = [(goal.at(z + step * d).value - goal.at(z - step * d).value) / (2 * step) for d in used]
    np.testing.assert_allclose(goal.gradient(goal.at(z))[: len(used)], slopes, atol=1e-7)
    places = [k for k in goal._places if k < planes * 2 or offset]
    bends = [
        (goal.gradient(goal.at(z + step * d)) - goal.gradient(goal.at(z - step * d)))[places] / (2 * step)
        for d in np.eye(9)[places]
    ]
    whole = goal._placed(goal.whole_hessian(goal.at(z)))[np.ix_(places, places)]
    np.testing.assert_allclose(whole, bends, atol=1e-6)


def test_numbers_at_a_time_do_not_matter(monkeypatch):
    X, y = design(40, 3, 5)
    z = np.linspace(-1, 1, 12)
    lengths = objective(X, y).at(z).lengths
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 240)
    np.testing.assert_allclose(objective(X, y).at(z).lengths, lengths)


def test_the_same_bits_with_one_thread_and_two():
    X, y = design(3000, 4, 6)
    one, two = firth(n_jobs=1).fit(X, y), firth(n_jobs=2).fit(X, y)
    assert one.coef_.tobytes() == two.coef_.tobytes()


def test_another_start_ends_at_the_same_planes():
    X, y = design(40, 2, 8)
    model = firth(warm_start=True, max_iter=200).fit(X, y)
    first = planes_of(model)
    again = model.fit(X, y)
    np.testing.assert_allclose(planes_of(again), first, atol=1e-9)
    assert again.n_iter_[0] <= 1


def test_collinear_columns_are_named():
    X, y = design(30, 2, 9)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "sum": X.sum(axis=1)})
    with pytest.raises(ValueError, match="column 'sum' is a combination of column 'a' and column 'b'"):
        firth().fit(table, y)
    with pytest.raises(ValueError, match="4 rows cannot determine 6 weights"):
        firth().fit(np.random.default_rng(0).normal(size=(4, 5)), [0, 1, 2, 1])
