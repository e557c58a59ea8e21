"""Which clash is chosen: the rows that a program starts with, the prices of rows, and exchanges of one row."""

from itertools import permutations

import numpy as np
import pytest
from test_clash_steps import LABELS, LINE, parts_of

from rosenblatt.prove.mistakes import clash_exchange, clash_program, overlapping_clashes
from rosenblatt.prove.mistakes.clash_exchange import _rows_to_try, exchange_rows
from rosenblatt.prove.mistakes.clash_program import ClashProgram
from rosenblatt.prove.mistakes.overlapping_clashes import OverlappingClashes, ShareProgram
from rosenblatt.prove.time_limit import Clock


def unit_rows(seed, count, columns):
    rows = np.random.default_rng(seed).standard_normal((count, columns))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


# The program of a clash


@pytest.mark.parametrize(("columns", "few"), [(1, 42), (3, 46)])
def test_a_program_starts_with_the_worst_rows_and_others_at_random(columns, few):
    """40 rows and 2 a column are the worst ones; twice as many are drawn after the costs."""
    floats = unit_rows(columns, 500, columns)
    w, rng = np.arange(1.0, columns + 1), np.random.default_rng(7)
    program = ClashProgram(floats, w, np.random.default_rng(7), Clock(None))
    assert program.costs.tolist() == rng.uniform(0.5, 2.0, 500).tolist()
    drawn = rng.permutation(500)[: 2 * few]
    worst = np.argsort(floats @ w, kind="stable")[:few]
    assert program._columns == sorted({*worst.tolist(), *drawn.tolist()})
    assert np.flatnonzero(program._inside).tolist() == program._columns
    assert program._place == {row: place for place, row in enumerate(program._columns)}


def test_a_shuffle_draws_new_costs():
    program = ClashProgram(unit_rows(0, 60, 2), np.ones(2), np.random.default_rng(3), Clock(None))
    rng = np.random.default_rng(3)
    rng.uniform(0.5, 2.0, 60)
    rng.permutation(60)
    program.shuffle()
    assert program.costs.tolist() == rng.uniform(0.5, 2.0, 60).tolist()


def slow_cheapest_pair(floats, costs):
    """In one column two rows clash if their signs differ; rows of length 1 have a half each."""
    pairs = [(a, b) for a, b in permutations(range(len(floats)), 2) if floats[a, 0] > 0 > floats[b, 0]]
    return sorted(min(pairs, key=lambda pair: costs[pair[0]] + costs[pair[1]]))


@pytest.mark.parametrize("seed", range(4))
def test_the_cheapest_clash_is_found_wherever_its_rows_are(seed):
    """300 rows, of which fewer than 126 start."""
    floats = np.sign(unit_rows(seed, 300, 1))
    program = ClashProgram(floats, np.ones(1), np.random.default_rng(seed), Clock(None))
    costs = np.random.default_rng(seed).uniform(0.5, 2.0, 300)
    program.set_costs(costs)
    assert sorted(program.find(cheapest=True)) == slow_cheapest_pair(floats, costs)
    for row in slow_cheapest_pair(floats, costs):
        program.allow(row, False)
        costs[row] = 100.0
    assert sorted(program.find(cheapest=True)) == slow_cheapest_pair(floats, costs)


def test_the_rows_worth_most_join_and_not_too_many():
    """20 rows and 2 a column join at once: those whose price exceeds their cost by most, if they are allowed."""
    program = ClashProgram(unit_rows(1, 400, 3), np.ones(3), np.random.default_rng(1), Clock(None))
    prices, joined = np.array([1.0, -2.0, 0.5, 3.0]), []
    told = iter([clash_program._Vertex([3, 4], prices, 1e-9), None])
    program._solve, program._add = lambda: next(told), lambda rows: joined.append(rows.tolist())
    worth = program.floats @ prices[:3] + prices[3] - program.costs
    outside = [row for row in np.argsort(-worth).tolist() if not program._inside[row]]
    program.allow(outside[5], False)
    assert program.find() is None
    assert joined == [[*outside[:5], *outside[6:27]]]


