"""The fewest mistakes possible: held to brute force over fractions, and every bound to its proof."""

import json
import threading
import time
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from mistake_searches import bounds_after, by_brute_force, draw, mistakes_of, overlapping
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from rosenblatt import minimum_mistakes
from rosenblatt.prove.exact.hyperplane import Hyperplane
from rosenblatt.prove.exact.merged_rows import merge_rows
from rosenblatt.prove.mistakes import hyperplane_search
from rosenblatt.prove.mistakes.clash import Clash


@pytest.mark.parametrize("kind", ["grid", "line", "anywhere"])
@pytest.mark.parametrize(("columns", "most"), [(1, 8), (2, 12), (3, 9)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_it_is_what_brute_force_says(kind, columns, most, fit_intercept):
    random = np.random.default_rng([columns, most, fit_intercept])
    for rows in [*range(2, most + 1), most, most, most]:
        X, y = draw(random, rows, columns, kind)
        result = minimum_mistakes(X, y, fit_intercept)
        assert result.proved
        assert result.mistakes == by_brute_force(X, y, fit_intercept), (X.tolist(), y.tolist())
        assert mistakes_of(result.hyperplane, X, y) == result.mistakes
        assert result.verify(X, y), result.why_not


def test_three_hundred_rows_of_three_columns_are_settled():
    X, y = overlapping(300, 3)
    result = minimum_mistakes(X, y)
    assert result.proved
    assert result.counted
    assert result.verify(X, y)


def test_separable_rows_have_no_mistake():
    X = np.random.default_rng(0).standard_normal((200, 20))
    result = minimum_mistakes(X, X[:, 0] > 0)
    assert (result.mistakes, result.lower_bound, result.clashes) == (0, 0, [])
    assert result.verify(X, X[:, 0] > 0)


def test_rows_that_need_no_mistake_are_right_at_once():
    """Quasi-complete separation: one column separates most rows, and the others are the whole question."""
    X = np.array([[5.0, 1e3], [-5.0, -1e3], [6.0, 2.0], [0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
    y = [1, 0, 1, 0, 1, 0]
    result = minimum_mistakes(X, y)
    assert (result.mistakes, result.proved) == (1, True)
    assert mistakes_of(result.hyperplane, X, y) == 1


def test_opposite_rows_cancel():
    X = [[1.0]] * 5 + [[2.0]] * 4
    result = minimum_mistakes(X, [0, 0, 0, 1, 1, 1, 1, 1, 0])
    assert (result.mistakes, result.lower_bound, result.counted) == (3, 3, False)
    assert [len(clash.rows) for clash in result.clashes] == [2, 2, 2]


def test_rows_of_zeros_are_mistakes_without_an_offset():
    result = minimum_mistakes([[0.0], [1.0], [-1.0], [0.0]], [1, 1, 0, 0], fit_intercept=False)
    assert (result.mistakes, result.proved) == (2, True)
    assert [clash.rows for clash in result.clashes] == [(0,), (3,)]


def test_multiples_are_one_direction_without_an_offset():
    X = [[1.0, 2.0], [2.0, 4.0], [-0.5, -1.0], [3.0, 6.0]]
    y = [1, 1, 1, 0]
    result = minimum_mistakes(X, y, fit_intercept=False)
    assert (result.mistakes, result.proved) == (2, True)
    assert result.verify(X, y)


def test_floats_cannot_hide_what_is_exact():
    """Three points on a line, but for one unit in the last place: then one hyperplane is right on all of them."""
    line = [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]
    bent = [[0.1, 0.1], [0.2, np.nextafter(0.2, 1)], [0.3, 0.3]]
    y = [0, 1, 0]
    assert minimum_mistakes(line, y).mistakes == by_brute_force(line, y) == 1
    assert minimum_mistakes(bent, y).mistakes == by_brute_force(bent, y) == 0
    many = np.array(bent * 3) + np.repeat(np.arange(3), 3)[:, None] * 2.0**-40
    labels = np.array(y * 3)
    assert minimum_mistakes(many, labels).mistakes == by_brute_force(many, labels)


def test_scale_and_shift_change_nothing():
    random = np.random.default_rng(3)
    X = random.integers(0, 4, (40, 2)).astype(float)
    y = random.integers(0, 2, 40)
    expected = minimum_mistakes(X, y).mistakes
    for moved in (X * 2.0**300, X * [1e-9, 1e9], X + np.array([1e6, -1e3])):
        result = minimum_mistakes(moved, y)
        assert (result.mistakes, result.proved) == (expected, True)
        assert result.verify(moved, y)


def test_rows_of_very_different_length_are_all_seen():
    """Through the origin the length of a row means nothing: even one that is 0 beside others in floats counts."""
    X, y = overlapping(40, 2)
    expected = minimum_mistakes(X, y, fit_intercept=False)
    long = X * np.where(np.arange(40) % 2, 1.0, 2.0**-1000)[:, None] * 2.0**500
    result = minimum_mistakes(long, y, fit_intercept=False)
    assert (result.mistakes, result.proved) == (expected.mistakes, True)
    assert result.verify(long, y)


def test_no_time_gives_the_trivial_bounds():
    X, y = overlapping(100, 3)
    result = minimum_mistakes(X, y, time_limit=0)
    assert (result.mistakes, result.lower_bound) == (min(y.sum(), (~y).sum()), 0)
    assert result.verify(X, y)
    assert not result.proved
    bare = minimum_mistakes(X, y, fit_intercept=False, time_limit=0)
    assert bare.lower_bound == 0
    assert bare.verify(X, y)


def test_the_bounds_of_a_time_limit_hold():
    X, y = overlapping(400, 8, noise=2.0)
    began = time.process_time()
    result = minimum_mistakes(X, y, time_limit=2.0)
    assert time.process_time() - began < 10
    assert not result.proved
    assert 0 < result.lower_bound == result.bound_of_clashes < result.mistakes < 200
    assert mistakes_of(result.hyperplane, X, y) == result.mistakes
    assert result.verify(X, y), result.why_not


def test_many_rows_have_a_bound():
    X, y = overlapping(20_000, 10)
    result = bounds_after(200, X, y)
    assert result.lower_bound > 0
    assert result.verify(X, y)
    matrix = sparse.random(3000, 40, density=0.1, random_state=0, format="csr")
    labels = np.arange(3000) % 2
    answer = bounds_after(200, matrix, labels)
    assert answer.lower_bound > 0
    assert answer.verify(matrix, labels)
    assert answer.verify(matrix.toarray(), labels)


@pytest.mark.parametrize("make", [lambda X: X.astype(np.float32), lambda X: sparse.csr_matrix(X), lambda X: X.tolist()])
def test_every_kind_of_rows(make):
    X = np.random.default_rng(5).integers(0, 3, (30, 3)).astype(float)
    y = np.array(["no", "yes"])[np.random.default_rng(6).integers(0, 2, 30)]
    result = minimum_mistakes(make(X), y)
    assert (result.mistakes, result.classes) == (minimum_mistakes(X, y).mistakes, ["no", "yes"])
    assert result.verify(make(X), y)


def test_one_class_against_the_rest():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 2, 1]
    assert minimum_mistakes(X, y, classes=(None, 1)).mistakes == 1
    assert minimum_mistakes(X, y, classes=(0, 2)).mistakes == 0
    assert minimum_mistakes(X, y, classes=(1, 2)).clashes[0].rows == (1, 2, 3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"mistakes": 3}, "The hyperplane makes"),
        ({"lower_bound": 9}, "It claims at least 9 mistakes, and a hyperplane makes 1."),
        ({"clashes": []}, "It claims at least 1 mistake, but its clashes prove only 0."),
        ({"clashes": [Clash((0, 1), (1, 1))]}, "do not add up to 0"),
        ({"clashes": [Clash((0, 99), (1, 1))]}, "must name rows"),
        ({"clashes": [Clash((), ())]}, "must name rows"),
        ({"clashes": [Clash((0, 1, 2, 3), (1, -1, 1, 1))]}, "above 0"),
        ({"hyperplane": Hyperplane((Fraction(1),), Fraction(0))}, "other data"),
    ],
)
def test_false_answers_are_refused(change, reason):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    result = minimum_mistakes(X, y)
    assert result.verify(X, y)
    changed = replace(result, **change)
    assert not changed.verify(X, y)
    assert reason in changed.why_not


def test_clashes_that_share_a_row_are_refused():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    result = minimum_mistakes(X, y)
    twice = replace(result, clashes=result.clashes * 2, lower_bound=1)
    assert not twice.verify(X, y)
    assert twice.why_not == "The shares of the clashes of row 0 add up to more than 1."


def test_a_bound_that_was_counted_is_counted_again():
    X, y = overlapping(60, 2)
    result = minimum_mistakes(X, y)
    assert result.counted
    assert result.verify(X, y)
    higher = replace(result, lower_bound=result.mistakes, clashes=[])
    assert higher.verify(X, y)
    plain = minimum_mistakes(X, y, time_limit=0)
    false = replace(plain, lower_bound=plain.mistakes, counted=True)
    assert not false.verify(X, y)
    assert false.why_not == f"A hyperplane makes {result.mistakes} mistakes."


@pytest.mark.parametrize(
    ("X", "y", "options", "words"),
    [
        ([[np.nan], [1.0]], [0, 1], {}, "NaN"),
        ([[1.0], [2.0]], [0, 0], {}, "two classes"),
        ([[1.0], [2.0]], [0, 1, 1], {}, "inconsistent"),
        ([[1.0], [2.0], [3.0]], [0, 1, 2], {}, "classes"),
        ([[1.0], [2.0]], [0, 1], {"time_limit": -1}, "time_limit must be a finite number of at least 0"),
        ([[1.0], [2.0]], [0, 1], {"time_limit": np.nan}, "time_limit"),
    ],
)
def test_bad_input_is_refused(X, y, options, words):
    with pytest.raises(ValueError, match=words):
        minimum_mistakes(X, y, **options)


def test_words(capsys, monkeypatch):
    X, y = overlapping(60, 2)
    result = minimum_mistakes(X, y)
    assert result.status == (
        f"no hyperplane makes fewer than {result.mistakes} mistakes in 60 rows; this one makes exactly that many"
    )
    assert str(result) == result.explain()
    assert "proved" in result.explain()
    open_ = minimum_mistakes(X, y, time_limit=0)
    assert open_.status.endswith(f"between 0 and {open_.mistakes}: the bounds did not meet")
    assert "at least 0" in open_.explain()
    monkeypatch.setattr(hyperplane_search, "SECONDS_BETWEEN_LINES", 0.0)
    minimum_mistakes(*overlapping(100, 4, noise=2.0), verbose=1)
    assert "minimum_mistakes: between" in capsys.readouterr().err


def test_a_search_that_counted_says_what_its_clashes_prove():
    X, y = overlapping(60, 2)
    result = minimum_mistakes(X, y)
    assert result.counted
    first = f"The fewest mistakes possible are {result.mistakes} of 60 rows, proved."
    searched = f"{first} An exhaustive search found no hyperplane with fewer."
    several = replace(result, clashes=result.clashes[:2])
    assert several.explain() == f"{searched} 2 clashes that share no row prove 2 of them without the search."
    one = replace(result, clashes=result.clashes[:1])
    assert one.explain() == f"{searched} 1 clash proves 1 of them without the search."


def test_clashes_that_overlap_are_told_by_the_sum_of_their_shares():
    half = [Clash(rows, (1, 1), Fraction(1, 2)) for rows in ((0, 1), (1, 2), (0, 2))]
    trivial = minimum_mistakes([[0.0], [1.0], [2.0]], [0, 1, 0], time_limit=0)
    result = replace(trivial, clashes=half, lower_bound=2)
    assert result.bound_of_clashes == 2
    assert result.explain().endswith(
        "Every hyperplane has a mistake in each of 3 clashes that overlap: their shares, at most 1 a row, add up to "
        "more than 1."
    )


def test_clashes_are_plain_numbers():
    result = minimum_mistakes(*overlapping(60, 2), time_limit=5)
    assert json.loads(json.dumps([[clash.rows, clash.multipliers] for clash in result.clashes]))


def test_threads_do_not_disturb_each_other():
    X, y = overlapping(80, 2)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(minimum_mistakes(X, y).mistakes)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(answers)) == 1
    assert len(answers) == 4


