"""The steps of Tucker's split: how a proof of T grows, which rows join, what follows when time or floats run out."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from mistake_searches import CountingClock

from rosenblatt import separability
from rosenblatt.prove.exact.linear_algebra import PositiveDependence, weighted_sum
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.separability import perceptron_proposal, split_at_once, tucker_split
from rosenblatt.prove.separability.margin_program import MarginProgram
from rosenblatt.prove.separability.quotient_space import QuotientSpace
from rosenblatt.prove.separability.tucker_split import TuckerSplit, split_rows
from rosenblatt.prove.time_limit import Clock


def words(seed, rows=60, columns=150, density=0.02):
    """Sparse rows of two classes; some columns occur in one class only."""
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random(rows, columns, density, format="lil", random_state=rng)
    X[:, 0] = rng.integers(0, 2, (rows, 1))
    return X.tocsr(), np.arange(rows) % 2


# How a proof grows


@settings(deadline=None)
@given(st.integers(0, 10**6))
def test_a_dependence_modulo_t_joins_the_proof(seed):
    """T is a line, proved by two opposite rows. Other rows sum to a point of that line."""
    rng = np.random.default_rng(seed)
    along = rng.integers(-5, 6, 4) * rng.integers(0, 2, 4)
    along[3] = 1 + abs(along[3])
    others = rng.integers(-5, 6, (3, 4))
    last = rng.integers(-3, 4) * along - others.sum(axis=0)
    rows = np.vstack([along, -2 * along, others, last]).astype(float)
    signs = np.where(np.arange(6) % 2, -1.0, 1.0)
    problem = ExactProblem(signs[:, None] * rows, signs, False)
    exponents = [Fraction(2) ** problem.row_exponent(row) for row in range(6)]
    state = TuckerSplit(inside=np.arange(6) < 2, multipliers={0: 2 * exponents[0], 1: exponents[1]})
    new = PositiveDependence([2, 3, 4, 5], exponents[2:])
    tucker_split._add_to_clash(problem, state, new)
    assert sorted(state.multipliers) == list(range(6))
    assert min(state.multipliers.values()) > 0
    total = weighted_sum(list(state.multipliers.values()), [problem.integer_row(row) for row in state.multipliers])
    assert not any(total)
    assert state.inside.all()


def test_rows_on_the_plane_of_a_guess_are_not_wrong():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0], [0.5, 2.0], [0.0, -1.0]])
    problem = ExactProblem(X, [1, 1, 0, 1, 1], False)
    state = TuckerSplit(inside=np.zeros(5, dtype=bool))
    wrong = tucker_split._rows_wrong_in_floats(problem, state, QuotientSpace(None), np.array([0.0, 1.0]))
    assert wrong == [4]
    state.inside[4] = True
    assert tucker_split._rows_wrong_in_floats(problem, state, QuotientSpace(None), np.array([0.0, 1.0])) == []
    assert tucker_split._rows_wrong_in_floats(problem, state, QuotientSpace(None), np.zeros(2)) == []


# Which rows join


@pytest.mark.parametrize("columns", [1, 5, 40])
def test_the_first_rows_are_spread_over_both_classes(columns):
    rng = np.random.default_rng(columns)
    y = rng.permutation(900) % 3 > 0
    problem = ExactProblem(rng.standard_normal((900, columns)), y, True)
    inside = np.arange(900) >= 850
    chosen = np.array(tucker_split._first_rows(problem, inside))
    few = 2 * (columns + 1) + 10
    for side in (True, False):
        rows = np.flatnonzero((y == side) & ~inside)
        own = np.searchsorted(rows, chosen[y[chosen] == side])
        assert len(own) == few
        assert (own[0], own[-1]) == (0, len(rows) - 1)
        assert np.ptp(np.diff(own)) <= 1


def test_small_classes_join_whole():
    problem = ExactProblem(np.arange(7.0)[:, None], [0, 0, 1, 1, 1, 1, 1], True)
    assert sorted(tucker_split._first_rows(problem, np.arange(7) == 3)) == [0, 1, 2, 4, 5, 6]


@pytest.mark.parametrize("columns", [1, 40])
def test_the_worst_of_many_wrong_rows_join(columns):
    rng = np.random.default_rng(columns)
    problem = ExactProblem(rng.standard_normal((2000, columns)), np.arange(2000) % 2, True)
    w = [1] * (columns + 1)
    margins = np.array(
        [sum(problem.integer_row(row)) * Fraction(2) ** problem.row_exponent(row) for row in range(2000)]
    )
    found = tucker_split._worst_wrong_rows(problem, TuckerSplit(np.zeros(2000, dtype=bool)), w)
    assert found == np.argsort(margins, kind="stable")[: 2 * (columns + 1) + 30].tolist()


def test_memory_limits_how_many_rows_join(monkeypatch):
    problem = ExactProblem(np.random.default_rng(0).standard_normal((2000, 40)), np.arange(2000) % 2, True)
    monkeypatch.setattr(tucker_split, "MAX_NUMBERS_AT_ONCE", 41 * 60)
    assert len(tucker_split._first_rows(problem, np.zeros(2000, dtype=bool))) == 2 * 60
    assert len(tucker_split._worst_wrong_rows(problem, TuckerSplit(np.zeros(2000, dtype=bool)), [1] * 41)) == 60
    monkeypatch.setattr(tucker_split, "MAX_NUMBERS_AT_ONCE", 41)
    assert len(tucker_split._first_rows(problem, np.zeros(2000, dtype=bool))) == 2 * 50  # never fewer than 50


# Which tables are split at once


def test_sparse_tables_of_moderate_size_are_split_at_once(monkeypatch):
    X, y = words(0)
    problem = ExactProblem(X, y, True)
    assert split_at_once.suits(problem)
    assert not split_at_once.suits(ExactProblem(X.toarray(), y, True))
    monkeypatch.setattr(split_at_once, "MAX_NUMBERS", problem.view.stored_values)
    assert split_at_once.suits(problem)
    monkeypatch.setattr(split_at_once, "MAX_NUMBERS", problem.view.stored_values - 1)
    assert not split_at_once.suits(problem)


def test_a_guess_is_positive_outside_t_and_zero_on_it():
    """Tucker: the sum of the clipped margins is largest where every row of S has a margin of 1 or more."""
    X, y = words(1, 80, 200)
    X = scipy.sparse.vstack([X, X[:1], X[1:2]]).tocsr()
    y = np.append(y, 1 - y[:2])
    problem = ExactProblem(X, y, True)
    guess = split_at_once.guess_split(problem, Clock(None))
    margins = problem.sparse_floats() @ guess.w
    assert guess.inside.tolist() == split_rows(problem, Clock(None)).inside.tolist()
    assert 0 < guess.inside.sum() < len(y)
    assert np.abs(margins[guess.inside]).max() < 1e-6
    assert margins[~guess.inside].min() > 1 - 1e-6


def test_a_guess_of_no_time_or_no_weights_proves_nothing():
    X, y = words(3)
    problem = ExactProblem(X, y, True)
    assert split_at_once.guess_split(problem, Clock(0)) is None
    guess = split_at_once.SplitGuess(np.zeros(problem.rows, dtype=bool), np.zeros(problem.size))
    assert split_at_once.prove_weights(problem, guess, []) is None


def test_categories_that_clash_one_by_one_are_found_together(monkeypatch):
    """Ten categories, each with rows of both classes: every category has a clash of its own."""
    grown, grow = [], tucker_split._add_to_clash

    def counted(problem, state, dependence):
        grow(problem, state, dependence)
        grown.append(int(state.inside.sum()))

    monkeypatch.setattr(tucker_split, "_add_to_clash", counted)
    X, y = np.repeat(np.eye(10), 4, axis=0), np.arange(40) % 2
    found = split_rows(ExactProblem(X, y, True), Clock(None))
    assert found.inside.all()
    assert grown == [40]


# When time or floats run out


@pytest.mark.parametrize("questions", range(8))
def test_a_split_of_peeled_rows_may_run_out_of_time(questions):
    X, y = words(2)
    problem = ExactProblem(X, y, True)
    found = split_rows(problem, CountingClock(questions))
    whole = split_rows(problem, Clock(None))
    assert found.w is None or not len(problem.nonpositive_rows(found.w, found.inside).rows)
    assert not (found.inside & ~whole.inside).any()


@pytest.mark.parametrize("gap", [0.5, -0.5])
def test_a_failing_solver_changes_no_answer(gap, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((24, 2)), np.arange(24) % 2
    X[:, 0] = (2 * y - 1) * (np.abs(X[:, 0]) + gap)
    wanted = separability(X, y).kind
    monkeypatch.setattr(MarginProgram, "solve", lambda self: None)
    answer = separability(X, y)
    assert answer.kind == wanted == ("complete" if gap > 0 else "overlap")
    assert answer.verify(X, y)


class LastMoment(Clock):
    """There is hardly any time left, but still some."""

    def __init__(self):
        super().__init__(None)

    def seconds_left(self):
        return 1e-9


def many_epochs(inside=0):
    """Rows of two classes that the perceptron separates after many epochs; the first few are on the hyperplane."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((400, 20)), rng.standard_normal(20)
    X[:inside, 0] -= X[:inside] @ w / w[0]
    y = X @ w > 0
    y[:inside] = np.arange(inside) % 2
    return ExactProblem(X, y, False)


@pytest.mark.parametrize("clock", [Clock(None), Clock(1e6)])
def test_training_ends_with_the_time(clock):
    assert perceptron_proposal._train(many_epochs(), 5000, clock)[0] is not None
    assert perceptron_proposal._train(many_epochs(), 5000, LastMoment())[0] is None


@pytest.mark.parametrize("clock", [Clock(None), Clock(1e6)])
def test_training_modulo_rows_ends_with_the_time(clock):
    assert perceptron_proposal.separate_modulo(many_epochs(4), list(range(4)), clock) is not None
    assert perceptron_proposal.separate_modulo(many_epochs(4), list(range(4)), LastMoment()) is None
