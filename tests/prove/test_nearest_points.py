"""The parts of the search for nearest points, each held to its definition, and how much work they do.

Exact arithmetic catches wrong proposals, so that answers do not show whether a part works. These tests do.
"""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
from class_rows import BOTH, signed_rows
from mistake_searches import CountingClock

from rosenblatt.prove.margin import alternating, augmented_lagrangian, nearest_points
from rosenblatt.prove.margin import max_margin as margins
from rosenblatt.prove.margin.alternating import IterativeSystem, solve_alternating
from rosenblatt.prove.margin.augmented_lagrangian import FactoredSystem, solve_augmented_lagrangian
from rosenblatt.prove.margin.class_hulls import ClassHulls
from rosenblatt.prove.margin.margin_bounds import (
    BestProposal,
    Proposal,
    balance_weights,
    is_balanceable,
    point_of_weights,
)
from rosenblatt.prove.time_limit import Clock

# Weights, and the point that they give


SYSTEMS = [FactoredSystem, IterativeSystem]


def refuse(*arguments):
    raise AssertionError("this is the slow way")


@pytest.mark.parametrize("kind", SYSTEMS)
@BOTH
def test_the_offset_of_weights_is_midway_between_the_rows_in_use(kind, fit_intercept):
    """V u = rho - a_i . w - y_i b has the mean 0 over the used rows of each class, and w is the weighted sum."""
    rows, sides = signed_rows(0, fit_intercept=fit_intercept)
    alpha = np.where(np.arange(30) % 5 < 2, np.arange(30.0), 0.0)
    alpha = balance_weights(alpha, sides)
    system = kind(rows, sides)
    u = point_of_weights(system, alpha)
    np.testing.assert_allclose(u[:3], alpha @ rows)
    distances = system.times(u)
    for side in (-1, 1) if fit_intercept else (0,):
        used = (alpha > 0) & (sides == side if fit_intercept else True)
        assert distances[used].mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kind", SYSTEMS)
@BOTH
def test_both_systems_multiply_by_the_same_matrix(kind, fit_intercept):
    rows, sides = signed_rows(1, fit_intercept=fit_intercept)
    offset = [] if sides is None else [-sides[:, None]]
    V = np.hstack([-rows, *offset, np.ones((30, 1))])
    system, rng = kind(rows, sides), np.random.default_rng(0)
    u, alpha = rng.standard_normal(V.shape[1]), rng.random(30)
    np.testing.assert_allclose(system.times(u), V @ u)
    np.testing.assert_allclose(system.pull(alpha), V.T @ alpha)
    assert system.costs.tolist() == [1.0] * 3 + [0.0] * (V.shape[1] - 3)


@pytest.mark.parametrize("sigma", [0.5, 1e3, 1e12])
@pytest.mark.parametrize("kind", SYSTEMS)
@BOTH
def test_newtons_step_solves_its_equations(kind, sigma, fit_intercept):
    rows, sides = signed_rows(2, fit_intercept=fit_intercept)
    system, active = kind(rows, sides), np.arange(4, 24)
    V = np.array([system.times(unit) for unit in np.eye(len(system.costs))]).T[active]
    hessian = np.diag(system.costs) + sigma * V.T @ V
    slope = np.random.default_rng(0).standard_normal(len(hessian))
    step = system.newton(active, sigma, slope)
    wanted = np.linalg.solve(hessian, -slope)
    error = step - wanted
    assert error @ hessian @ error <= 0.02 * wanted @ hessian @ wanted
    if kind is FactoredSystem:
        np.testing.assert_allclose(step, wanted, rtol=1e-3, atol=1e-9)


def test_the_best_weights_and_the_best_direction_are_kept():
    rows, sides = signed_rows(3)
    system = FactoredSystem(rows, sides)
    good = solve_augmented_lagrangian(system, 1e-8, Clock(None), None)
    even = balance_weights(np.ones(30), sides)
    best = BestProposal(system, even)
    best.update_with(point_of_weights(system, good.alpha), good.alpha)
    lower, upper = best.lower, best.upper
    best.update_with(point_of_weights(system, even), even)
    assert (best.lower, best.upper) == (lower, upper)
    np.testing.assert_allclose(best.proposal.alpha, good.alpha)
    assert best.proposal.gap == 1 - lower / upper < 1e-6


# Steps


def step_along(slopes, kinks, constant=-1.0):
    """The step for a slope that starts at `constant` and rises by `slopes` from each of the `kinks` on."""
    growth = np.sqrt(np.asarray(slopes, dtype=float))
    one = np.ones(1)
    length = augmented_lagrangian._step_length(
        0 * one, -constant * one, one, one, -growth * np.asarray(kinks, dtype=float), growth, growth
    )
    return length, constant + float((slopes * np.maximum(length - np.asarray(kinks), 0.0)).sum())


