"""Steps towards the nearest points of two hulls, held to their definitions."""

import numpy as np
import pytest
import scipy.sparse
from class_rows import signed_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.prove.margin import alternating, augmented_lagrangian
from rosenblatt.prove.margin.alternating import IterativeSystem
from rosenblatt.prove.margin.augmented_lagrangian import FactoredSystem, _active_rows, _first_multipliers, _minimise
from rosenblatt.prove.margin.margin_bounds import BestProposal, Proposal, balance_weights

SEEDS = st.integers(0, 10**6)


@settings(deadline=None)
@given(SEEDS, st.booleans())
def test_rows_are_active_if_they_push_or_are_the_next_of_their_class(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    base, sides = rng.integers(-3, 2, 9).astype(float), rng.permutation([1.0, -1.0] * 4 + [1.0])
    classes = [sides == 1, sides == -1] if fit_intercept else [np.ones(9, dtype=bool)]
    wanted = {row for row in range(9) if base[row] > 0}
    for members in classes:
        wanted |= {row for row in np.flatnonzero(members).tolist() if base[row] == max(base[members])}
    assert _active_rows(base, sides if fit_intercept else None).tolist() == sorted(wanted)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_multipliers_are_those_of_the_last_step(fit_intercept, monkeypatch):
    """alpha <- max(0, alpha + sigma V u), after as many steps as are allowed."""
    monkeypatch.setattr(augmented_lagrangian, "MAX_NEWTON_STEPS", 1)
    rows, sides = signed_rows(1, fit_intercept=fit_intercept)
    system = FactoredSystem(rows, sides)
    alpha = balance_weights(np.ones(30), sides)
    start = np.zeros(len(system.costs))
    u, pushed = _minimise(system, start, alpha, 10.0, 1e-9)
    assert np.abs(u - start).max() > 0
    np.testing.assert_allclose(pushed, np.maximum(alpha + 10.0 * system.times(u), 0.0))


def test_newtons_steps_end_where_the_gradient_is_0():
    """The gradient of ||w||^2 / 2 - rho + ||max(0, alpha + sigma V u)||^2 / (2 sigma), by differences."""
    rows, sides = signed_rows(2)
    system, sigma = FactoredSystem(rows, sides), 10.0
    alpha = balance_weights(np.ones(30), sides)

    def objective(u):
        pushed = np.maximum(alpha + sigma * system.times(u), 0.0)
        return system.costs @ (u * u) / 2 - u[-1] + pushed @ pushed / (2 * sigma)

    u, _ = _minimise(system, np.zeros(5), alpha, sigma, 1e-9)
    for direction in np.eye(5):
        assert objective(u + 1e-4 * direction) >= objective(u) - 1e-12
        assert objective(u - 1e-4 * direction) >= objective(u) - 1e-12


def test_the_first_multipliers_are_equal_or_those_of_the_start():
    rows, sides = signed_rows(3)
    system = FactoredSystem(rows, sides)
    equal, sigma = _first_multipliers(system, None)
    assert equal.tolist() == [1 / 30] * 30
    known = Proposal(np.arange(30.0), np.ones(3), sigma=64000.0)
    alpha, later = _first_multipliers(system, known)
    assert alpha is known.alpha
    assert sigma < later < known.sigma  # a few rounds back, and never before the first
    assert _first_multipliers(system, Proposal(np.arange(30.0), np.ones(3), sigma=0.0))[1] == sigma


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_columns_of_any_scale_take_as_few_rounds(fit_intercept, monkeypatch):
    """Conjugate gradients divide by the diagonal, so that the scale of a column hardly matters."""
    rounds, times = [], IterativeSystem.times

    def counted(system, u):
        rounds[-1] += 1
        return times(system, u)

    monkeypatch.setattr(IterativeSystem, "times", counted)
    rng = np.random.default_rng(4)
    rows, sides = signed_rows(4, 60, 8, fit_intercept=fit_intercept)
    slope = rng.standard_normal(9 + fit_intercept)
    for scale in (np.ones(8), 10.0 ** np.arange(-4, 4)):
        rounds.append(0)
        system = IterativeSystem(rows * scale, sides)
        step = system.newton(np.arange(60), 1e6, slope)
        v = np.column_stack([-rows * scale, *([-sides] if fit_intercept else []), np.ones(60)])
        left = (np.diag(system.costs) + 1e6 * v.T @ v) @ step + slope
        diagonal = system.costs + 1e6 * (v * v).sum(axis=0)
        assert left @ (left / diagonal) <= 0.011 * slope @ (slope / diagonal)
    assert rounds[1] <= rounds[0] + 8


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_descent_starts_anew_from_the_weights_it_is_given(form, fit_intercept):
    """Optimal weights stay what they are: alpha / ||w||^2 are the multipliers of margin 1."""
    rows, sides = np.array([[3.0, 1.0], [3.0, -1.0], [1.0, 0.0]]), np.array([1.0, 1.0, -1.0])
    rows = rows if fit_intercept else rows[[2, 2, 2]]
    alpha = balance_weights(np.array([1.0, 1.0, 2.0]), sides if fit_intercept else None)
    system = IterativeSystem(form(rows), sides if fit_intercept else None)
    descent = alternating._CoordinateDescent(system)
    w = np.asarray(alpha @ rows)
    b = -(rows[:2] @ w).mean() / 2 + (rows[2] @ w) / 2 if fit_intercept else None
    u = np.concatenate([w, [] if b is None else [b], [0.0]])
    descent.restart_from(alpha, u)
    np.testing.assert_allclose(descent._state.values(), alpha / (w @ w))


@pytest.mark.parametrize("kind", [FactoredSystem, IterativeSystem])
def test_the_gap_is_that_of_the_best_direction_and_the_best_weights(kind):
    """Two points at distance 2: the margin is 1. A slanted direction has less, uneven weights more."""
    system = kind(np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 4.0]]), np.array([1.0, -1.0, 1.0]))
    alpha = np.array([1.0, 1.0, 0.0])
    best = BestProposal(system, alpha)
    assert best.proposal.gap == np.inf
    best.update_with(np.array([3.0, 4.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0]), sigma=7.0)
    assert best.lower == pytest.approx(0.6)
    assert best.upper == pytest.approx(np.sqrt(2))  # half of (2, 2)
    assert best.proposal.gap == pytest.approx(1 - 0.6 / np.sqrt(2))
    assert best.proposal.sigma == 7.0
    best.update_with(np.array([2.0, 0.0, 0.0, 0.0]), alpha)
    assert (best.lower, best.upper) == (1.0, 1.0)
    assert best.proposal.w.tolist() == [2.0, 0.0]
    assert best.proposal.alpha.tolist() == [0.5, 0.5, 0.0]
    assert best.proposal.gap == 0.0
    best.update_with(np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0]))
    assert (best.lower, best.upper) == (1.0, 1.0)
    best.update_with(np.zeros(4), alpha)
    assert best.lower == 1.0
