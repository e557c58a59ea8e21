"""Rounds towards nearest points: what each is asked for, and what ends them. The rounds themselves are told."""

from types import SimpleNamespace

import numpy as np
import pytest
from test_nearest_points import refuse, signed_rows

from rosenblatt.prove.margin import alternating, augmented_lagrangian
from rosenblatt.prove.margin.alternating import solve_alternating
from rosenblatt.prove.margin.augmented_lagrangian import FactoredSystem, solve_augmented_lagrangian
from rosenblatt.prove.time_limit import Clock

ROWS, SIDES = signed_rows(0)


class ToldGaps:
    """The best proposal, whose gap after each update is told."""

    gaps: list[float]
    upper = 1.0

    def __init__(self, system, alpha, sigma=0.0):
        self.proposal = SimpleNamespace(gap=np.inf, alpha=alpha, sigma=sigma)
        self.left = iter(self.gaps)

    def update_with(self, u, alpha, sigma=0.0):
        self.proposal.gap, self.proposal.sigma = next(self.left, self.proposal.gap), sigma


@pytest.fixture
def told(monkeypatch):
    for module in (alternating, augmented_lagrangian):
        monkeypatch.setattr(module, "BestProposal", ToldGaps)
    monkeypatch.setattr(ToldGaps, "upper", 1.0)

    def tell(*gaps):
        monkeypatch.setattr(ToldGaps, "gaps", gaps, raising=False)

    return tell


# The augmented Lagrangian


@pytest.fixture
def rounds(monkeypatch):
    """The sigma and the precision of each round, which leaves u and alpha as they are."""
    asked = []

    def minimise(system, u, alpha, sigma, precision):
        asked.append((sigma, precision))
        return u, alpha

    monkeypatch.setattr(augmented_lagrangian, "_minimise", minimise)
    return asked


def test_sigma_grows_fourfold_and_precision_follows_the_gap(told, rounds):
    """A tenth at first, then a tenth of the gap, and 1e-10 at least."""
    told(5.0, 0.5, 0.01, 1e-12, -1.0)
    found = solve_augmented_lagrangian(FactoredSystem(ROWS, SIDES), 0.0, Clock(None), None)
    sigmas, precisions = zip(*rounds, strict=True)
    assert sigmas == (10.0, 40.0, 160.0, 640.0, 2560.0)
    assert precisions == pytest.approx((0.1, 0.1, 0.05, 0.001, 1e-10))
    assert found.sigma == 2560.0


def test_rounds_end_with_the_gap_that_is_asked_for(told, rounds):
    told(0.3, 0.2, 0.1)
    solve_augmented_lagrangian(FactoredSystem(ROWS, SIDES), 0.2, Clock(None), None)
    assert len(rounds) == 3


def test_rounds_end_where_rounding_exceeds_the_changes(told, rounds):
    """10 times 4^19 is the largest sigma up to 1e13."""
    told(0.3)
    solve_augmented_lagrangian(FactoredSystem(ROWS, SIDES), 0.2, Clock(None), None)
    assert [sigma for sigma, _ in rounds] == [10.0 * 4.0**k for k in range(20)]


@pytest.mark.parametrize(("upper", "count"), [(0.9e-10, 1), (1.1e-10, 20)])
def test_rounds_end_where_the_hulls_touch(told, rounds, monkeypatch, upper, count):
    told(0.3)
    monkeypatch.setattr(ToldGaps, "upper", upper)
    solve_augmented_lagrangian(FactoredSystem(ROWS, SIDES), 0.2, Clock(None), None)
    assert len(rounds) == count


@pytest.mark.parametrize("lost", ["finite", "balance"])
def test_rounds_end_where_floats_are_lost(told, monkeypatch, lost):
    made = []

    def minimise(system, u, alpha, sigma, precision):
        made.append(sigma)
        return (np.full_like(u, np.nan), alpha) if lost == "finite" else (u, np.where(SIDES == 1, alpha, 0.0))

    monkeypatch.setattr(augmented_lagrangian, "_minimise", minimise)
    told(0.3)
    found = solve_augmented_lagrangian(FactoredSystem(ROWS, SIDES), 0.0, Clock(None), None)
    assert (made, found.gap) == ([10.0], np.inf)


def test_weights_are_polished_once_half_of_the_gap_is_closed(told, rounds):
    """Polishing aims at a tenth of the gap, or at the tolerance if that is more."""
    asked = []

    class Polishing(FactoredSystem):
        can_polish = True

        def polish(self, alpha, gap, size, clock):
            asked.append((gap, size))
            return alpha

    told(0.5, 0.4, 0.3, 0.2, 0.001)
    solve_augmented_lagrangian(Polishing(ROWS, SIDES), 0.03, Clock(None), None)
    assert asked == [(pytest.approx(0.04), 1.0), (0.03, 1.0)]
    assert len(rounds) == 3


