"""Default steps: long enough to make progress, short enough to decrease the objective."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.foundation.errors import TooLarge
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.recipe import Recipe
from rosenblatt.solvers.defaults import batch_step, largest_eigenvalue, row_step


def lifted(X, constant):
    return np.column_stack([X, np.full(len(X), constant)])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("scales", [np.ones(6), 10.0 ** np.arange(6), np.array([1, 1, 1, 0, 0, 0])])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_largest_eigenvalue_is_found_from_below(form, scales, fit_intercept):
    random = np.random.default_rng(0)
    for _ in range(5):
        X, shares = random.normal(size=(200, 6)) * scales, random.dirichlet(np.ones(200))
        recipe = Recipe(loss="logistic", fit_intercept=fit_intercept, intercept_scaling=2.0)
        A = lifted(X, 2.0 if fit_intercept else 0.0)
        true = np.linalg.eigvalsh(A.T @ (shares[:, None] * A))[-1]
        assert 0.9 * true < largest_eigenvalue(as_rows(form(X)), shares, recipe, 1) < true * (1 + 1e-9)


@pytest.mark.parametrize("loss", [name for name, loss in LOSSES.items() if loss.curvature])
def test_a_step_of_all_rows_is_below_two_over_l(loss):
    X = np.random.default_rng(1).normal(size=(100, 8)) * 30
    A = lifted(X, 1.0)
    L = LOSSES[loss].curvature * np.linalg.eigvalsh(A.T @ A / 100)[-1] + 0.5
    step = batch_step(as_rows(X), np.full(100, 0.01), Recipe(loss=loss, alpha=0.5), False, 1)
    assert 1 / L <= step < 1.1 / L


def test_steps_of_rows_follow_the_scale_of_the_data():
    """Rows twice as long need weights half as large, so steps a quarter as long."""
    X = np.random.default_rng(2).normal(size=(100, 8))
    recipe = Recipe(loss="logistic", step="1/sqrt(t)", fit_intercept=False)
    assert row_step(as_rows(2 * X), None, recipe) == pytest.approx(row_step(as_rows(X), None, recipe) / 4)


def test_the_step_is_bounded_by_long_rows_and_the_penalty():
    rows = as_rows(np.array([[1.0]] * 99 + [[1e3]]))
    weights = np.ones(100)
    weights[-1] = 10.0
    recipe = Recipe(loss="squared-hinge", fit_intercept=False)
    assert row_step(rows, weights, recipe) * 2 * 1e6 * 10 <= 2
    assert row_step(rows, None, Recipe(loss="hinge", step="1/sqrt(t)", alpha=1e9)) <= 1e-9


def test_rows_of_zeros_have_a_step_and_rows_too_long_have_none():
    nothing = Recipe(loss="hinge", fit_intercept=False)
    assert row_step(as_rows(np.zeros((3, 2))), None, nothing) == 1.0
    assert batch_step(as_rows(np.zeros((3, 2))), np.full(3, 1 / 3), nothing, False, 1) == 1.0
    with pytest.raises(TooLarge):
        row_step(as_rows(np.full((2, 2), 1e200)), None, nothing)
    with pytest.raises(TooLarge):
        batch_step(as_rows(np.full((2, 2), 1e200)), np.full(2, 0.5), nothing, False, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_mean_and_longest(dtype, form, count):
    random = np.random.default_rng(count)
    X, weights = random.normal(size=(count, 4)).astype(dtype), random.uniform(size=count)
    X[0, 0] = 1e10
    lengths = (X.astype(float) ** 2).sum(axis=1) + 9
    rows = as_rows(form(X))
    assert rows.mean_and_longest(3.0, None, 1) == pytest.approx((lengths.mean(), lengths.max()))
    assert rows.mean_and_longest(3.0, weights, 2) == pytest.approx((lengths.mean(), (lengths * weights).max()))
    with pytest.raises(ValueError, match="as many weights"):
        rows.mean_and_longest(3.0, weights[1:], 1)
