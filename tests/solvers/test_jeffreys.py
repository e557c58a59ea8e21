"""Jeffreys' penalty: the optimum of the definition, R's brglm2, dense and sparse rows, weights, and refusals."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LinearSVM, LogisticRegression, fit
from rosenblatt.engine.class_problems import whole_problem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.reference.jeffreys import jeffreys_objective, modified_score
from rosenblatt.solvers.newton import jeffreys_objective as module
from rosenblatt.solvers.newton.jeffreys_objective import JeffreysObjective
from rosenblatt.tables.cache import storage

FIGURES = json.loads((Path(__file__).parent / "brglm2" / "figures.json").read_text())
TWO_CLASSES = ["endometrial", "lizards", "mtcars", "infert", "birthwt"]


def firth(**parameters):
    return LogisticRegression(penalty="jeffreys", **parameters)


def plane(model):
    return [[*model.coef_[0].tolist(), float(model.intercept_[0])]]


def design(rows, columns, seed, separated=False):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    y = (X[:, 0] + (0 if separated else 1) * random.logistic(size=rows) > 0).astype(int)
    y[:2] = [0, 1] if not separated else y[:2]
    return X, y


def objective(X, y, weights=None, offset=1.0):
    return JeffreysObjective(
        as_rows(X), whole_problem(y.astype(np.int32), 2), "logistic", np.inf, weights, False, offset
    )


@pytest.mark.parametrize("name", TWO_CLASSES)
def test_estimates_are_those_of_brglm2(name):
    """The figures are R's; `brglm2/make_figures.R` makes them. endometrial and mtcars are separated."""
    data = FIGURES[name]
    model = firth().fit(np.array(data["X"]), np.array(data["y"], int), sample_weight=data["weights"])
    np.testing.assert_allclose([*model.intercept_, *model.coef_[0]], data["coefficients"], rtol=1e-8, atol=1e-9)
    assert model.status_.reason == "gradient"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("separated", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_is_that_of_the_definition(seed, separated, weighted):
    X, y = design(12, 2, seed, separated)
    weights = np.random.default_rng(seed).uniform(0.5, 3, 12).tolist() if weighted else None
    model = firth().fit(X, y, sample_weight=weights)
    assert np.abs(modified_score(X.tolist(), y.tolist(), plane(model), weights)).max() < 1e-8
    assert model.objective_ == pytest.approx(
        jeffreys_objective(X.tolist(), y.tolist(), plane(model), weights), rel=1e-9
    )
    assert model.gradient_norm_ < 1e-10


def test_a_whole_weight_is_that_many_rows():
    X, y = design(20, 3, 0)
    weights = np.random.default_rng(0).integers(1, 4, 20)
    weighted = firth().fit(X, y, sample_weight=weights)
    repeated = firth().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(plane(weighted), plane(repeated), atol=1e-9)
    np.testing.assert_allclose(weighted.objective_, repeated.objective_)


def test_class_weights_multiply_sample_weights():
    X, y = design(30, 3, 0)
    by_class = firth(class_weight={0: 1.0, 1: 2.5}).fit(X, y)
    by_row = firth().fit(X, y, sample_weight=np.where(y, 2.5, 1.0))
    np.testing.assert_allclose(plane(by_class), plane(by_row), atol=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_sparse_rows_and_float32_train_the_same_model(fit_intercept):
    X, y = design(60, 4, 1)
    X[np.abs(X) < 0.7] = 0
    dense = firth(fit_intercept=fit_intercept).fit(X, y)
    thin = firth(fit_intercept=fit_intercept).fit(sparse.csr_matrix(X), y)
    short = firth(fit_intercept=fit_intercept).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(plane(thin), plane(dense), atol=1e-10)
    np.testing.assert_allclose(plane(short), plane(dense), atol=1e-5)


def test_estimates_follow_a_change_of_units():
    """The penalty does not depend on how the same columns are written, unlike 1/2 ||w||^2."""
    X, y = design(40, 3, 2)
    model, other = firth().fit(X, y), firth(intercept_scaling=7.0).fit(X * [1, 1e3, 1e-3] + [0, 5, 0], y)
    np.testing.assert_allclose(other.coef_ * [1, 1e3, 1e-3], model.coef_, rtol=1e-6)
    np.testing.assert_allclose(other.objective_, model.objective_, rtol=1e-9)


def test_steps_with_and_without_the_whole_hessian_end_at_the_same_weights(monkeypatch):
    X, y = design(50, 3, 3)
    whole = firth().fit(X, y)
    monkeypatch.setattr(module, "MAX_PAIRS", 0)
    held = firth().fit(X, y)
    np.testing.assert_allclose(plane(held), plane(whole), rtol=1e-7)
    assert whole.n_iter_[0] < held.n_iter_[0]


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 30)])
@pytest.mark.parametrize("offset", [1.0, 2.0, 0.0])
def test_derivatives_are_those_of_the_objective(weights, offset):
    X, y = design(30, 3, 4)
    goal, z, step = objective(X, y, weights, offset), np.array([0.5, -1.0, 0.3, 0.2 if offset else 0.0]), 1e-5
    used = np.eye(4)[: 4 if offset else 3]
    slopes = [(goal.at(z + step * d).value - goal.at(z - step * d).value) / (2 * step) for d in used]
    np.testing.assert_allclose(goal.gradient(goal.at(z))[: len(used)], slopes, atol=1e-7)
    bends = [(goal.gradient(goal.at(z + step * d)) - goal.gradient(goal.at(z - step * d))) / (2 * step) for d in used]
    lower = np.tril(goal.whole_hessian(goal.at(z)))
    np.testing.assert_allclose((lower + np.tril(lower, -1).T)[: len(used)], bends, atol=1e-6)


