"""The bound of clashes that overlap: never above the minimum, at least that of disjoint clashes, and exact."""

from dataclasses import replace

import numpy as np
import pytest
from mistake_searches import CountingClock, bounds_after, by_brute_force, draw

from rosenblatt import minimum_mistakes
from rosenblatt.prove.exact.lifted_problem import make_problem
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.mistakes import overlapping_clashes
from rosenblatt.prove.mistakes.clash import immediate_clashes
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.mistakes.hyperplane_search import HyperplaneSearch, ProgressPrinter
from rosenblatt.prove.mistakes.overlapping_clashes import OverlappingClashes, ShareProgram
from rosenblatt.prove.time_limit import Clock


def bound_by_shares(X, y, fit_intercept=True):
    """The bound of the shares when no further clash enlarges it, with its clashes."""
    problem = make_problem(X, y, fit_intercept, None, "identity")
    rows = merge_rows(problem, range(problem.rows))
    clashes = immediate_clashes(problem, rows)
    if not rows.members:
        return len(clashes), clashes
    floats = HyperplaneSearch(problem, Clock(None), ProgressPrinter(0))._unit_rows(rows)
    shared = OverlappingClashes(problem, rows, floats, floats.sum(axis=0), Clock(None))
    packing = ClashPacking(problem, rows, floats, floats.sum(axis=0), Clock(None))
    packing.pack(len(floats), Clock(None))
    for found in packing.found:
        shared.add(found)
    for _ in range(60):
        shared.improve()
    assert shared.bound >= len(packing.found)
    return len(clashes) + shared.bound, clashes + shared.clashes()


@pytest.mark.parametrize("kind", ["grid", "line", "anywhere"])
@pytest.mark.parametrize(("columns", "most"), [(1, 9), (2, 11), (3, 9)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_bound_never_exceeds_the_minimum(kind, columns, most, fit_intercept):
    random = np.random.default_rng([columns, most, fit_intercept])
    for rows in [*range(2, most + 1), most, most, most]:
        X, y = draw(random, rows, columns, kind)
        bound, clashes = bound_by_shares(X, y, fit_intercept)
        assert bound <= by_brute_force(X, y, fit_intercept), (X.tolist(), y.tolist())
        trivial = minimum_mistakes(X, y, fit_intercept, time_limit=0)
        claimed = replace(trivial, clashes=clashes, lower_bound=bound)
        assert claimed.verify(X, y), claimed.why_not


@pytest.mark.parametrize("points", [5, 8, 11])
def test_overlapping_clashes_beat_disjoint_ones(points):
    """Labels that alternate on a line: every clash has three rows at least, so a third of the rows are disjoint."""
    X, y = np.arange(points)[:, None], np.arange(points) % 2
    bound, clashes = bound_by_shares(X, y)
    assert bound > points // 3
    assert bound <= minimum_mistakes(X, y).mistakes
    assert min(len(clash.rows) for clash in clashes) == 3


@pytest.mark.parametrize("copies", [2, 3])
def test_equal_rows_take_shares_in_turn(copies):
    X, y = np.repeat(np.arange(5), copies)[:, None], np.repeat(np.arange(5) % 2, copies)
    bound, clashes = bound_by_shares(X, y)
    assert bound > 5 * copies // 3 or 5 * copies % 3 == 0
    claimed = replace(minimum_mistakes(X, y, time_limit=0), clashes=clashes, lower_bound=bound)
    assert claimed.verify(X, y), claimed.why_not


def test_a_larger_bound_than_the_shares_is_refused():
    X, y = np.arange(5)[:, None], np.arange(5) % 2
    bound, clashes = bound_by_shares(X, y)
    claimed = replace(minimum_mistakes(X, y, time_limit=0), clashes=clashes, lower_bound=bound)
    for change, reason in [
        ({"clashes": [replace(clash, share=2 * clash.share) for clash in clashes]}, "add up to more than 1"),
        ({"clashes": [replace(clashes[0], share=-clashes[0].share), *clashes[1:]]}, "share above 0"),
        ({"clashes": clashes[:1]}, "clashes prove only 1"),
    ]:
        false = replace(claimed, **change)
        assert not false.verify(X, y)
        assert reason in false.why_not


def test_rounded_shares_keep_to_the_weights():
    random = np.random.default_rng(0)
    for _ in range(50):
        weights = random.integers(1, 4, 12)
        program = ShareProgram(weights, Clock(None))
        for _ in range(30):
            program.add(random.choice(12, int(random.integers(1, 5)), replace=False).tolist())
        assert program.solve()
        whole, denominator = program.exact_shares()
        used = np.zeros(12, dtype=np.int64)
        for clash, share in zip(program.clashes, whole, strict=True):
            used[clash] += share
        assert (used <= weights * denominator).all()
        assert -(-sum(whole) // denominator) == np.ceil(program.shares.sum() - 1e-6)


def test_the_clock_is_asked_between_clashes(monkeypatch):
    X, y = np.random.default_rng(0).standard_normal((60, 3)), np.arange(60) % 2
    problem = make_problem(X, y, True, None, "identity")
    rows, clock, asked = merge_rows(problem, range(60)), CountingClock(10**9), []
    floats = problem.floats(rows.rows)
    prove_clash = overlapping_clashes.prove_clash

    def watch_clash(*arguments):
        asked.append(clock.asked)
        return prove_clash(*arguments)

    monkeypatch.setattr(overlapping_clashes, "prove_clash", watch_clash)
    shared = OverlappingClashes(problem, rows, floats, floats.sum(axis=0), clock)
    for _ in range(20):
        shared.improve()
    assert len(asked) == 20
    assert (np.diff(asked) > 0).all()


@pytest.mark.parametrize("questions", [5, 20, 100, 500])
def test_the_search_ends_soon_after_the_time(questions):
    random = np.random.default_rng(1)
    X = random.standard_normal((300, 12))
    y = X[:, 0] + random.standard_normal(300) > 0
    assert bounds_after(questions, X, y).verify(X, y)


def test_more_time_proves_more():
    random = np.random.default_rng(1)
    X = random.standard_normal((200, 8))
    y = X[:, 0] + random.standard_normal(200) > 0
    bounds = [bounds_after(questions, X, y).lower_bound for questions in (200, 1000, 3000)]
    assert bounds[0] < bounds[1] < bounds[2], bounds


def test_no_shares_are_found_without_clashes_or_time():
    weights = np.ones(3, dtype=np.int64)
    program = ShareProgram(weights, Clock(None))
    assert program.solve() is False
    program.add([0, 1])
    assert program.solve() is True
    late = ShareProgram(weights, Clock(0))
    late.add([0, 1])
    assert late.solve() is False
