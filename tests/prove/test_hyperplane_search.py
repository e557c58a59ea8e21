"""The search for the fewest mistakes: when it stops, what it takes, and the rows that its floats see."""

import re
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from mistake_searches import CountingClock, mistakes_of, overlapping

from rosenblatt import minimum_mistakes
from rosenblatt.prove.exact.lifted_problem import make_problem
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.mistakes import best_hyperplane, hyperplane_search
from rosenblatt.prove.mistakes.best_hyperplane import BestHyperplane
from rosenblatt.prove.mistakes.clash import immediate_clashes
from rosenblatt.prove.mistakes.hyperplane_search import HyperplaneSearch, ProgressPrinter
from rosenblatt.prove.mistakes.overlapping_clashes import OverlappingClashes
from rosenblatt.prove.time_limit import Clock, OutOfTime


class FixedClock(Clock):
    """So many seconds are always left."""

    def __init__(self, seconds):
        super().__init__(None)
        self.seconds = seconds

    def seconds_left(self):
        return self.seconds


def search_of(X, y, clock=None, fit_intercept=True):
    problem = make_problem(X, y, fit_intercept, None, "identity")
    return HyperplaneSearch(problem, clock or Clock(None), ProgressPrinter(0))


# The rows as floats


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e-120, 1.0, 1e200])
def test_every_row_has_length_1_and_its_own_direction(size):
    """Through the origin. A row that is tiny beside another is read in integers, so that no number is lost."""
    X = np.array([[3.0, 4.0], [-4.0, 3.0], [1.0, 1e-3]])
    X[0] *= size
    search = search_of(X, [0, 1, 1], fit_intercept=False)
    rows = merge_rows(search.problem, range(3))
    floats = search._unit_rows(rows)
    for found, row in zip(floats, rows.rows, strict=True):
        whole = search.problem.integer_row(row)
        near_1 = np.array([float(Fraction(value, max(map(abs, whole)))) for value in whole])
        np.testing.assert_allclose(found, near_1 / np.linalg.norm(near_1), rtol=1e-12)


# When it stops


@pytest.mark.parametrize(
    ("seconds", "share", "stops"),
    [
        (5.0, 0.0, False),
        (10.1, 0.0, True),
        (30.0, 0.2, False),
        (30.0, 0.1, True),
        (99.0, 0.5, False),
        (99.0, 0.4, True),
    ],
)
def test_an_exhaustive_search_is_given_up_when_it_would_take_twice_the_time(seconds, share, stops, monkeypatch):
    """After a tenth of 100 seconds, it must have looked at half as large a share of all places as of the time."""
    now = [1000.0]
    monkeypatch.setattr(hyperplane_search, "time", SimpleNamespace(monotonic=lambda: now[0]))
    watch = search_of([[0.0], [1.0]], [0, 1], FixedClock(100.0))._stop_if_hopeless()
    now[0] += seconds
    if stops:
        with pytest.raises(OutOfTime):
            watch(share)
    else:
        watch(share)