@pytest.mark.parametrize("density", [1.0, 0.7, 0.2])
@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 2, 45)])
def test_leverages_are_the_diagonal_of_the_hat_matrix(density, weights):
    """45 rows are two panels of 16 and a rest; rows less than half full go another way."""
    X, y = design(45, 7, 5)
    X[np.random.default_rng(0).random(X.shape) > density] = 0
    goal = objective(X if density == 1 else sparse.csr_matrix(X), y, weights, 2.0)
    place = goal.at(np.linspace(-1, 1, 8))
    rows = np.column_stack([X, np.full(45, 2.0)]) * np.sqrt(place.curvature)[:, None]
    hat = rows @ np.linalg.inv(rows.T @ rows) @ rows.T
    np.testing.assert_allclose(goal.leverages(place), np.diagonal(hat), atol=1e-12)
    assert goal.leverages(place).sum() == pytest.approx(8)
    np.testing.assert_allclose(place.inverse.T @ place.inverse, np.linalg.inv(rows.T @ rows), atol=1e-12)


def test_an_intercept_alone_adds_half_a_row_to_each_class():
    """The best known case: log((successes + 1/2) / (failures + 1/2))."""
    model = firth().fit(np.zeros((7, 1)), [0, 0, 0, 0, 0, 0, 1])
    assert model.intercept_[0] == pytest.approx(np.log(1.5 / 6.5))


def test_the_same_bits_with_one_thread_and_two():
    X, y = design(3000, 8, 6)
    one, two = firth(n_jobs=1).fit(X, y), firth(n_jobs=2).fit(X, y)
    assert one.coef_.tobytes() == two.coef_.tobytes()


def test_classes_against_the_rest():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X.argmax(axis=1) + (X.sum(axis=1) > 1)
    model = firth(multi_class="ovr").fit(X, y)
    alone = firth().fit(X, y == 1)
    np.testing.assert_allclose(model.coef_[1], alone.coef_[0], atol=1e-9)


def test_an_interrupted_run_tells_the_objective_of_its_weights():
    X = np.random.default_rng(0).normal(size=(30, 2))
    y = np.arange(30) % 3
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        model = firth(multi_class="ovr", max_seconds=1e-9).fit(X, y)
    planes = np.column_stack([model.coef_, model.intercept_]).tolist()
    values = [jeffreys_objective(X.tolist(), (y == k).astype(int).tolist(), [planes[k]]) for k in range(3)]
    assert model.objective_ == pytest.approx(sum(values))