def test_the_first_clash_without_a_gap_is_taken_unless_the_cheapest_is_wanted():
    program = ClashProgram(unit_rows(1, 400, 3), np.ones(3), np.random.default_rng(1), Clock(None))
    joined, dear = [], np.array([0.0, 0.0, 0.0, 3.0])
    for cheapest, prices, wanted in [(False, dear, [3, 4]), (True, dear, "solved again"), (True, 0 * dear, [3, 4])]:
        told = iter([clash_program._Vertex([3, 4], prices, 0.9e-9), clash_program._Vertex([5], 0 * dear, 0.0)])
        program._solve, program._add = lambda told=told: next(told), lambda rows: joined.append(len(rows))
        assert program.find(cheapest) == ([5] if wanted == "solved again" else wanted)
    assert joined == [26]


def test_rounds_of_columns_come_to_an_end(monkeypatch):
    """Each round joins one row that is worth it, until there are as many rounds as allowed."""
    monkeypatch.setattr(clash_program, "MAX_ROUNDS", 3)
    program = ClashProgram(unit_rows(2, 300, 2), np.ones(2), np.random.default_rng(2), Clock(None))
    solved = []

    def solve():
        solved.append(1)
        return clash_program._Vertex([], np.array([0.0, 0.0, 9.0]), 1.0)

    program._solve = solve
    program._add = lambda rows: None
    assert program.find() is None
    assert len(solved) == 3


def test_a_program_that_fails_starts_once_more(monkeypatch):
    program = ClashProgram(unit_rows(2, 30, 2), np.ones(2), np.random.default_rng(2), Clock(None))
    told = iter([False, True, False, False])
    monkeypatch.setattr(clash_program, "run_highs", lambda highs, clock: next(told))
    cleared = []
    program._highs = type("Highs", (), {"clearSolver": staticmethod(lambda: cleared.append(1))})
    monkeypatch.setattr(program, "_vertex", lambda: "found")
    assert (program._solve(), len(cleared)) == ("found", 1)
    assert (program._solve(), len(cleared)) == (None, 3)
    assert list(told) == []


def test_rows_with_a_share_are_those_of_the_vertex():
    """Shares are compared with the largest; slack variables come first and make up the gap."""
    program = ClashProgram(unit_rows(2, 5, 2), np.ones(2), np.random.default_rng(2), Clock(None))
    told = [0.0, 0.25, 0.0, 0.0, 0.0, -0.5, 0.2, 1.9e-10, 0.0, 2.1e-9, 0.3]
    solution = type("Solution", (), {"col_value": told, "row_dual": [1.0, 2.0, 3.0]})
    program._highs = type("Highs", (), {"getSolution": staticmethod(lambda: solution)})
    found = program._vertex()
    assert (found.rows, found.gap, found.prices.tolist()) == ([0, 3, 4], 0.75, [1.0, 2.0, 3.0])


# Prices