@pytest.mark.parametrize(("rows", "columns"), [(60, 3), (50, 4), (40, 5)])
def test_long_walks_that_are_cut_short_miss_nothing(rows, columns):
    """Clashes end most of the walk; a mixed integer programme that asks for a margin can only find more mistakes."""
    X, y = overlapping(rows, columns, noise=1.5, seed=rows)
    a = np.where(y, 1.0, -1.0)[:, None] * np.hstack([X, np.ones((rows, 1))])
    costs = np.append(np.zeros(columns + 1), np.ones(rows))
    enough = np.diag(np.abs(a).sum(axis=1) + 1e-5)
    limits = LinearConstraint(np.hstack([a, enough]), lb=1e-5)
    bounds = Bounds(np.append(-np.ones(columns + 1), np.zeros(rows)), np.ones(columns + 1 + rows))
    peer = milp(costs, integrality=costs, bounds=bounds, constraints=limits)
    result = minimum_mistakes(X, y)
    assert result.counted
    assert result.mistakes == round(peer.fun)


def test_a_guide_and_an_order_change_nothing():
    random = np.random.default_rng(11)
    X = random.integers(0, 4, (60, 4)).astype(float)
    y = X.sum(axis=1) + random.standard_normal(60) > 6
    expected = minimum_mistakes(X, y)
    for _ in range(3):
        order, flip = random.permutation(60), random.choice([-1.0, 1.0], 4)
        again = minimum_mistakes((X * flip)[order], y[order])
        assert (again.mistakes, again.proved) == (expected.mistakes, True)


def test_no_further_step_begins_when_the_time_is_up(monkeypatch):
    def slow_merge(problem, rows):
        time.sleep(0.25)
        return merge_rows(problem, rows)

    monkeypatch.setattr(hyperplane_search, "merge_rows", slow_merge)
    monkeypatch.setattr(hyperplane_search.BestHyperplane, "try_pocket", None)
    monkeypatch.setattr(hyperplane_search, "search_circles_at_random", None)
    X, y = overlapping(100, 3)
    result = minimum_mistakes(X, y, time_limit=0.2)
    assert result.verify(X, y)
    assert not result.proved
