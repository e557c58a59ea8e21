"""The whole split by one linear programme against one programme a row, and exact multipliers by Steinitz."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from rosenblatt.prove.exact import linear_algebra
from rosenblatt.prove.exact.linear_algebra import independent_rows, rank, solve_combination, solve_independent
from rosenblatt.prove.separability.split_program import SplitProgram, find_spanning_dependence
from rosenblatt.prove.time_limit import Clock


def in_s(rows, row):
    """Whether some w is positive on one row and negative on none."""
    most = linprog(
        -rows[row], A_ub=np.vstack([-rows, rows[row]]), b_ub=np.append(np.zeros(len(rows)), 1), bounds=(None, None)
    )
    return -most.fun > 0.5


@pytest.mark.parametrize("seed", range(30))
def test_the_guess_is_the_split(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, (int(rng.integers(4, 16)), 5)).astype(float)
    balance = SplitProgram(5, Clock(None))
    for part in np.array_split(rows, 3):
        balance.add(part)
        guess = balance.solve()
    assert guess.inside.tolist() == [not in_s(rows, row) for row in range(len(rows))]
    margins = rows @ guess.w
    assert np.abs(margins[guess.inside]).max(initial=0) < 1e-9
    assert margins[~guess.inside].min(initial=1) > 1 - 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_the_prices_are_a_vertex(seed):
    """All w with margins of at least 1 on S and at least 0 on T: at a vertex of these, the least margin on S is 1."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, (12, 4)).astype(float)
    rows[:, 0] = np.abs(rows[:, 0])
    balance = SplitProgram(4, Clock(None))
    balance.add(rows)
    guess = balance.solve()
    assert not guess.inside.all()
    assert (rows @ guess.w)[~guess.inside].min() == pytest.approx(1)


@pytest.mark.parametrize("large", [1, 10**30])
@pytest.mark.parametrize("seed", range(20))
def test_multipliers_are_exact_positive_and_few(seed, large):
    rng = np.random.default_rng(seed)
    half = rng.integers(-3, 4, (20, 6)) @ rng.integers(-1, 2, (6, 6))
    floats = np.vstack([half, -half[::-1] * 2]).astype(float)
    floats = floats[floats.any(axis=1)]
    rows = [[int(value) * (large if k % 2 else 1) for value in row] for k, row in enumerate(floats)]
    clash = find_spanning_dependence(floats, rows, Clock(None))
    chosen = [rows[row] for row in clash.rows]
    assert min(clash.multipliers) > 0
    for column in zip(*chosen, strict=True):
        assert sum(m * value for m, value in zip(clash.multipliers, column, strict=True)) == 0
    assert rank(chosen) == rank(rows)
    assert len(set(clash.rows)) == len(clash.rows) <= 2 * rank(rows)


def test_rows_that_are_not_in_balance_have_no_multipliers():
    rows = [[1, 0], [-1, 0], [0, 1]]
    assert find_spanning_dependence(np.array(rows, dtype=float), rows, Clock(None)) is None


def test_a_guess_of_floats_that_is_not_exact_is_refused():
    tiny = 10**30
    rows = [[tiny, 1], [-tiny, 0], [tiny, 1], [-tiny, 1]]  # opposite but for 1e-30
    assert (
        find_spanning_dependence(np.array([[1.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]), rows, Clock(None))
        is None
    )


def test_combinations_where_the_prime_misleads():
    prime = 2**31 - 1
    assert independent_rows([[prime, 0], [0, 1]]) == [1]
    assert solve_independent([[prime, 0]], [1, 0]) is None
    assert solve_combination([[prime, 0], [0, 1]], [1, 2]) == [Fraction(1, prime), 2]


def test_combinations_modulo_a_prime_need_no_elimination(monkeypatch):
    monkeypatch.setattr(linear_algebra, "_solve_by_elimination", None)
    assert solve_combination([[1, 0], [2, 0], [0, 4]], [3, 2]) == [3, 0, Fraction(1, 2)]


def test_rows_that_floats_take_for_nothing_are_left_to_whole_numbers():
    assert find_spanning_dependence(np.zeros((2, 1)), [[1], [-1]], Clock(None)) is None