def test_without_a_time_limit_no_search_is_hopeless(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(hyperplane_search, "time", SimpleNamespace(monotonic=lambda: now[0]))
    watch = search_of([[0.0], [1.0]], [0, 1])._stop_if_hopeless()
    now[0] += 1e9
    watch(0.0)


def test_without_a_time_limit_the_search_ends_when_neither_bound_moves(monkeypatch):
    monkeypatch.setattr(hyperplane_search, "MAX_ROWS_FOR_CIRCLES", 0)
    monkeypatch.setattr(hyperplane_search, "MAX_IDLE_TURNS", 3)
    monkeypatch.setattr(hyperplane_search, "MAX_SECONDS_PER_TURN", 0.02)
    turns, turn = [], HyperplaneSearch._search_elsewhere

    def recorded(self, *arguments):
        turns.append((self.lower, self.best.mistakes))
        turn(self, *arguments)

    monkeypatch.setattr(HyperplaneSearch, "_search_elsewhere", recorded)
    X, y = overlapping(60, 4, noise=3)
    result = minimum_mistakes(X, y, time_limit=None)
    assert not result.counted
    assert result.verify(X, y), result.why_not
    assert not result.proved
    assert turns[-3:] == [(result.lower_bound, result.mistakes)] * 3
    assert len(turns) == 3 or turns[-4] != turns[-3]


@pytest.mark.parametrize(
    ("rows", "columns", "seconds", "too_many"),
    [(100, 2, None, False), (5001, 2, None, True), (1000, 9, None, False), (1000, 9, 60.0, True), (40, 9, 60.0, False)],
)
def test_many_rows_or_circles_are_not_searched_exhaustively(rows, columns, seconds, too_many):
    search = search_of(np.zeros((2, columns)), [0, 1], Clock(seconds))
    members = SimpleNamespace(members=[[row] for row in range(rows)])
    assert search._has_too_many_circles(members) is too_many


def test_lines_are_printed_when_they_are_due(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(hyperplane_search, "time", SimpleNamespace(monotonic=lambda: now[0]))
    quiet, loud = ProgressPrinter(0), ProgressPrinter(1)
    for now[0] in (0.0, 1.9, 2.0, 2.1, 3.9, 4.0):
        quiet.print_if_due(lambda: "quiet")
        loud.print_if_due(lambda: "loud")
    assert capsys.readouterr().err == "minimum_mistakes: loud, 2 s\nminimum_mistakes: loud, 4 s\n"


def test_lines_tell_the_bound_of_shares_as_it_grows(monkeypatch, capsys):
    """Labels that alternate on a line, and a pair of equal rows that clash by themselves."""
    monkeypatch.setattr(hyperplane_search, "SECONDS_BETWEEN_LINES", 0.0)
    X, y = np.append(np.arange(11.0), [20.0, 20.0])[:, None], np.append(np.arange(11) % 2, [0, 1])
    problem = make_problem(X, y, True, None, "identity")
    search = HyperplaneSearch(problem, CountingClock(300), ProgressPrinter(1))
    rows = merge_rows(problem, range(13))
    search.clashes, search.lower = immediate_clashes(problem, rows), 1
    floats = search._unit_rows(rows)
    search._share_clashes(rows, OverlappingClashes(problem, rows, floats, floats.sum(axis=0), Clock(None)))
    lowers = [int(lower) for lower in re.findall(r"between (\d+) and 6", capsys.readouterr().err)]
    assert lowers == sorted(lowers)
    assert lowers[-1] == search.lower > 3


# What it takes


def test_rows_that_can_be_separated_are_right_even_without_time_for_the_others():
    """Quasi-complete separation: the first step settles all rows but those on the plane."""
    X = np.array([[1.0, 0.0], [2.0, 5.0], [-1.0, 3.0], [0.0, 1.0], [0.0, 1.0], [3.0, 3.0]])
    y = np.array([1, 1, 0, 0, 1, 1])
    search = search_of(X, y)
    hard = search._separate()
    assert hard.tolist() == [3, 4]
    assert search.best.mistakes == 2
    assert mistakes_of(search.best.hyperplane(), X, y) == 2


def test_rows_that_all_clash_leave_no_base():
    search = search_of([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    assert search._separate().tolist() == [0, 1, 2, 3]
    assert search.best.base is None


def test_hyperplanes_nearby_are_right_on_one_row_of_each_opposite_pair():
    X, y = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0], [2.0, 1.0], [5.0, 0.0]]), [0, 1, 0, 1, 1]
    best = BestHyperplane(ExactProblem(X, y, True))
    best.take_nearby([0, 0, 0], 2)
    assert best.mistakes == 2


def test_a_base_outweighs_what_lies_nearby():
    """The base is right on the last row, which w gets wrong, and 0 on the others."""
    X, y = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, -9.0]]), [1, 0, 1]
    problem = ExactProblem(X, y, False)
    best = BestHyperplane(problem)
    best.base = [1, 0]
    best.take_nearby([0, 1], 0)
    assert best.mistakes == 0


def test_the_shortest_of_the_best_weights_are_taken():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [1, 1, 0]
    problem = ExactProblem(np.vstack([X, [[-1.0, -1.0]]]), y, False)
    best = BestHyperplane(problem)
    best.try_floats(np.array([1.0, 0.987654321]))
    assert best.mistakes == 0
    assert max(best.w) == 2 ** best_hyperplane.BIT_LENGTHS[0]


def test_the_first_hyperplane_has_all_rows_on_one_side():
    """Rows far on the negative side of every column do not matter: only the offset has a weight."""
    X = np.vstack([np.full((5, 3), -1.0), np.zeros((2, 3))])
    best = BestHyperplane(ExactProblem(X, [1, 1, 1, 1, 1, 0, 0], True))
    assert best.mistakes == 2
    assert best.w == [0, 0, 0, 1]


def test_a_hyperplane_that_needs_no_move_is_taken_as_it_is():
    X, y = np.array([[2.0, 1.0], [1.0, 2.0]]), [1, 0]
    best = BestHyperplane(ExactProblem(X, y, False))
    best.take_nearby([1, -1], 0)
    assert best.w == [1, -1]
