"""The parts of the search for few mistakes share the time that is left. Here time stands still."""

from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from test_hyperplane_search import FixedClock, search_of

from rosenblatt import minimum_mistakes
from rosenblatt.prove import time_limit
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.mistakes import hyperplane_search
from rosenblatt.prove.mistakes.best_hyperplane import BestHyperplane
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.time_limit import Clock, OutOfTime

SQUARE, XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 1, 1, 0]


@pytest.fixture(autouse=True)
def still(monkeypatch):
    monkeypatch.setattr(time_limit, "time", SimpleNamespace(monotonic=lambda: 1000.0))


@pytest.fixture
def given(monkeypatch):
    """The seconds that each local search may take. It returns its first start."""
    seconds = []

    def search(floats, weights, starts, steps, goal, clock, seed=0):
        seconds.append(clock.seconds_left())
        return starts[0]

    monkeypatch.setattr(hyperplane_search, "search_circles_at_random", search)
    return seconds


def merged(search):
    rows = merge_rows(search.problem, range(4))
    return rows, search._unit_rows(rows)


@pytest.mark.parametrize(("left", "share"), [(8.0, 2.0), (20.0, 5.0), (100.0, 5.0), (inf, 5.0)])
def test_the_first_local_search_gets_a_quarter_of_the_time_and_at_most_five_seconds(left, share, given):
    search = search_of(SQUARE, XOR, FixedClock(left))
    search._search_locally(*merged(search))
    assert given == [share]


@pytest.mark.parametrize(("left", "share"), [(1.0, 0.5), (2.0, 1.0), (50.0, 1.0), (inf, 1.0)])
def test_later_ones_get_half_of_it_and_at_most_a_second(left, share, given):
    search = search_of(SQUARE, XOR, FixedClock(left))
    search._search_elsewhere(*merged(search), 1)
    assert given == [share]


@pytest.mark.parametrize(("left", "share"), [(1.0, 0.25), (2.0, 0.5), (50.0, 0.5), (inf, 0.5)])
def test_the_pocket_gets_a_quarter_of_it_and_at_most_half_a_second(left, share, monkeypatch):
    seconds = []
    monkeypatch.setattr(BestHyperplane, "try_pocket", lambda best, allowed: seconds.append(allowed))
    monkeypatch.setattr(hyperplane_search.HyperplaneSearch, "_close_gap", lambda *arguments: None)
    search_of(SQUARE, XOR, FixedClock(left))._bound_mistakes(np.arange(4))
    assert seconds == [share]


@pytest.mark.parametrize(("most", "share"), [(5000, 10.0), (0, 40.0)])
def test_clashes_get_a_quarter_of_it_where_rows_can_be_counted(most, share, monkeypatch):
    """Where they are too many to count, clashes get all of it."""
    seconds = []

    def pack(packing, enough, clock, watch):
        seconds.append(clock.seconds_left())
        raise OutOfTime

    monkeypatch.setattr(ClashPacking, "pack", pack)
    monkeypatch.setattr(hyperplane_search, "MAX_ROWS_FOR_CIRCLES", most)
    search = search_of(SQUARE, XOR, FixedClock(40.0))
    with pytest.raises(OutOfTime):
        search._close_gap(*merged(search))
    assert seconds == [share]


def test_a_clock_never_ends_after_the_one_it_comes_from():
    clock = Clock(10.0)
    assert clock.seconds_left() == 10.0
    assert clock.at_most(3.0).seconds_left() == 3.0
    assert clock.at_most(30.0).seconds_left() == 10.0
    assert Clock(-1.0).seconds_left() == 0.0
    with pytest.raises(OutOfTime):
        Clock(-1.0).check()
    clock.check()


@pytest.mark.parametrize(("limit", "bounds"), [(0, (2, 0)), (1, (1, 1)), (60.0, (1, 1)), (None, (1, 1))])
def test_without_time_the_bounds_are_trivial(limit, bounds):
    """Without a search half of the rows of the exclusive or are wrong; any other limit is enough to find 1."""
    found = minimum_mistakes(SQUARE, XOR, time_limit=limit)
    assert (found.mistakes, found.lower_bound) == bounds
