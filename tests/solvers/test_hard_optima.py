"""Hard inputs of the optimum: separated classes, odd scales, numbers too large, rows that say nothing."""

import math

import numpy as np
import pytest
from optimum_problems import SMOOTH, overlapping, solve
from scipy import sparse

from rosenblatt import LogisticRegression, separability
from rosenblatt.foundation.errors import TooLarge
from rosenblatt.solvers.newton import smooth_objective


def judged(X, signs):
    return solve(np.array(X, float), np.array(signs, np.int8), C=math.inf, judge=lambda: separability(X, signs).kind)


def test_separation_is_reported():
    complete = judged([[1.0], [2.0], [3.0]], [-1, -1, 1])
    assert complete.reason == "separated"
    quasi = judged([[1.0], [2.0], [3.0], [3.0]], [-1, -1, 1, -1])
    assert quasi.reason == "separated"
    assert quasi.separation == "quasi"
    overlap = judged([[1.0], [2.0], [3.0], [2.5]], [-1, 1, -1, 1])
    assert overlap.reason == "gradient"


def test_a_category_of_one_class_only_is_separation():
    rng = np.random.default_rng(7)
    category, noise = rng.integers(0, 4, 400), rng.standard_normal(400)
    X = np.column_stack([np.eye(4)[category], noise])
    signs = rng.choice([-1, 1], 400)
    signs[category == 2] = 1
    found = judged(X, signs)
    assert found.reason == "separated"
    assert found.separation == "quasi"
    signs[np.flatnonzero(category == 2)[0]] = -1
    assert judged(X, signs).reason == "gradient"


def test_without_penalty_far_but_finite_optima_are_reached():
    X = np.array([[0.0], [1.0]] * 500)
    signs = np.where(X[:, 0] > 0, 1, -1)
    signs[:2] *= -1
    found = judged(X, signs)
    assert found.reason == "gradient"
    assert found.coef[0, 0] == pytest.approx(2 * np.log(499), rel=1e-6)


HARD = {
    "all zeros": np.zeros((20, 3)),
    "a constant column": np.column_stack([np.ones(20), np.arange(20.0), np.zeros(20)]),
    "scales 1e-12 and 1e12": np.random.default_rng(8).standard_normal((20, 3)) * [1e-12, 1, 1e12],
    "more columns than rows": np.random.default_rng(9).standard_normal((20, 50)),
    "copies of a column": np.repeat(np.random.default_rng(10).standard_normal((20, 1)), 4, axis=1),
}


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("name", HARD)
def test_hard_inputs_end_with_a_small_gradient(loss, name):
    X, signs = HARD[name], np.random.default_rng(11).choice([-1, 1], 20).astype(np.int8)
    found = solve(X, signs, loss, tol=1e-6)
    assert found.reason == "gradient", found
    assert np.isfinite(found.coef).all()


@pytest.mark.parametrize("columns", [6, 650])
@pytest.mark.parametrize("loss", SMOOTH)
def test_columns_of_large_numbers_do_not_hide_the_others(loss, columns):
    random = np.random.default_rng(0)
    X = random.standard_normal((60, columns))
    signs = np.where(X.sum(axis=1) > 0, 1, -1).astype(np.int8)
    X *= np.logspace(3, -3, columns)
    found, best = solve(X, signs, loss, C=1e3, tol=1e-6), solve(X, signs, loss, C=1e3, tol=1e-14)
    assert found.reason == "gradient"
    assert found.objective <= best.objective * (1 + 1e-6)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("C", [1e300, 1e-160])
def test_a_gradient_whose_square_is_no_number_is_measured_too(loss, C):
    X, signs = overlapping(60, 4)
    found = solve(X, signs, loss, C=C, tol=1e-6)
    assert 0 < found.gradient_norm <= 1e-6
    assert found.steps > 0


@pytest.mark.parametrize("columns", [4, 650])
@pytest.mark.parametrize("loss", SMOOTH)
def test_numbers_too_large_to_multiply_are_refused(loss, columns):
    X, signs = overlapping(60, columns)
    with pytest.raises(TooLarge):
        solve(X * 1e200, signs, loss)


@pytest.mark.filterwarnings("ignore:LogisticRegression. gradient at:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("columns", [[[1.0, 0.0], [-1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]])
def test_rows_that_say_nothing_about_balanced_classes_end_at_the_start(columns):
    """The gradient is a rounding error there, and the product of its conjugate gradients is 0."""
    X, y = np.array(columns * 3), np.array([0, 0, 1, 1, 2, 2])
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3, atol=1e-9)


@pytest.mark.parametrize("columns", [700, 1990])
def test_few_sparse_values_are_not_worth_a_factor(columns, monkeypatch):
    rng = np.random.default_rng(3)
    X = sparse.random(200, columns, 10 / columns, "csr", random_state=3)
    signs = np.where(X @ rng.normal(size=columns) > 0, 1, -1).astype(np.int8)
    objective = smooth_objective.SmoothObjective
    chosen, plain = [], objective.samples_hessian.fget
    monkeypatch.setattr(objective, "samples_hessian", property(lambda self: chosen.append(plain(self)) or chosen[-1]))
    found = solve(X, signs, tol=1e-10)
    assert chosen
    assert not any(chosen)
    monkeypatch.setattr(smooth_objective, "MAX_FACTOR_ROUNDS", np.inf)
    other = solve(X, signs, tol=1e-10)
    assert chosen[-1]
    assert found.objective == pytest.approx(other.objective, rel=1e-12)
