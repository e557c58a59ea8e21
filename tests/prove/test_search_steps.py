"""Single steps of the search for few mistakes, held to their definitions."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import minimum_mistakes
from rosenblatt.prove.exact.linear_algebra import dot
from rosenblatt.prove.mistakes import great_circle_search as circles
from rosenblatt.prove.mistakes.great_circle_search import _CircleSearch, search_great_circles
from rosenblatt.prove.mistakes.local_search import _Directions, best_angle, least_squares
from rosenblatt.prove.time_limit import Clock

SEEDS = st.integers(0, 10**6)


class Drawn:
    """A generator that draws what it is told."""

    def __init__(self, value):
        self.value = value

    def uniform(self, low, high):
        assert low <= self.value <= high
        return self.value


def directions(rows, quantile=0.5):
    found = _Directions(rows, np.ones(len(rows), dtype=np.int32), np.random.default_rng(0))
    found.random = Drawn(quantile)
    return found


# Directions


@pytest.mark.parametrize("margin", [-2.0, -0.5, -1e-9, 0.0])
def test_steps_lead_towards_the_only_wrong_row(margin):
    """A row on the plane is wrong, too."""
    rows = np.random.default_rng(0).standard_normal((40, 4))
    found = _Directions(rows, np.ones(40, dtype=np.int32), np.random.default_rng(0))
    margins = np.full(40, 0.5)
    margins[7] = margin
    u = found._towards_wrong_row(margins, 0)
    np.testing.assert_allclose(u, np.linalg.solve(rows.T @ rows, rows[7]), rtol=1e-3)


# Downhill


def test_on_the_plane_downhill_is_least_squares():
    """All margins are 0, so all rows count alike, and the step brings all margins nearest to 1."""
    rows = np.random.default_rng(0).standard_normal((30, 3))
    u = directions(rows)._downhill(np.zeros(30), 1)
    np.testing.assert_allclose(u, least_squares(rows), rtol=1e-4)


@pytest.mark.parametrize("quantile", [0.25, 0.5])
def test_downhill_solves_for_the_slopes_of_a_smooth_count(quantile):
    """The count is sum of (1 - tanh(m / width)) / 2: its slopes are 1 / cosh^2, its steps those of Newton's method."""
    rng = np.random.default_rng(1)
    rows, margins = rng.standard_normal((30, 3)), rng.standard_normal(30)
    width = np.quantile(np.abs(margins), quantile)
    slopes = 1 - np.tanh(margins / width) ** 2
    wanted = np.linalg.solve(rows.T @ (slopes[:, None] * rows), rows.T @ slopes)
    np.testing.assert_allclose(directions(rows, quantile)._downhill(margins, 1), wanted, rtol=1e-4)


def test_rows_far_from_the_plane_do_not_move_it():
    rng = np.random.default_rng(2)
    near, far = rng.standard_normal((20, 3)), rng.standard_normal((9, 3))
    margins = np.append(np.full(20, 0.1), np.full(9, 1e9))
    u = directions(np.vstack([near, far]))._downhill(margins, 1)
    np.testing.assert_allclose(u, least_squares(near), rtol=1e-4)


def test_columns_at_a_right_angle_are_whitened_one_by_one():
    """The Gram matrix is diagonal: its inverse divides each coordinate by the square of its column."""
    rows = np.diag([1.0, 2.0, 4.0])
    found = directions(rows)
    np.testing.assert_allclose(found.root @ found.root.T, np.diag([1, 1 / 4, 1 / 16]), rtol=1e-4, atol=1e-9)


# Angles


def test_an_angle_of_half_a_turn_is_one_place():
    """Two rows are wrong from -90 to 90 degrees, and one elsewhere: the middle is 180 degrees, or -180."""
    x = np.array([-1.0, -1.0, 1.0])
    angle = best_angle(x, np.zeros(3), np.ones(3, dtype=np.int32))
    assert abs(angle) == pytest.approx(np.pi)


