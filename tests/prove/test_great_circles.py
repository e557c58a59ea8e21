"""The exhaustive search over great circles, held to brute force, and the exact margins that it stands on."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.prove.exact.linear_algebra import dot, primitive_vector
from rosenblatt.prove.mistakes import great_circle_search as circles
from rosenblatt.prove.mistakes.great_circle_search import _IntegerMargins, search_great_circles
from rosenblatt.prove.mistakes.local_search import weigh_mistakes
from rosenblatt.prove.time_limit import Clock

SEEDS = st.integers(0, 10**6)


def directions(seed, count, columns, most=3):
    """Rows of small integers, no two of them along the same line, and their weights."""
    rng = np.random.default_rng(seed)
    rows = {}
    for values in rng.integers(-most, most + 1, (count, columns)).tolist():
        if any(values):
            sign = 1 if next(value for value in values if value) > 0 else -1
            rows.setdefault(tuple(primitive_vector([sign * value for value in values])), values)
    return list(rows.values()), rng.integers(1, 5, len(rows)).astype(np.int32)


def mistakes(rows, weights, w):
    return sum(int(weight) for row, weight in zip(rows, weights, strict=True) if dot(row, w) <= 0)


def fewest_on_a_grid(rows, weights, size=9):
    """Over all directions with small coordinates: enough to reach every cone of a few small rows."""
    return min(mistakes(rows, weights, w) for w in product(range(-size, size + 1), repeat=len(rows[0])))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(1, 2), st.integers(1, 7))
def test_the_fewest_mistakes_are_those_of_brute_force(seed, columns, count):
    rows, weights = directions(seed, count, columns)
    if not rows:
        return
    found = search_great_circles(rows, weights, int(weights.sum()) + 1, Clock(None))
    assert found.mistakes == mistakes(rows, weights, found.w) == fewest_on_a_grid(rows, weights)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_rows_in_a_plane_of_a_larger_space_are_searched_in_the_plane(seed):
    """Two columns depend on the others. The w that is found makes the mistakes that are claimed."""
    rows, weights = directions(seed, 7, 2)
    if not rows:
        return
    wide = [[a, a + b, b, a - b] for a, b in rows]
    found = search_great_circles(wide, weights, int(weights.sum()) + 1, Clock(None))
    assert found.mistakes == mistakes(wide, weights, found.w) == fewest_on_a_grid(rows, weights)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_limit_is_the_first_number_that_is_not_reached(seed):
    rows, weights = directions(seed, 8, 3)
    fewest = search_great_circles(rows, weights, int(weights.sum()) + 1, Clock(None)).mistakes
    assert search_great_circles(rows, weights, fewest + 1, Clock(None)).mistakes == fewest
    assert search_great_circles(rows, weights, fewest, Clock(None)) is None


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_circles_and_branches_agree(seed):
    rows, weights = directions(seed, 9, 3)
    by_branches = search_great_circles(rows, weights, int(weights.sum()) + 1, Clock(None))
    branch = circles._CircleSearch.branch
    circles._CircleSearch.branch = lambda *arguments: False
    try:
        by_circles = search_great_circles(rows, weights, int(weights.sum()) + 1, Clock(None))
    finally:
        circles._CircleSearch.branch = branch
    assert by_circles.mistakes == by_branches.mistakes == mistakes(rows, weights, by_circles.w)


def test_no_rows_have_no_mistakes():
    nothing = np.zeros(0, dtype=np.int32)
    assert search_great_circles([], nothing, 1, Clock(None)) == (0, [])
    assert search_great_circles([], nothing, 0, Clock(None)) is None
    assert search_great_circles([[1, 2]], np.ones(1, dtype=np.int32), 0, Clock(None)) is None


def test_the_share_of_circles_rises_to_1(monkeypatch):
    monkeypatch.setattr(circles._CircleSearch, "branch", lambda *arguments: False)
    monkeypatch.setattr(circles, "ROWS_PER_SLICE", 1)
    rows, weights = directions(0, 12, 3)
    shares = []
    search_great_circles(rows, weights, int(weights.sum()) + 1, Clock(None), shares.append)
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert 0 < shares[0] < 1


# Exact margins


@settings(deadline=None)
@given(st.lists(st.integers(0, 80), min_size=3, max_size=3), st.integers(0, 80), SEEDS)
def test_margins_are_exact_whatever_the_length_of_the_numbers(bits, more, seed):
    rng = np.random.default_rng(seed)
    rows = [[int(value) << size for value in rng.integers(-7, 8, 3)] for size in bits]
    rows[0][0] += 1
    w = [int(value) << more for value in rng.integers(-7, 8, 3)]
    exact = _IntegerMargins(rows)
    wanted = [dot(row, w) for row in rows]
    assert [int(value) for value in exact.margins(w)] == wanted
    assert exact.signs(w).tolist() == [(value > 0) - (value < 0) for value in wanted]


@settings(deadline=None)
@given(SEEDS)
def test_a_small_move_keeps_rows_on_their_side(seed):
    rng = np.random.default_rng(seed)
    rows, v, step = (
        rng.integers(-9, 10, (6, 3)).tolist(),
        rng.integers(-9, 10, 3).tolist(),
        rng.integers(-99, 100, 3).tolist(),
    )
    rows[0][0] += rows[0][0] >= 0
    exact = _IntegerMargins(rows)
    before, along = exact.signs(v), exact.signs(step)
    moved = exact.signs(exact.move_towards(v, step, before != 0))
    assert (moved[before != 0] == before[before != 0]).all()
    if any(step):
        assert (moved[before == 0] == along[before == 0]).all()


def test_without_a_step_nothing_moves():
    exact = _IntegerMargins([[1, 2], [3, 4]])
    assert exact.move_towards([5, 7], [0, 0], np.array([True, False])) == [5, 7]


# Floats for the core


@pytest.mark.parametrize("thickness", [0, 20, 40])
def test_rows_have_length_1_and_an_error_that_is_not_too_small(thickness):
    """No float has a smaller error than a few units in its last place for each column."""
    rng = np.random.default_rng(thickness)
    rows = [
        [int(a) << 60, int(b) << 60, (int(a + b) << 60) + (int(c) << 60 - thickness)]
        for a, b, c in rng.integers(-9, 10, (30, 3))
    ]
    rows = [row for row in rows if any(row)]
    floats, error = circles._condition_rows(rows)
    np.testing.assert_allclose(np.linalg.norm(floats, axis=1), 1.0)
    assert error >= 11 * np.finfo(np.float64).eps
    assert error < 1e-6


@pytest.mark.parametrize("seed", range(10))
def test_the_guide_makes_at_most_the_mistakes_of_its_starts(seed):
    rng = np.random.default_rng(seed)
    rows, weights = rng.standard_normal((30, 3)), rng.integers(1, 4, 30).astype(np.int32)
    rows[::3] = [1.0, 0.0, 0.0]
    starts = [np.linalg.lstsq(rows, np.ones(30), rcond=None)[0], rows.T @ weights]
    guide = circles._guiding_direction(rows, weights)
    assert weigh_mistakes(rows, weights, guide) <= min(weigh_mistakes(rows, weights, start) for start in starts)


def test_a_guide_may_be_along_a_column():
    rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.8, -0.6]])
    assert (rows @ circles._guiding_direction(rows, np.ones(3, dtype=np.int32))).min() > 0
