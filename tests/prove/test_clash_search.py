"""The search for clashes in floats, held to other solvers and to brute force. Exact arithmetic proves clashes later."""

from itertools import product

import numpy as np
import pytest
from mistake_searches import CountingClock
from scipy.optimize import linprog

from rosenblatt.prove.mistakes import clash_exchange, clash_program
from rosenblatt.prove.mistakes.clash_exchange import exchange_rows
from rosenblatt.prove.mistakes.clash_program import ClashProgram
from rosenblatt.prove.time_limit import Clock


def unit_rows(seed, count=12, columns=3):
    rows = np.random.default_rng(seed).standard_normal((count, columns))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def multipliers(rows):
    """Those with sum 1 of a clash of exactly these rows; None if they are no clash."""
    found, _, rank, _ = np.linalg.lstsq(
        np.vstack([rows.T, np.ones(len(rows))]), np.eye(rows.shape[1] + 1)[-1], rcond=None
    )
    clashes = rank == len(rows) and np.abs(found @ rows).max() < 1e-9 and found.min() > 1e-9
    return found if clashes and found.sum() == pytest.approx(1) else None


def least_cost(rows, costs):
    """The optimum of min sum c_i lambda_i, sum lambda_i a_i = 0, sum lambda_i = 1; None if nothing clashes."""
    sums = np.vstack([rows.T, np.ones(len(rows))])
    found = linprog(costs, A_eq=sums, b_eq=np.eye(len(sums))[-1])
    return found.fun if found.status == 0 else None


# The linear program


@pytest.mark.parametrize("count", [12, 400])
@pytest.mark.parametrize("seed", range(8))
def test_the_clash_of_least_cost_is_that_of_another_solver(seed, count):
    rows = unit_rows(seed, count)
    program = ClashProgram(rows, rows.mean(axis=0), np.random.default_rng(seed), Clock(None))
    found, least = program.find(cheapest=True), least_cost(rows, program.costs)
    if least is None:
        assert found is None
    else:
        assert multipliers(rows[found]) @ program.costs[found] == pytest.approx(least, abs=1e-7)


def test_a_program_sees_rows_that_it_does_not_begin_with():
    """All rows but the two last are on one side, and these two are the only ones that the others clash with."""
    rows = unit_rows(0, 600)
    rows[:, 0] = np.abs(rows[:, 0]) + 0.01
    rows[-2:] = [[-1.0, 0.0, 0.0], [-0.9, 0.1, 0.0]]
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    program = ClashProgram(rows, rows[-1], np.random.default_rng(0), Clock(None))
    assert not program._inside[-2:].any()
    found = program.find()
    assert multipliers(rows[found]) is not None
    assert {598, 599} & set(found)


@pytest.mark.parametrize("seed", range(5))
def test_forbidden_rows_are_not_used(seed):
    rows = unit_rows(seed, 30)
    program = ClashProgram(rows, rows.mean(axis=0), np.random.default_rng(seed), Clock(None))
    used = []
    while (found := program.find()) is not None:
        assert multipliers(rows[found]) is not None
        assert not set(found) & set(used)
        used += found
        for row in found:
            program.allow(row, False)
    assert used
    left = np.setdiff1d(np.arange(30), used)
    assert least_cost(rows[left], np.ones(len(left))) is None
    program.allow(used[0], True)
    for row in used[1:]:
        program.allow(row, True)
    assert program.find() is not None


def test_new_costs_make_another_clash_the_cheapest():
    rows = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    program = ClashProgram(rows, rows[0], np.random.default_rng(0), Clock(None))
    for cheap in ([0, 1], [2, 3]):
        program.set_costs(np.where(np.isin(np.arange(4), cheap), 0.1, 1.0))
        assert sorted(program.find(cheapest=True)) == cheap


def test_costs_are_drawn_anew():
    rows = unit_rows(1, 40)
    program = ClashProgram(rows, rows[0], np.random.default_rng(0), Clock(None))
    before = program.costs.copy()
    program.shuffle()
    assert not (program.costs == before).any()
    assert 0.5 <= program.costs.min() < program.costs.max() <= 2.0
    found = program.find(cheapest=True)
    assert multipliers(rows[found]) @ program.costs[found] == pytest.approx(least_cost(rows, program.costs), abs=1e-7)


def test_rows_on_one_side_do_not_clash():
    rows = np.abs(unit_rows(2, 50))
    program = ClashProgram(rows, rows[0], np.random.default_rng(0), Clock(None))
    assert program.find() is None
    assert program.find(cheapest=True) is None