@pytest.mark.parametrize("seed", range(20))
def test_a_step_leaves_a_tenth_of_the_slope(seed):
    rng = np.random.default_rng(seed)
    length, left = step_along(10 ** rng.uniform(-2, 4, 5), rng.uniform(0, 2, 5))
    assert 0 < length <= 1
    assert left <= 0.1
    assert length == 1 or left >= -0.1


def test_a_step_ends_before_a_slope_that_rises_like_a_wall():
    length, left = step_along([1e20], [0.3])
    assert length == pytest.approx(0.3, abs=1e-11)
    assert left == -1.0


def test_no_step_is_made_uphill():
    assert step_along([1.0], [0.5], constant=0.5)[0] == 0.0


# Starts


class CountingSystem(FactoredSystem):
    """Counts the systems of equations that are solved."""

    solved = 0

    def newton(self, active, sigma, slope):
        self.solved += 1
        return super().newton(active, sigma, slope)


@BOTH
def test_a_known_solution_is_a_better_start_than_none(fit_intercept):
    rows, sides = signed_rows(4, 200, 6, fit_intercept=fit_intercept)
    first, again = CountingSystem(rows, sides), CountingSystem(rows, sides)
    found = solve_augmented_lagrangian(first, 1e-8, Clock(None), None)
    solve_augmented_lagrangian(again, 1e-8, Clock(None), found)
    assert again.solved < first.solved / 2


@BOTH
def test_a_wide_tolerance_takes_less_work(fit_intercept):
    rows, sides = signed_rows(4, 200, 6, fit_intercept=fit_intercept)
    systems = [CountingSystem(rows, sides) for _ in range(3)]
    for system, tolerance in zip(systems, (0.5, 1e-3, 1e-9), strict=True):
        assert solve_augmented_lagrangian(system, tolerance, Clock(None), None).gap < tolerance
    assert systems[0].solved < systems[1].solved < systems[2].solved


@BOTH
def test_weights_of_zero_are_no_start(fit_intercept):
    rows, sides = signed_rows(5, fit_intercept=fit_intercept)
    nothing = Proposal(np.zeros(30), np.zeros(3))
    found = solve_augmented_lagrangian(FactoredSystem(rows, sides), 1e-8, Clock(None), nothing)
    assert found.gap < 1e-8


def test_few_rows_of_many_columns_are_solved_in_the_space_that_they_span(monkeypatch):
    shapes = []

    class Recorded(FactoredSystem):
        def __init__(self, rows, sides):
            shapes.append(rows.shape)
            super().__init__(rows, sides)

    monkeypatch.setattr(nearest_points, "FactoredSystem", Recorded)
    monkeypatch.setattr(nearest_points, "solve_alternating", refuse)
    rows, sides = signed_rows(6, 20, 1300)
    found = nearest_points.solve_nearest_points(rows, sides, 1e-6, Clock(None))
    assert found.gap < 1e-6
    assert len(found.w) == 1300
    assert shapes == [(20, 20)]


# Alternations


class RecordedProposal(BestProposal):
    """Remembers the gap after each update: two in an alternation."""

    gaps: list[float]

    def update_with(self, *arguments):
        super().update_with(*arguments)
        self.gaps.append(self.proposal.gap)


@pytest.mark.parametrize("seed", range(3))
def test_alternations_end_when_they_gain_nothing(seed, monkeypatch):
    """They are asked for more than floats can reach."""
    monkeypatch.setattr(RecordedProposal, "gaps", [], raising=False)
    monkeypatch.setattr(alternating, "BestProposal", RecordedProposal)
    balanceable = []
    monkeypatch.setattr(
        alternating, "is_balanceable", lambda *weights: balanceable.append(is_balanceable(*weights)) or balanceable[-1]
    )
    rows, sides = signed_rows(seed, 40, 60)
    solve_alternating(IterativeSystem(rows, sides), 0.0, Clock(None), None)
    after = [np.inf, *RecordedProposal.gaps[1::2]]
    gained = [gap < alternating.MAX_GAP_LEFT * before for before, gap in pairwise(after)]
    idle = 0
    for gain in gained:
        assert idle < alternating.MAX_IDLE
        idle = 0 if gain else idle + 1
    # On some processors rounding leaves no weight on one side, and there is nothing to continue from.
    assert idle == alternating.MAX_IDLE or not balanceable[-1]


