"""The local search for few mistakes: what it starts from, what it keeps, and where it turns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.prove.mistakes import local_search
from rosenblatt.prove.mistakes.local_search import (
    _CircleWalk,
    _Directions,
    best_angle,
    least_squares,
    search_circles_at_random,
    weigh_mistakes,
)
from rosenblatt.prove.time_limit import Clock

SEEDS = st.integers(0, 10**6)


def ones(rows):
    return np.ones(len(rows), dtype=np.int32)


# Mistakes


def test_rows_on_the_plane_are_mistakes():
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]])
    weights = np.array([2, 3, 4], dtype=np.int32)
    w = np.array([1.0, 0.0])
    assert weigh_mistakes(rows, weights, w) == 6
    walk = _CircleWalk(rows, weights, np.random.default_rng(0))
    walk.begin(w)
    assert (walk.count, walk.best_count) == (6, 6)


def test_a_start_that_is_wrong_on_all_rows_is_better_than_none():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = search_circles_at_random(rows, ones(rows), [np.array([-3.0, -4.0])], 1, 2, Clock(None))
    np.testing.assert_allclose(found, [-0.6, -0.8])


def test_the_search_begins_with_the_best_start():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]])
    bad, good = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    assert search_circles_at_random(rows, ones(rows), [bad, good], 10, 0, Clock(None)).min() > 0


def test_without_time_the_best_start_is_returned():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    starts = [np.array([-1.0, -2.0]), np.array([2.0, 1.0])]
    found = search_circles_at_random(rows, ones(rows), starts, 100, 0, Clock(0))
    np.testing.assert_allclose(found * np.sqrt(5), starts[1])


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_every_start_has_at_least_one_step(steps):
    """Rows that one turn separates from any start."""
    rows = np.array([[1.0, 0.0], [1.0, 0.1]])
    starts = [np.array([-1.0, 0.0]), np.array([-1.0, 0.1]), np.array([-1.0, 0.2])]
    found = search_circles_at_random(rows, ones(rows), starts, steps, 0, Clock(None))
    assert weigh_mistakes(rows, ones(rows), found) == 0


# Turns


@settings(deadline=None)
@given(SEEDS)
def test_a_turn_never_makes_more_mistakes_and_keeps_its_margins(seed):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((30, 3))
    weights = rng.integers(1, 4, 30).astype(np.int32)
    walk = _CircleWalk(rows, weights, rng)
    walk.begin(rng.standard_normal(3))
    for step in range(12):
        before, best = walk.count, walk.best_count
        walk.turn(step)
        assert walk.count <= before
        assert walk.best_count == min(best, walk.count)
        assert np.linalg.norm(walk.w) == pytest.approx(1)
        np.testing.assert_allclose(walk.margins, rows @ walk.w, atol=1e-9)
        assert walk.count == weigh_mistakes(rows, weights, walk.w)
    assert weigh_mistakes(rows, weights, walk.best) == walk.best_count


def test_turns_without_gain_are_counted_and_end_in_a_new_start():
    """No direction is right on both of two opposite rows."""
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]])
    walk = _CircleWalk(rows, ones(rows), np.random.default_rng(0))
    walk.begin(np.array([1.0, 0.0]))
    for step in range(48):
        walk.turn(step)
        assert walk.idle == step + 1
    walk.turn(48)
    assert walk.idle == 0


def test_a_gain_ends_the_idle_turns():
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.1]])
    walk = _CircleWalk(rows, ones(rows), np.random.default_rng(0))
    walk.begin(np.array([1.0, -1.0]))
    walk.idle = 17
    while walk.count > 1:
        before = walk.count
        walk.turn(3)
    assert walk.count < before
    assert walk.idle == 0


@settings(deadline=None)
@given(SEEDS)
def test_the_best_angle_is_the_middle_of_its_arc(seed):
    """The mistakes stay the same up to the ends of the arc, which are equally far."""
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 7))
    angle = best_angle(x, y, ones(x))
    ends = np.concatenate([np.arctan2(y, x) + np.pi / 2, np.arctan2(y, x) - np.pi / 2])
    away = (ends - angle + np.pi) % (2 * np.pi) - np.pi
    assert away[away > 0].min() == pytest.approx(-away[away < 0].max(), abs=1e-9)


@settings(deadline=None)
@given(SEEDS)
def test_the_best_angle_is_in_the_widest_of_the_best_arcs(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal((2, 5))
    ends = np.sort(np.concatenate([np.arctan2(y, x) + np.pi / 2, np.arctan2(y, x) - np.pi / 2]) % (2 * np.pi))
    widths = np.diff(np.append(ends, ends[0] + 2 * np.pi))
    counts = [int((np.cos(t) * x + np.sin(t) * y <= 0).sum()) for t in ends + widths / 2]
    widest = max(width for width, count in zip(widths, counts, strict=True) if count == min(counts))
    angle = best_angle(x, y, ones(x))
    assert int((np.cos(angle) * x + np.sin(angle) * y <= 0).sum()) == min(counts)
    assert 2 * np.abs((ends - angle + np.pi) % (2 * np.pi) - np.pi).min() == pytest.approx(widest)


# Directions


def test_a_step_towards_a_wrong_row_makes_its_margin_larger():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 4))
    directions = _Directions(rows, ones(rows), rng)
    margins = np.ones(40)
    margins[7] = -1.0
    assert rows[7] @ directions._towards_wrong_row(margins, 0) > 0


def test_without_a_wrong_row_some_direction_is_taken():
    rows = np.random.default_rng(4).standard_normal((40, 4))
    directions = _Directions(rows, ones(rows), np.random.default_rng(0))
    first, second = (directions._towards_wrong_row(np.ones(40), 0) for _ in range(2))
    assert np.isfinite(first).all()
    assert np.linalg.norm(first - second) > 1e-6


def test_the_inverse_of_the_gram_matrix_moves_other_rows_least():
    """u = (A'A)^-1 a_i is the direction with a_i . u fixed whose sum of squared margins is least."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((40, 4)) * [1.0, 5.0, 0.2, 1.0]
    margins = np.ones(40)
    margins[3] = -1.0
    u = _Directions(rows, ones(rows), rng)._towards_wrong_row(margins, 0)
    wanted = np.linalg.solve(rows.T @ rows, rows[3])
    np.testing.assert_allclose(u / np.linalg.norm(u), wanted / np.linalg.norm(wanted), rtol=1e-2)


def test_downhill_has_fewer_mistakes_nearby():
    """All rows near the plane are wrong by a little: the smooth count falls along the direction."""
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((200, 3))
    w = np.array([1.0, 0.0, 0.0])
    rows[:, 0] = np.abs(rows[:, 0]) - 0.3
    rows[:, 1] = np.abs(rows[:, 1]) + 0.5
    u = _Directions(rows, ones(rows), rng)._downhill(rows @ w, 1)
    u /= np.linalg.norm(u)
    assert weigh_mistakes(rows, ones(rows), w + 0.3 * u) < weigh_mistakes(rows, ones(rows), w)


def test_columns_are_tried_in_turn():
    directions = _Directions(np.eye(3), ones(np.eye(3)), np.random.default_rng(0))
    tried = [directions._along_column(np.ones(3), step).tolist() for step in (2, 6, 10, 14)]
    assert tried == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_a_direction_along_w_is_replaced():
    rows = np.eye(3)
    directions = _Directions(rows, ones(rows), np.random.default_rng(0))
    w = np.array([1.0, 0.0, 0.0])
    u = directions.choose(w, rows @ w, 2)  # the column of w itself
    assert np.linalg.norm(u - (u @ w) * w) > 1e-3


def test_large_tables_use_some_of_their_rows(monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((60, 3))
    w = np.array([0.6, 0.0, 0.8])
    monkeypatch.setattr(local_search, "MAX_ROWS_OF_GRAM_MATRIX", 20)
    directions = _Directions(rows, ones(rows), rng)
    assert directions.large
    for step in range(8):
        u = directions.choose(w, rows @ w, step)
        assert abs(u @ w) < 1e-9
        assert np.linalg.norm(u) == pytest.approx(1)


@settings(deadline=None)
@given(SEEDS)
def test_least_squares_with_weights_is_that_of_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    rows, weights = rng.standard_normal((9, 3)), rng.integers(1, 4, 9).astype(np.int32)
    np.testing.assert_allclose(least_squares(rows, weights), least_squares(np.repeat(rows, weights, axis=0)))
    margins = rows @ least_squares(rows)
    np.testing.assert_allclose(rows.T @ (margins - 1), 0, atol=1e-9)