# Alternations


class ToldDescent:
    """Coordinate descent that leaves the weights as they are, and notes how long it was asked to run."""

    passes: list[int]
    restarts: list[int]

    def __init__(self, system):
        self.count = system.rows.shape[0]

    def weights(self, passes, clock):
        self.passes.append(passes)
        return np.ones(self.count)

    def restart_from(self, alpha, u):
        self.restarts.append(len(self.passes))


class ToldSystem(FactoredSystem):
    """Rows whose polishing changes nothing, and notes the gap that it aims at."""

    def __init__(self, rows, sides):
        super().__init__(rows, sides)
        self.rows, self.aims = rows, []

    def polish(self, alpha, gap, size, clock):
        self.aims.append(gap)
        return alpha


@pytest.fixture
def descent(monkeypatch):
    monkeypatch.setattr(ToldDescent, "passes", [], raising=False)
    monkeypatch.setattr(ToldDescent, "restarts", [], raising=False)
    monkeypatch.setattr(alternating, "_CoordinateDescent", ToldDescent)
    return ToldDescent


def test_alternations_without_gain_are_longer_and_longer(told, descent):
    """60 passes at first, 10 after a gain, and twice as many after each of three alternations without gain."""
    told(1.0, 1.0, 0.5, 0.5, 0.46, 0.455, 0.455, 0.455, 0.455, 0.455)
    system = ToldSystem(ROWS, SIDES)
    solve_alternating(system, 0.0, Clock(None), None)
    assert descent.passes == [60, 10, 10, 20, 40]
    assert system.aims == pytest.approx([1 / 30, 0.5 / 30, 0.46 / 30, 0.455 / 30, 0.455 / 30])


def test_a_gain_starts_the_count_of_idle_alternations_anew(told, descent):
    told(1.0, 1.0, 0.95, 0.95, 0.95, 0.95, 0.5, 0.5, 0.5)
    solve_alternating(ToldSystem(ROWS, SIDES), 0.0, Clock(None), None)
    assert descent.passes == [60, 10, 20, 40, 10, 20, 40]


@pytest.mark.parametrize(("gap", "aim"), [(3.0, 1 / 30), (0.9, 0.03), (0.3, 0.02)])
def test_polishing_aims_at_a_part_of_the_gap_and_not_below_the_tolerance(told, descent, gap, aim):
    told(gap, 0.001)
    system = ToldSystem(ROWS, SIDES)
    solve_alternating(system, 0.02, Clock(None), None)
    assert system.aims == pytest.approx([aim])


@pytest.mark.parametrize(("gaps", "polished"), [((0.019,), 0), ((0.02, 0.019), 1), ((0.03, 0.02, 0.019), 1)])
def test_alternations_end_with_the_gap_that_is_asked_for(told, descent, gaps, polished):
    told(*gaps)
    system = ToldSystem(ROWS, SIDES)
    found = solve_alternating(system, 0.02, Clock(None), None)
    assert (len(system.aims), found.gap) == (polished, 0.019)


@pytest.mark.parametrize(("after", "restarts"), [(0.89, [1]), (0.9, []), (0.95, [])])
def test_descent_goes_on_from_polished_weights_that_are_better_by_a_tenth(told, descent, after, restarts):
    told(1.0, after, 0.0)
    solve_alternating(ToldSystem(ROWS, SIDES), 0.001, Clock(None), None)
    assert descent.restarts == restarts


def test_a_start_is_where_descent_begins(told, descent, monkeypatch):
    """Without one, all rows of a class weigh alike."""
    begun = []
    monkeypatch.setattr(ToldDescent, "restart_from", lambda self, alpha, u: begun.append(alpha.tolist()))
    told(0.0)
    start = SimpleNamespace(alpha=np.where(np.arange(30) < 2, 0.5, 0.0))
    found = solve_alternating(ToldSystem(ROWS, SIDES), 0.5, Clock(None), start)
    assert begun == [start.alpha.tolist()]
    assert found.alpha is start.alpha
    assert solve_alternating(ToldSystem(ROWS, SIDES), 0.5, Clock(None), None).alpha.tolist() == [1 / 30] * 30
    assert len(begun) == 1


@pytest.mark.parametrize("lost", ["finite", "balance"])
def test_alternations_end_where_descent_is_lost(told, descent, monkeypatch, lost):
    told(0.5)
    weights = np.full(30, np.inf) if lost == "finite" else np.where(SIDES == 1, 1.0, 0.0)
    monkeypatch.setattr(ToldDescent, "weights", lambda self, passes, clock: weights)
    monkeypatch.setattr(ToldSystem, "polish", refuse)
    assert solve_alternating(ToldSystem(ROWS, SIDES), 0.1, Clock(None), None).gap == np.inf