def test_a_wide_sparse_table_of_categories():
    random = np.random.default_rng(0)
    codes = np.concatenate([np.arange(300), random.integers(0, 300, 4000)])
    X = sparse.csr_matrix((np.ones(len(codes)), (np.arange(len(codes)), codes)))[:, 1:]
    y = random.integers(0, 2, len(codes))
    model = firth().fit(X, y)
    counts = np.bincount(codes, minlength=300), np.bincount(codes, y, minlength=300)
    odds = np.log((counts[1] + 0.5) / (counts[0] - counts[1] + 0.5))  # a saturated model, class by class
    np.testing.assert_allclose(model.intercept_[0], odds[0], atol=1e-8)
    np.testing.assert_allclose(model.coef_[0] + model.intercept_, odds[1:], atol=1e-8)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (firth(C=1.0), "C=1.0 does not go with penalty='jeffreys': this penalty has no strength to choose."),
        (firth(alpha=0.1), "alpha=0.1 does not go with penalty='jeffreys'"),
        (firth(solver="sgd"), "penalty='jeffreys' does not go with solver='sgd': it needs the leverage of every row"),
        (firth(solver="gd"), "penalty='jeffreys' does not go with solver='gd'"),
        (firth(penalize_intercept=True), "penalize_intercept=True does not go with penalty='jeffreys'"),
        (LinearSVM(penalty="jeffreys"), "loss='hinge': it is made for 'logistic'"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused(model, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(*design(10, 2, 0))


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (["a", "b", "a+b"], "column 'a\\+b' is a combination of column 'a' and column 'b': leave one of them out."),
        (["a", "one"], "column 'one' is constant, as the intercept is: leave it out, or set fit_intercept=False."),
        (["a", "1-a"], "column '1-a' is a combination of column 'a' and the intercept: leave one of them out."),
    ],
)
def test_collinear_columns_are_named(columns, sentence):
    a, b = design(20, 2, 0)[0].T
    known = {"a": a, "b": b, "a+b": a + b, "one": np.ones(20), "1-a": 1 - a}
    with pytest.raises(ValueError, match=sentence):
        firth().fit(pd.DataFrame({name: known[name] for name in columns}), design(20, 2, 0)[1])


def test_all_values_of_a_category_are_refused_with_the_formula_that_leaves_one_out():
    X, y = design(30, 1, 0)
    table = pd.DataFrame({"a": X[:, 0], "kind": np.resize(["x", "y", "z"], 30)})
    sentence = "column 'kind=z' is a combination of column 'kind=x', .* and the intercept: encode=True gives"
    with pytest.raises(ValueError, match=sentence):
        firth(encode=True).fit(table, y)
    model = fit(table.assign(y=y), formula="y ~ a + kind", penalty="jeffreys")
    assert np.isfinite(model.predict_proba(table)).all()


def test_fewer_rows_than_weights_are_refused():
    with pytest.raises(ValueError, match="4 rows cannot determine 6 weights: leave columns out"):
        firth().fit(np.random.default_rng(0).normal(size=(4, 5)), [0, 1, 0, 1])


def test_streams_are_refused():
    with pytest.raises(AttributeError) as refused:
        firth(solver="sgd").partial_fit([[1.0]], [1], classes=[0, 1])
    assert "partial_fit does not go with penalty='jeffreys'" in str(refused.value.__cause__)


def test_a_table_on_disk_trains_the_bits_of_one_in_memory(tmp_path, monkeypatch):
    """Every step is passes over the rows, which may be mapped from files."""
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "rows.csv"
    X, y = design(400, 2, 0)
    pd.DataFrame({"age": X[:, 0], "dose": X[:, 1], "ill": y}).to_csv(path, index=False)
    held = fit(path, target="ill", algorithm="logistic", penalty="jeffreys")[-1]
    monkeypatch.setattr(storage, "MEMORY_PER_ARROW_BYTE", 1 << 40)
    on_disk = fit(path, target="ill", algorithm="logistic", penalty="jeffreys")[-1]
    assert (tmp_path / "cache").exists()
    assert held.coef_.tobytes() == on_disk.coef_.tobytes()
    assert on_disk.gradient_norm_ < 1e-10


def test_executors_are_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{k * 7 % 40},{k % 2}\n" for k in range(40)))
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ValueError, match="penalty='jeffreys' cannot be trained on an executor"),
    ):
        fit(path, target="y", algorithm="logistic", penalty="jeffreys", executor=executor)


@pytest.mark.parametrize("size", [1e-160, 1e-200, 1e-300, 5e-324])
@pytest.mark.parametrize("penalty", [None, "jeffreys"])
def test_columns_whose_squares_underflow_are_named(penalty, size):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y = X[:, 0] + random.logistic(size=60) > 0
    fitted = LogisticRegression(penalty=penalty).fit(X * [1e-140, 1], y)  # not yet: the same model in another unit
    same = LogisticRegression(penalty=penalty).fit(X, y)
    np.testing.assert_allclose(fitted.coef_ * [1e-140, 1], same.coef_, rtol=1e-6)
    sentence = "column {} holds only numbers so small that their squares underflow: multiply it by a power of 10.$"
    tiny = np.column_stack([size * (X[:, 0] > 0), X[:, 1], np.zeros(60)])  # a column of 0 is not tiny
    with pytest.raises(ValueError, match=sentence.format("0")):
        LogisticRegression(penalty=penalty).fit(tiny, y)
    with pytest.raises(ValueError, match=sentence.format("'dose'")):
        LogisticRegression(penalty=penalty).fit(pd.DataFrame(tiny, columns=["dose", "age", "zero"]), y)
