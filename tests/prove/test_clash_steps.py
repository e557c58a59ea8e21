"""Single steps of the search for clashes, held to their definitions."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from test_hyperplane_search import search_of

from rosenblatt import minimum_mistakes
from rosenblatt.prove.exact.linear_algebra import dot
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.mistakes import clash_program, overlapping_clashes
from rosenblatt.prove.mistakes.clash import Clash, DirectionClash, immediate_clashes, make_clash, prove_clash
from rosenblatt.prove.mistakes.clash_exchange import exchange_rows
from rosenblatt.prove.mistakes.clash_program import ClashProgram
from rosenblatt.prove.mistakes.disjoint_clashes import ClashPacking
from rosenblatt.prove.mistakes.overlapping_clashes import (
    OverlappingClashes,
    ShareProgram,
    _round_shares,
    distribute_shares,
)
from rosenblatt.prove.time_limit import Clock, OutOfTime

LINE, LABELS = np.arange(7.0)[:, None], np.arange(7) % 2  # every three neighbours clash


def parts_of(X, y, fit_intercept=True):
    search = search_of(X, y, fit_intercept=fit_intercept)
    rows = merge_rows(search.problem, range(len(y)))
    return search, rows, search._unit_rows(rows)


def test_a_packing_is_complete_once_no_clash_is_left():
    search, rows, floats = parts_of(LINE, LABELS)
    packing = ClashPacking(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    assert not packing.complete
    packing.pack(1, Clock(None))
    assert len(packing.found) == 1
    assert not packing.complete
    packing.pack(9, Clock(None))
    assert packing.complete


def test_complete_packings_are_replaced_and_others_packed(monkeypatch):
    search, rows, floats = parts_of(LINE, LABELS)
    packing = ClashPacking(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    packing.pack(9, Clock(None))
    done = []

    def note(name):
        def act(self, enough, clock, watch):
            done.append((name, enough))
            raise OutOfTime

        return act

    for name in ("pack", "replace"):
        monkeypatch.setattr(ClashPacking, name, note(name))
    search.lower = 0
    for complete in (True, False):
        packing.complete = complete
        with pytest.raises(OutOfTime):
            search._replace_clashes(rows, packing)
    assert done == [("replace", 3), ("pack", 3)]  # one class of three rows is wrong so far
    packing.complete, packing.found = True, []
    search._replace_clashes(rows, packing)  # nothing to replace
    search.lower = search.best.mistakes
    packing.complete = False
    search._replace_clashes(rows, packing)  # nothing to gain
    assert len(done) == 2


def test_clashes_that_are_known_are_kept_once():
    search, rows, floats = parts_of(LINE, LABELS)
    shared = OverlappingClashes(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    clashes = [prove_clash(search.problem, [k, k + 1, k + 2], [k, k + 1, k + 2]) for k in range(5)]
    shared.add_new(clashes[:3])
    shared.add_new(clashes)
    assert shared._program.clashes == [[k, k + 1, k + 2] for k in range(5)]
    assert shared._loads.tolist() == [1, 2, 3, 3, 3, 2, 1]  # how many clashes each row is in
    shared.add(clashes[0])
    assert len(shared._program.clashes) == 5
    assert shared._loads.tolist() == [2, 3, 4, 3, 3, 2, 1]


def test_rows_of_many_clashes_are_dear(monkeypatch):
    """Each clash of a row raises its price by the same factor; no price is 0."""
    search, rows, floats = parts_of(LINE, LABELS)
    shared = OverlappingClashes(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    shared._loads[:] = [0.0, 1.0, 2.0, 40.0, 0.0, 0.0, 0.0]
    given = []
    monkeypatch.setattr(overlapping_clashes, "exchange_rows", lambda floats, rows, prices, clock: given.append(prices))
    shared._find_clash()
    [prices] = given
    assert prices.min() > 0
    assert prices.mean() == pytest.approx(1, rel=1e-2)
    grown = overlapping_clashes.PRICE_PER_CLASH * 40
    assert prices[3] / len(prices) == pytest.approx(1, rel=1e-2)  # nearly all of the sum
    assert grown > 10


def test_larger_shares_are_rounded_first():
    """Both clashes need the row 1. The one with the larger share gets what is left of it."""
    assert _round_shares([[0, 1], [1, 2]], np.array([0.4, 0.6]), np.ones(3, dtype=np.int64), 1) == [0, 1]
    assert _round_shares([[0, 1], [1, 2]], np.array([0.6, 0.4]), np.ones(3, dtype=np.int64), 1) == [1, 0]


@pytest.mark.parametrize(("rows", "denominator"), [(1, 1), (3, 2), (4, 3), (5, 12)])
def test_shares_have_the_smallest_denominator_of_the_best_bound(rows, denominator):
    """Every set of all rows but one clashes: each share is 1 divided by the number of the others."""
    program = ShareProgram(np.ones(rows, dtype=np.int64), Clock(None))
    for missing in range(rows):
        program.add([row for row in range(rows) if row != missing or rows == 1])
    assert program.solve()
    parts, found = program.exact_shares()
    assert found == denominator
    assert parts == ([1] if rows == 1 else [denominator // (rows - 1)] * rows)


def test_rows_of_a_direction_take_shares_in_turn():
    """Three halves on a direction of two rows: the second clash is cut where the first row is full."""
    pieces = list(distribute_shares([[0, 1], [0, 2], [0, 3]], [1, 2, 1], 2))
    half = Fraction(1, 2)
    assert pieces == [(0, [0, 0], half), (1, [0, 0], half), (1, [1, 0], half), (2, [1, 0], half)]
    assert list(distribute_shares([[0]], [0], 2)) == []


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_opposite_rows_clash_at_once(fit_intercept):
    """Through the origin 1 and -3 are opposite; with an offset equal rows of both classes are."""
    X = np.array([[3.0], [3.0], [5.0]]) if fit_intercept else np.array([[1.0], [3.0], [0.0]])
    search = search_of(X, [0, 1, 1], fit_intercept=fit_intercept)
    found = immediate_clashes(search.problem, merge_rows(search.problem, range(3)))
    if fit_intercept:
        assert found == [Clash((0, 1), (1, 1))]
    else:
        assert found == [Clash((2,), (1,)), Clash((0, 1), (3, 1))]


def test_members_of_a_direction_clash_in_its_place():
    """Rows 0 and 3 are equal, and so are 1 and 4."""
    X, y = np.array([[0.0], [1.0], [2.0], [0.0], [1.0]]), [1, 0, 1, 1, 0]
    problem = search_of(X, y).problem
    proved = prove_clash(problem, [0, 1, 2], [0, 1, 2])
    assert proved == DirectionClash([0, 1, 2], [0, 1, 2], Clash((0, 1, 2), (1, 2, 1)))
    third = Fraction(1, 3)
    assert proved.in_members(problem, [0, 1, 2], third) == Clash((0, 1, 2), (1, 2, 1), third)
    assert proved.in_members(problem, [3, 4, 2], third) == Clash((2, 3, 4), (1, 1, 2), third)
    assert prove_clash(problem, [0, 1], [0, 1]) is None


def test_members_of_other_lengths_have_multipliers_of_their_own():
    problem = search_of([[1.0], [1.0], [5.0]], [0, 1, 1], fit_intercept=False).problem
    proved = prove_clash(problem, [0, 1], [0, 1])
    assert proved.in_members(problem, [0, 2], Fraction(1)) == Clash((0, 2), (5, 1))
    assert make_clash(problem, [1, 2]) is None


def test_a_row_too_many_makes_no_clash():
    """(1, 0) and (-1, 0) clash. (0, 1) has no part in it, or less than none."""
    problem = search_of([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [9.0, -1.0]], [1, 1, 0, 0], fit_intercept=False).problem
    assert make_clash(problem, [0, 2]) == Clash((0, 2), (1, 1))
    assert make_clash(problem, [0, 1, 2]) is None
    assert make_clash(problem, [1, 0, 2]) is None
    assert make_clash(problem, [0, 1, 3]) is None


@pytest.mark.parametrize("seed", range(5))
def test_exchanged_rows_clash_without_a_row_too_many(seed):
    """Every row of the result has a share: multiples of them sum to 0, and none is 0."""
    rng = np.random.default_rng(seed)
    floats = rng.integers(-3, 4, (20, 2)).astype(float)
    floats = floats[floats.any(axis=1)]
    floats[:2] = [[1.0, 0.0], [-1.0, 0.0]]
    found = exchange_rows(floats, [0, 1], rng.uniform(0.1, 1, len(floats)), Clock(None))
    shares = np.linalg.lstsq(np.vstack([floats[found].T, np.ones(len(found))]), [0, 0, 1], rcond=None)[0]
    assert shares.min() > 1e-9
    np.testing.assert_allclose(shares @ floats[found], 0, atol=1e-9)


def test_hyperplanes_that_are_found_elsewhere_are_taken_if_they_are_better(monkeypatch):
    """A direction that makes as many mistakes as the best is not tried in exact arithmetic."""
    search, rows, floats = parts_of(LINE, LABELS)
    tried = []
    monkeypatch.setattr(type(search.best), "try_floats", lambda best, w: tried.append(w.tolist()))
    for w, better in (([0.0, -1.0], False), ([1.0, -0.5], False), ([-1.0, 0.5], True)):
        direction = np.array(w)
        monkeypatch.setattr(
            "rosenblatt.prove.mistakes.hyperplane_search.search_circles_at_random", lambda *given, w=direction, **_: w
        )
        wrong = sum(dot(row, [int(2 * value) for value in w]) <= 0 for row in map(search.problem.integer_row, range(7)))
        search.best.mistakes = wrong + better
        tried.clear()
        search._search_elsewhere(rows, floats, 1)
        assert tried == ([w] if better else [])


def test_a_solver_that_fails_is_started_twice(monkeypatch):
    _, _, floats = parts_of(LINE, LABELS)
    program = ClashProgram(floats, floats.sum(axis=0), np.random.default_rng(0), Clock(None))
    starts = []
    monkeypatch.setattr(clash_program, "run_highs", lambda highs, clock: starts.append(1))
    assert program.find() is None
    assert len(starts) == 2


@pytest.mark.parametrize(
    ("shares", "proof"),
    [
        ([], ""),
        ([1], " Every hyperplane has a mistake in 1 clash."),
        ([1, 1], " Every hyperplane has a mistake in each of 2 clashes that share no row."),
        (
            [1, Fraction(1, 2)],
            " Every hyperplane has a mistake in each of 2 clashes that overlap: their shares, at most 1 a row, add "
            "up to more than 1.",
        ),
    ],
)
def test_the_proof_says_how_clashes_count(shares, proof):
    clashes = [Clash((0, 1, 2), (1, 2, 1), Fraction(share)) for share in shares]
    result = replace(minimum_mistakes(LINE, LABELS), mistakes=9, lower_bound=0, clashes=clashes, counted=False)
    assert str(result) == f"The fewest mistakes possible are at least 0 and at most 9 of 7 rows.{proof}"
    counted = str(replace(result, counted=True))
    assert "An exhaustive search found no hyperplane with fewer. " in counted
    words = {0: "0 clashes that share no row prove 0", 1: "1 clash proves 1", 2: "prove 2"}[len(shares)]
    assert f"{words} of them without the search." in counted