# Circles in a subspace


def flat_rows(seed, count):
    """Rows of 4 columns, many of them in planes and lines through the origin, no two along one line."""
    rng = np.random.default_rng(seed)
    rows = {}
    for values in rng.integers(-1, 2, (count, 4)).tolist():
        first = next((value for value in values if value), 0)
        if first:
            rows.setdefault(tuple(first * value for value in values), values)
    return list(rows.values())


@settings(max_examples=6, deadline=None)
@given(SEEDS)
def test_rays_through_many_rows_are_explored_in_their_subspace(seed):
    """Small integers leave many rows on one ray. Branching, which does not need rays, says the same."""
    rows = flat_rows(seed, 9)
    weights = np.random.default_rng(seed).integers(1, 4, len(rows)).astype(np.int32)
    below = int(weights.sum()) + 1
    wanted = search_great_circles(rows, weights, below, Clock(None))
    branch = _CircleSearch.branch
    _CircleSearch.branch = lambda *arguments: False
    try:
        found = search_great_circles(rows, weights, below, Clock(None))
    finally:
        _CircleSearch.branch = branch
    wrong = sum(int(weight) for row, weight in zip(rows, weights, strict=True) if dot(row, found.w) <= 0)
    assert found.mistakes == wanted.mistakes == wrong


def test_rows_in_a_basis_are_their_products_without_those_that_vanish():
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    search = _CircleSearch(rows, np.ones(4, dtype=np.int32), 5, Clock(None), None)
    assert search.rows_in_basis(None) == (rows, [0, 1, 2, 3])
    assert search.rows_in_basis([[1, 0, 0], [0, 2, 0]]) == ([[1, 0], [0, 2], [1, 2]], [0, 1, 3])


def test_the_same_rows_are_searched_once(monkeypatch):
    """A search that found nothing below 2 is made again for 3, and not for 2."""
    rows = [[1, 0, 0], [-1, 1, 0], [0, -1, 0], [0, 0, 1]]
    search = _CircleSearch(rows, np.ones(4, dtype=np.int32), 5, Clock(None), None)
    asked = []

    def searched(rows, weights, below, clock):
        asked.append(below)
        return search_great_circles(rows, weights, below, clock)

    monkeypatch.setattr(circles, "search_great_circles", searched)
    three = np.array([0, 1, 2])
    assert search.search_near_ray(three, 1) is None
    assert search.search_near_ray(three, 1) is None
    assert search.search_near_ray(three, 2).mistakes == 1
    assert search.search_near_ray(three, 3).mistakes == 1
    assert asked == [1, 2]


def test_independent_rows_near_a_ray_are_all_right():
    rows = [[1, 2, 3], [0, 1, 1], [1, 1, 1]]
    search = _CircleSearch(rows, np.ones(3, dtype=np.int32), 4, Clock(None), None)
    assert search.search_near_ray(np.array([0, 1]), 0) is None
    found = search.search_near_ray(np.array([0, 1]), 1)
    assert found.mistakes == 0
    assert min(dot(rows[0], found.w), dot(rows[1], found.w)) > 0


def test_where_no_row_must_keep_its_side_the_step_itself_is_taken():
    exact = circles._IntegerMargins([[1, 2], [3, 4]])
    assert exact.move_towards([5, 7], [2, 4], np.array([False, False])) == [1, 2]


def test_a_lone_column_has_two_directions():
    """Rows 1, 2 and -3 of weight 1, 1 and 5: the negative direction has two mistakes."""
    weights = np.array([1, 1, 5], dtype=np.int32)
    assert search_great_circles([[1], [2], [-3]], weights, 8, Clock(None)) == (2, [-1])


# Defaults


def test_the_time_limit_is_a_minute():
    """As the signature in the reference says."""
    assert inspect.signature(minimum_mistakes).parameters["time_limit"].default == 60
