"""Samples of rows that precondition Newton's method, and the damping of its Hessian."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import LogisticRegression, _core
from rosenblatt.engine.class_problems import ClassProblem
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.parts.recipe import Recipe
from rosenblatt.solvers.newton.newton_step import next_damping
from rosenblatt.solvers.newton.preconditioner import Preconditioner
from rosenblatt.solvers.newton.row_sample import draw
from rosenblatt.solvers.newton.rows_objective import RowsObjective

sizes = st.integers(1, 60)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=200), sizes)
def test_rows_are_drawn_once_and_stand_for_all(importance, size):
    rows, counts = draw(np.array(importance), size)
    assert len(np.unique(rows)) == len(rows) <= size
    assert (rows < len(importance)).all()
    assert (counts >= 1).all()


def test_counts_have_the_sum_of_all_rows_on_average():
    rng = np.random.default_rng(0)
    estimates = []
    for _ in range(300):
        importance = rng.permutation(np.repeat([0.01, 1.0, 50.0], 100))
        rows, counts = draw(importance, 60)
        estimates.append(counts @ importance[rows] / importance.sum())
    assert np.mean(estimates) == pytest.approx(1, abs=0.02)


def test_squares_of_rows_agree_with_numpy():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((50, 7)).astype(np.float32)
    scale, found = rng.random(8), np.empty(50)
    problem = _core.Problem(as_rows(X), np.ones(50), None, None, Recipe(loss="logistic").native(), 2)
    _core.scaled_squares(problem, scale, found)
    np.testing.assert_allclose(found, X.astype(float) ** 2 @ scale[:-1] + scale[-1])


def rare_column_problem():
    """Three classes, and a column that is 0 in all rows but three, where it is large."""
    rng = np.random.default_rng(2)
    X, codes = rng.standard_normal((6000, 40)), rng.integers(0, 3, 6000).astype(np.int32)
    X[:, 7] = 0
    X[[100, 2001, 5555], 7] = 70.0
    return RowsObjective(as_rows(X), ClassProblem(slice(0, 3), None, None, codes), "logistic", 1.0)


def test_the_rows_of_a_rare_column_are_drawn():
    objective = rare_column_problem()
    assert objective.sample_size < objective.rows.count
    zero = objective.at_zero()
    sample = objective.sample(zero, objective.hessian_diagonal(zero))
    assert {100, 2001, 5555} <= set(sample["rows"].tolist())


def test_a_preconditioner_has_at_least_the_diagonal_of_all_rows():
    objective = rare_column_problem()
    probabilities = np.random.default_rng(3).dirichlet(np.ones(3), 6000).ravel()
    made = Preconditioner.at(objective, replace(objective.at_zero(), curvature=probabilities))
    assert made.diagonal is not None
    for plane in range(3):
        unit = np.zeros(objective.size)
        unit[plane * 40 + 7], unit[((plane + 1) % 3) * 40 + 7] = 1.0, -1.0  # no shift of all planes alike
        along = unit @ made.inverse(unit)
        assert along <= 2 / made.diagonal[[plane * 40 + 7, ((plane + 1) % 3) * 40 + 7]].min() * (1 + 1e-9)


@given(st.floats(0, 1), st.booleans(), st.floats(-1, 3))
def test_damping_stays_within_its_range_and_follows_the_last_step(damping, full_step, reliability):
    after = next_damping(damping, full_step, reliability)
    assert 0 <= after <= 1
    assert after >= damping if not full_step or reliability < 0.5 else after <= damping


def test_a_damped_iterate_bounds_the_curvature_from_above():
    """diag(p) - p p' is concave in p, so a mixture has at least its share of the curvature of p."""
    objective = rare_column_problem()
    rng = np.random.default_rng(4)
    p, damping = rng.dirichlet(np.full(3, 0.2)), 0.3
    mixed = objective.damped(replace(objective.at_zero(), curvature=p), damping).curvature
    assert mixed.sum() == pytest.approx(1)
    excess = (np.diag(mixed) - np.outer(mixed, mixed)) - (1 - damping) * (np.diag(p) - np.outer(p, p))
    assert np.linalg.eigvalsh(excess).min() >= -1e-12


def test_nearly_separated_rows_with_rare_columns_take_few_passes():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((4000, 60)) * (rng.random((4000, 60)) < np.linspace(0.002, 0.5, 60))
    X /= X.std(axis=0) + 1e-9
    y = (X @ rng.standard_normal((60, 8))).argmax(axis=1)
    model = LogisticRegression(multi_class="joint", C=10.0, tol=1e-4).fit(X, y)
    assert model.status_.reason == "gradient"
    assert model.n_iter_ <= 20