@pytest.mark.parametrize("questions", [0, 1, 2])
def test_no_clash_is_found_when_time_is_up(questions):
    rows = unit_rows(3, 50)
    program = ClashProgram(rows, rows[0], np.random.default_rng(0), CountingClock(questions))
    found = program.find()
    assert found is None or multipliers(rows[found]) is not None
    assert program.find() is None


def test_a_solver_that_fails_once_is_started_again(monkeypatch):
    rows, run = unit_rows(4, 50), clash_program.run_highs
    failures = iter([False])
    monkeypatch.setattr(clash_program, "run_highs", lambda *arguments: next(failures, True) and run(*arguments))
    program = ClashProgram(rows, rows[0], np.random.default_rng(0), Clock(None))
    assert multipliers(rows[program.find()]) is not None
    monkeypatch.setattr(clash_program, "run_highs", lambda *arguments: False)
    assert program.find() is None


# Exchanges


def cheapest_neighbour(rows, clash, prices):
    """The lowest price of a clash that has one row instead of another, by brute force."""
    totals = [prices[clash].sum()]
    for place, row in product(range(len(clash)), range(len(rows))):
        other = [row if k == place else old for k, old in enumerate(clash)]
        if len(set(other)) == len(other) and multipliers(rows[other]) is not None:
            totals.append(prices[other].sum())
    return min(totals)


def first_clash(rows):
    found = ClashProgram(rows, rows[0], np.random.default_rng(0), Clock(None)).find()
    return found if found is not None and len(found) == rows.shape[1] + 1 else None


@pytest.mark.parametrize("seed", range(20))
def test_no_exchange_of_one_row_makes_the_result_cheaper(seed):
    rows, prices = unit_rows(seed), np.random.default_rng(seed).uniform(0, 1, 12)
    clash = first_clash(rows)
    if clash is None:
        return
    found = exchange_rows(rows, clash, prices, Clock(None))
    assert multipliers(rows[found]) is not None
    assert prices[found].sum() <= prices[clash].sum()
    assert prices[found].sum() == pytest.approx(cheapest_neighbour(rows, found, prices))


def test_the_exchange_with_the_largest_gain_is_made_first(monkeypatch):
    monkeypatch.setattr(clash_exchange, "MAX_EXCHANGES", 1)
    gains = 0
    for seed in range(10):
        rows, prices = unit_rows(seed), np.random.default_rng(seed).uniform(0, 1, 12)
        clash = first_clash(rows)
        if clash is not None:
            found = exchange_rows(rows, clash, prices, Clock(None))
            assert prices[found].sum() == pytest.approx(cheapest_neighbour(rows, clash, prices))
            gains += found != clash
    assert gains > 3


def test_rows_outside_the_span_of_a_small_clash_stay_outside():
    """Two opposite rows clash in a line. The free rows are not in it, the cheap one is."""
    rows = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [1.0, 0.0, 0.0]])
    prices = np.array([1.0, 1.0, 0.0, 0.0, 0.5])
    assert exchange_rows(rows, [0, 1], prices, Clock(None)) == [4, 1]


def test_a_dear_row_does_not_enter():
    rows = np.array([[1.0], [-1.0], [2.0]])
    assert exchange_rows(rows, [0, 1], np.array([1.0, 1.0, 1.0]), Clock(None)) == [0, 1]
    assert exchange_rows(rows, [0, 1], np.array([1.0, 1.0, 1.5]), Clock(None)) == [0, 1]
    assert exchange_rows(rows, [2, 1], np.array([1.0, 1.0, 1.0]), Clock(None)) == [2, 1]


def test_no_row_is_exchanged_when_time_is_up():
    rows = np.array([[1.0], [-1.0], [2.0]])
    assert exchange_rows(rows, [0, 1], np.array([1.0, 1.0, 0.5]), Clock(0)) == [0, 1]


def test_only_the_cheapest_of_many_rows_are_tried(monkeypatch):
    monkeypatch.setattr(clash_exchange, "MAX_PRODUCTS", 4 * 16)
    prices = np.random.default_rng(0).permutation(40).astype(float)
    tried = clash_exchange._rows_to_try(prices, 3)
    assert sorted(prices[tried].tolist()) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert clash_exchange._rows_to_try(prices[:5], 3).tolist() == [0, 1, 2, 3, 4]