def test_prices_grow_with_the_clashes_of_a_row(monkeypatch):
    """By the factor e^0.3 for each, relative to their mean, with a thousandth for all and chance on top."""
    search, rows, floats = parts_of(LINE, LABELS)
    shared = OverlappingClashes(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    shared._loads[:] = [0.0, 1.0, 2.0, 3.0, 0.0, 4.0, 1.0]
    shared._random, rng = np.random.default_rng(11), np.random.default_rng(11)
    costs, prices = [], []
    monkeypatch.setattr(shared._search, "set_costs", lambda given: costs.append(given))
    monkeypatch.setattr(shared._search, "find", lambda cheapest: [0, 1, 2])
    monkeypatch.setattr(overlapping_clashes, "exchange_rows", lambda floats, rows, given, clock: prices.append(given))
    shared._find_clash()
    plain = np.exp(0.3 * shared._loads)
    plain = plain / plain.mean() + 0.001
    np.testing.assert_allclose(costs[0], plain * rng.uniform(0.5, 1.5, 7))
    np.testing.assert_allclose(prices[0], plain + 0.001 * rng.uniform(0.0, 1.0, 7))


def test_huge_loads_have_prices_still():
    """Only differences of loads count, so that no price leaves the range of floats."""
    search, rows, floats = parts_of(LINE, LABELS)
    shared = OverlappingClashes(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    shared._loads[:] = 1e6 + np.arange(7)
    assert shared._find_clash() is not None


def test_a_clash_that_is_refuted_makes_its_rows_dearer(monkeypatch):
    search, rows, floats = parts_of(LINE, LABELS)
    shared = OverlappingClashes(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    monkeypatch.setattr(shared, "_find_clash", lambda: [1, 4])
    assert shared.improve()
    assert shared._loads.tolist() == [0, 1, 0, 0, 1, 0, 0]
    monkeypatch.setattr(shared, "_find_clash", lambda: None)
    assert not shared.improve()


def test_shares_are_solved_anew_where_clashes_are_a_twentieth_more(monkeypatch):
    """After 20 clashes with shares, the 21st is enough."""
    search, rows, floats = parts_of(LINE, LABELS)
    shared = OverlappingClashes(search.problem, rows, floats, floats.sum(axis=0), Clock(None))
    solved = []
    monkeypatch.setattr(shared, "_find_clash", lambda: [0, 1, 2])
    monkeypatch.setattr(ShareProgram, "solve", lambda program: solved.append(len(program.clashes)))
    shared._program.shares = np.zeros(20)
    for count in (19, 20, 21):
        shared._program.clashes = [[0]] * (count - 1)
        shared._program._known.clear()
        shared.improve()
    assert solved == [21]


# Exchanges


def slow_exchange(floats, clash, prices):
    """Exchange one row of a clash of one more row than columns, where that gains most, as long as it gains."""

    def shares(rows):
        return np.linalg.solve(np.vstack([floats[rows].T, np.ones(len(rows))]), np.eye(len(rows))[-1])

    clash = list(clash)
    while True:
        options = []
        for row in set(range(len(floats))) - set(clash):
            for place in range(len(clash)):
                other = [*clash[:place], row, *clash[place + 1 :]]
                if abs(np.linalg.det(np.vstack([floats[other].T, np.ones(len(other))]))) > 1e-9:
                    options.append((prices[clash[place]] - prices[row], shares(other).min(), other))
        better = [option for option in options if option[0] > 0 and option[1] > 0]
        if not better:
            return clash
        clash = max(better)[2]


@pytest.mark.parametrize(("seed", "columns"), [(0, 1), (1, 2), (2, 2), (3, 3), (4, 3), (5, 4)])
def test_exchanges_are_those_with_the_largest_gain(seed, columns):
    floats = unit_rows(seed, 25, columns)
    prices = np.random.default_rng(seed).uniform(0.1, 1.0, 25)
    start = next(
        rows
        for rows in np.random.default_rng(seed).permuted(np.tile(np.arange(25), (500, 1)), axis=1)[:, : columns + 1]
        if np.linalg.solve(np.vstack([floats[rows].T, np.ones(columns + 1)]), np.eye(columns + 1)[-1]).min() > 0.01
    ).tolist()
    found = exchange_rows(floats, start, prices, Clock(None))
    assert found == slow_exchange(floats, start, prices)
    assert prices[found].sum() < prices[start].sum()


def test_exchanges_come_to_an_end_with_their_limit_or_the_time(monkeypatch):
    """Opposite unit rows, of which the later are cheaper: each exchange takes the cheapest of one side."""
    floats = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    prices = np.array([1.0, 0.9, 0.5, 0.1])
    assert exchange_rows(floats, [0, 1], prices, Clock(None)) == [2, 3]
    assert exchange_rows(floats, [0, 1], prices, Clock(0)) == [0, 1]
    monkeypatch.setattr(clash_exchange, "MAX_EXCHANGES", 1)
    assert exchange_rows(floats, [0, 1], prices, Clock(None)) == [0, 3]


@pytest.mark.parametrize(("columns", "most"), [(1, 26), (4, 5), (99, 1)])
def test_only_the_cheapest_rows_are_tried(columns, most, monkeypatch):
    """One more than 100 products divided by the square of all columns, with the one of ones."""
    monkeypatch.setattr(clash_exchange, "MAX_PRODUCTS", 100)
    prices = np.random.default_rng(0).permutation(60).astype(float)
    assert sorted(prices[_rows_to_try(prices, columns)].tolist()) == list(range(most))
    assert _rows_to_try(prices[:most], columns).tolist() == list(range(most))