def test_coordinate_descent_goes_on_from_polished_weights_only_where_they_are_better(monkeypatch):
    monkeypatch.setattr(RecordedProposal, "gaps", [], raising=False)
    monkeypatch.setattr(alternating, "BestProposal", RecordedProposal)
    restarts, restart = [], alternating._CoordinateDescent.restart_from

    def counted(self, *arguments):
        restarts.append(len(RecordedProposal.gaps))
        restart(self, *arguments)

    monkeypatch.setattr(alternating._CoordinateDescent, "restart_from", counted)
    rows, sides = signed_rows(1, 40, 60)
    solve_alternating(IterativeSystem(rows, sides), 0.0, Clock(None), None)
    gaps = RecordedProposal.gaps
    better = [
        place + 2 for place in range(0, len(gaps) - 1, 2) if gaps[place + 1] < alternating.MAX_GAP_LEFT * gaps[place]
    ]
    assert restarts == better
    assert 0 < len(better) < len(gaps) / 2


@BOTH
def test_weights_that_are_optimal_are_not_polished_again(fit_intercept):
    rows, sides = signed_rows(7, fit_intercept=fit_intercept)
    system = IterativeSystem(rows, sides)
    found = solve_augmented_lagrangian(FactoredSystem(rows, sides), 1e-12, Clock(None), None)
    clock = CountingClock(10**6)
    polished = system.polish(found.alpha, 1e-3, np.linalg.norm(found.alpha @ rows), clock)
    np.testing.assert_allclose(polished, found.alpha, atol=1e-9)
    assert clock.asked == 1


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
@BOTH
def test_polished_weights_are_nearest_points_of_the_rows_in_use(form, fit_intercept):
    """The rows that carry the answer, with weights far from it: their affine hulls have the same nearest points."""
    rows, sides = signed_rows(8, fit_intercept=fit_intercept)
    system = FactoredSystem(rows, sides)
    found = solve_augmented_lagrangian(system, 1e-12, Clock(None), None)
    used = found.alpha > 1e-6
    spoiled = balance_weights(np.where(used, 1.0, 0.0), sides)
    size = np.linalg.norm(found.alpha @ rows)
    polished = IterativeSystem(form(rows), sides).polish(spoiled, 1e-9, size, Clock(None))
    assert np.linalg.norm(polished @ rows) == pytest.approx(size, rel=1e-6)
    assert np.linalg.norm(spoiled @ rows) > 1.001 * size


# The search as a whole


@pytest.mark.parametrize("scale", [1e-90, 1e-3, 1.0, 1e90])
@BOTH
def test_ordinary_rows_of_any_size_need_no_exact_arithmetic(scale, fit_intercept, monkeypatch):
    monkeypatch.setattr(margins, "exact_margin", refuse)
    monkeypatch.setattr(margins, "separability", refuse)
    rows, sides = signed_rows(9)
    found = margins.max_margin(scale * sides[:, None] * rows, sides, fit_intercept)
    assert 0 < found.margin <= found.upper
    assert found.gap < margins.MAX_GAP


@pytest.mark.parametrize("seed", range(6))
@BOTH
def test_many_rows_need_no_exact_arithmetic(seed, fit_intercept, monkeypatch):
    monkeypatch.setattr(margins, "exact_margin", refuse)
    monkeypatch.setattr(margins, "separability", refuse)
    rows, sides = signed_rows(seed, 2000, 4, 10.0**-seed)
    found = margins.max_margin(sides[:, None] * rows, sides, fit_intercept)
    assert found.gap < margins.MAX_GAP


def test_the_first_rows_that_overlap_end_the_search(monkeypatch):
    gaps, solve = [], margins.solve_nearest_points

    def recorded(*arguments):
        found = solve(*arguments)
        gaps.append(found.gap)
        return found

    monkeypatch.setattr(margins, "solve_nearest_points", recorded)
    X = np.random.default_rng(0).standard_normal((3000, 3))
    margins._solve_growing_set(ClassHulls(X, np.arange(3000) % 2, True, None), Clock(None))
    assert [gap < 1 for gap in gaps] == [True] * (len(gaps) - 1) + [False]


def test_weights_that_are_not_positive_prove_nothing():
    hulls = ClassHulls(np.array([[1.0], [-1.0]]), [1, 0], True, None)
    rows = np.arange(2)
    assert margins._upper_bound(hulls, rows, np.array([0.5, 0.5]), 1.0) == pytest.approx(1.0)
    assert margins._upper_bound(hulls, rows, np.array([1.0, -0.5]), 1.0) == np.inf
    assert margins._upper_bound(hulls, rows, np.array([np.nan, 0.5]), 1.0) == np.inf


def test_weights_with_a_wrong_sum_move_the_upper_bound():
    """Half of the right weights give half of the point, which may lie outside the hulls."""
    hulls = ClassHulls(np.array([[4.0], [-2.0]]), [1, 0], True, None)
    rows = np.arange(2)
    assert margins._upper_bound(hulls, rows, np.array([0.5, 0.5]), hulls.radius()) == pytest.approx(3.0)
    for alpha in ([0.25, 0.25], [0.5, 0.25], [0.25, 0.5]):
        assert margins._upper_bound(hulls, rows, np.array(alpha), hulls.radius()) >= 3.0
