"""What the search for few mistakes asks of its parts: starts, steps, and rows. The parts themselves are told."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from test_clash_steps import LABELS, LINE, parts_of
from test_hyperplane_search import FixedClock, search_of

from rosenblatt.foundation.errors import TooLarge
from rosenblatt.prove.exact.merged_rows import MergedRows
from rosenblatt.prove.exact.problem import ExactProblem
from rosenblatt.prove.mistakes import best_hyperplane, great_circle_search, hyperplane_search
from rosenblatt.prove.mistakes.best_hyperplane import BestHyperplane
from rosenblatt.prove.mistakes.hyperplane_search import HyperplaneSearch
from rosenblatt.prove.mistakes.local_search import least_squares
from rosenblatt.prove.separability import perceptron_proposal
from rosenblatt.prove.time_limit import Clock


class Asked(SimpleNamespace):
    """One call of the local search."""


@pytest.fixture
def asked(monkeypatch):
    calls = []

    def search(floats, weights, starts, steps, goal, clock, seed=0):
        calls.append(Asked(weights=weights, starts=starts, steps=steps, goal=goal, seed=seed))
        return starts[0]

    monkeypatch.setattr(hyperplane_search, "search_circles_at_random", search)
    return calls


def unit_rows(seed, count, columns):
    rows = np.random.default_rng(seed).standard_normal((count, columns))
    return rows / np.linalg.norm(rows, axis=1)[:, None]


# Local searches


@pytest.mark.parametrize(("count", "columns", "steps"), [(7, 2, 9), (80, 3, 32), (12000, 4, 3000), (11936, 4, 3000)])
def test_the_first_search_makes_a_step_for_every_four_rows_and_four_a_column(count, columns, steps, asked):
    search = search_of(np.zeros((2, columns - 1)), [0, 1])
    floats, weights = unit_rows(count, count, columns), np.arange(count) % 3 + 1
    rows = SimpleNamespace(weights=weights)
    search._search_locally(rows, floats)
    [call] = asked
    assert (call.steps, call.goal, call.seed) == (steps, 0, 0)
    wanted = [least_squares(floats, weights), search.best.unit_weights(), floats.T @ weights]
    for start, other in zip(call.starts, wanted, strict=True):
        np.testing.assert_allclose(start, other)


def test_directions_of_zeros_are_no_start(asked):
    """Two opposite rows: their sum and their least squares are 0, up to rounding."""
    search = search_of([[1.0], [1.0]], [0, 1], fit_intercept=False)
    search.best.w = [3]
    search._search_locally(SimpleNamespace(weights=np.ones(2)), np.array([[1.0], [-1.0]]))
    assert [start.tolist() for start in asked[0].starts] == [[1.0]]


@pytest.mark.parametrize("turn", [1, 2, 5])
def test_later_searches_start_from_the_best_and_half_of_the_rows(turn, asked):
    search, rows, floats = parts_of(LINE, LABELS)
    search._search_elsewhere(rows, floats, turn)
    half = floats[np.random.default_rng(turn).random(7) < 0.5]
    [call] = asked
    assert (call.steps, call.goal, call.seed) == (40 * 2 + 400, 0, turn)
    np.testing.assert_allclose(call.starts, [search.best.unit_weights(), least_squares(half)])


def test_no_half_of_the_rows_is_no_start(asked):
    search, _, floats = parts_of(LINE, LABELS)
    turn = next(k for k in range(99) if np.random.default_rng(k).random(1)[0] >= 0.5)
    search._search_elsewhere(SimpleNamespace(weights=np.ones(1), unavoidable_mistakes=0), floats[:1], turn)
    assert len(asked[0].starts) == 1


# The pocket and nearby hyperplanes


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_pocket_is_trained_for_forty_epochs_on_one_of_two_classes(fit_intercept, monkeypatch):
    given = []

    def train(rows, classes, count, parts, threads):
        given.append((classes.tolist(), count, parts.stops.max_iter, parts.stops.max_seconds, parts.fit_intercept))
        result = SimpleNamespace(interrupted=False, coef=np.array([[0.0, 4.0]]), intercept=np.array([-2.0]))
        return result

    monkeypatch.setattr(best_hyperplane, "train", train)
    best = BestHyperplane(ExactProblem([[0.25, 8.0], [1.0, 0.25], [0.5, 0.25]], [1, 0, 1], fit_intercept))
    best.mistakes = 3
    best.try_pocket(1.5)
    assert given == [([1, 0, 1], 2, 40, 1.5, fit_intercept)]
    assert best.w == ([0, 32, -1] if fit_intercept else [0, 1])  # 8 is 1/2 after scaling by 2^4, so 4 becomes 64


def test_a_pocket_that_is_too_large_is_no_proposal(monkeypatch):
    def train(*arguments, **options):
        raise TooLarge

    monkeypatch.setattr(best_hyperplane, "train", train)
    best = BestHyperplane(ExactProblem([[1.0], [2.0]], [1, 0], True))
    before = best.w
    best.try_pocket(1.0)
    assert best.w is before


def test_small_moves_are_tried_before_large_ones():
    """Moves by 0, 1, 7 and 100 next to w, then next to multiples of it; the base grows with the square of these."""
    best = BestHyperplane(ExactProblem([[1.0], [2.0]], [1, 0], True))
    tried = []
    best.try_integers = tried.append
    best.base = [0, 10**6]
    best.take_nearby([3, -5], -1)
    rng = np.random.default_rng(0)
    bits = [0, 8, 32, 128, 512, 2048]
    wanted = []
    for more in bits:
        for spread in (0, 1, 7, 100):
            move = rng.integers(-spread, spread + 1, 2).tolist()
            wanted.append([3 * 2**more + move[0], -5 * 2**more + move[1] + 10**6 * 4**more])
    assert tried == wanted


def test_weights_are_rounded_to_6_10_16_30_and_52_bits(monkeypatch):
    """The shortest of the best are taken: here all make as many mistakes."""
    problem = ExactProblem([[1.0, 1.0], [2.0, 1.0]], [1, 0], False)
    tried, rows = [], problem.nonpositive_rows
    monkeypatch.setattr(problem, "nonpositive_rows", lambda w: tried.append(w) or rows(w))
    best = BestHyperplane(problem)
    best.try_floats(np.array([-1.5, 0.5]))
    assert tried[:5] == [[-(2**bits), round(2**bits / 3)] for bits in (6, 10, 16, 30, 52)]


@pytest.mark.parametrize("w", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0]])
def test_weights_that_are_no_direction_are_not_tried(w):
    best = BestHyperplane(ExactProblem([[1.0, 1.0], [2.0, 1.0]], [1, 0], False))
    best.try_integers = None
    best.try_floats(np.array(w))


def test_the_largest_of_the_unit_weights_is_1():
    best = BestHyperplane(ExactProblem([[1.0, 1.0], [2.0, 1.0]], [1, 0], False))
    assert best.unit_weights().tolist() == [0.0, 0.0]
    best.w = [-(10**400), 10**400 // 4]
    assert best.unit_weights().tolist() == [-1.0, 0.25]


@pytest.mark.parametrize(("labels", "side"), [([1, 1, 0], 1), ([1, 0, 0], -1), ([1, 0, 1, 0], 1)])
def test_the_first_hyperplane_is_on_the_side_of_the_larger_class(labels, side):
    best = BestHyperplane(ExactProblem(np.zeros((len(labels), 1)), labels, True))
    assert best.w == [0, side]
    assert best.mistakes == min(labels.count(0), labels.count(1))


# Training for a proof


@pytest.mark.parametrize(
    ("columns", "wrong", "epochs"), [(300, 3, [20]), (300, 2, [20, 200]), (300, 0, [20]), (2001, 3, [5000])]
)
def test_training_goes_on_with_few_mistakes_and_is_long_with_many_columns(columns, wrong, epochs, monkeypatch):
    """With 100 rows, 2 mistakes are at most one in 50. With more than 2000 columns there is no trial."""
    given = []

    def train(problem, longest, clock):
        given.append(longest)
        return ([1], 0) if not wrong else (None, wrong)

    monkeypatch.setattr(perceptron_proposal, "_train", train)
    found = perceptron_proposal.separate_by_perceptron(SimpleNamespace(columns=columns, rows=100), Clock(None))
    assert given == epochs
    assert found == (None if wrong else [1])


@pytest.mark.parametrize(("clock", "seconds"), [(Clock(None), None), (Clock(0), None), (FixedClock(7.0), 7.0)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_training_has_the_time_that_is_left(clock, seconds, fit_intercept, monkeypatch):
    given = []

    def train(rows, classes, count, recipe, threads):
        given.append((classes.tolist(), count, recipe.stops.max_iter, recipe.stops.max_seconds, recipe.order))
        status = SimpleNamespace(mistakes=0)
        coef, intercept = np.array([[0.0, 4.0]]), np.array([-2.0])
        return SimpleNamespace(interrupted=False, coef=coef, intercept=intercept, status=status)

    monkeypatch.setattr(perceptron_proposal, "train", train)
    problem = ExactProblem([[0.25, 8.0], [1.0, 0.25], [0.5, 0.25]], [1, 0, 1], fit_intercept)
    w, wrong = perceptron_proposal._train(problem, 13, clock)
    assert given == [([1, 0, 1], 2, 13, seconds, "working-set")]
    assert (w, wrong) == ([0, 32, -1] if fit_intercept else [0, 1], 0)


def test_training_that_is_too_large_counts_all_rows_as_mistakes(monkeypatch):
    def train(*arguments, **options):
        raise TooLarge

    monkeypatch.setattr(perceptron_proposal, "train", train)
    problem = ExactProblem([[1.0], [2.0], [3.0]], [1, 0, 1], True)
    assert perceptron_proposal._train(problem, 20, Clock(None)) == (None, 3)


# Turns without a limit, and what is counted


def test_ways_to_new_clashes_change_where_one_finds_nothing(monkeypatch):
    """From 32 columns on, disjoint clashes are replaced first; the bound then decides which way is next."""
    for columns, first in ((31, "share"), (32, "replace")):
        search, packing, done = search_of(LINE, LABELS), SimpleNamespace(complete=True, found=[]), []
        search.best.mistakes, search.lower = 3, 0
        monkeypatch.setattr(search, "_search_elsewhere", lambda *given: None)
        monkeypatch.setattr(hyperplane_search, "OverlappingClashes", lambda *given: SimpleNamespace(add_new=list))

        def note(way, search=search, done=done):
            def act(*given):
                done.append(way)
                search.lower += len(done) % 2  # the first, the third and the fifth find something

            return act

        monkeypatch.setattr(search, "_replace_clashes", note("replace"))
        monkeypatch.setattr(search, "_share_clashes", note("share"))
        search._use_time_left(None, np.zeros((1, columns)), packing)
        other = {"share": "replace", "replace": "share"}[first]
        assert done == [first, first, other, other, first]


def test_what_is_counted_is_the_minimum_and_its_hyperplane(monkeypatch):
    """Two rows cancel and are one mistake; the others have two."""
    search = search_of(LINE, LABELS)
    rows = MergedRows([[0], [1], [2]], [(3, 4)], [])
    near = []
    monkeypatch.setattr(search.best, "take_nearby", lambda w, mistakes: near.append((w, mistakes)))
    search.best.mistakes = 5
    asked = []

    def counted(rows, weights, below, clock, watch):
        asked.append((len(rows), weights.tolist(), below))
        return great_circle_search.Candidate(2, [7, 8])

    monkeypatch.setattr(hyperplane_search, "search_great_circles", counted)
    search._count_exhaustively(rows)
    assert asked == [(3, [1, 1, 1], 4)]
    assert (search.lower, search.counted, near) == (3, True, [([7, 8], 3)])
    monkeypatch.setattr(hyperplane_search, "search_great_circles", lambda *given: None)
    search._count_exhaustively(rows)
    assert search.lower == 5


def test_the_result_tells_what_the_search_knows():
    search = search_of([[0.5], [2.0]], [1, 0])
    search.best.w, search.best.mistakes, search.lower, search.counted = [4, -3], 1, 1, True
    found = search.result()
    assert (found.mistakes, found.lower_bound, found.counted, found.rows) == (1, 1, True, 2)
    assert (found.classes, found.fit_intercept) == ([0, 1], True)
    assert found.hyperplane.weights == (Fraction(1),)  # 2 is scaled by 2^-2
    assert found.hyperplane.offset == -3


def test_tables_with_too_many_numbers_are_only_counted(monkeypatch):
    search, ways = search_of(LINE, LABELS), []
    monkeypatch.setattr(BestHyperplane, "try_pocket", lambda best, seconds: None)
    monkeypatch.setattr(HyperplaneSearch, "_count_exhaustively", lambda *given: ways.append("count"))
    monkeypatch.setattr(HyperplaneSearch, "_close_gap", lambda *given: ways.append("both"))
    for most in (13, 14):
        monkeypatch.setattr(hyperplane_search, "MAX_NUMBERS_IN_ONE_ARRAY", most)
        search._bound_mistakes(np.arange(7))
    assert ways == ["count", "both"]
