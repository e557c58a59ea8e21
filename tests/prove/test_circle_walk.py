"""The local search for few mistakes, turn by turn, beside a slow walk that says what each turn does."""

import numpy as np
import pytest

from rosenblatt.prove.mistakes import local_search
from rosenblatt.prove.mistakes.local_search import _CircleWalk, _Directions, search_circles_at_random
from rosenblatt.prove.time_limit import Clock


def weighted_mistakes(margins, weights):
    return sum(int(weight) for margin, weight in zip(margins, weights, strict=True) if margin <= 0)


def slow_best_angle(x, y, weights):
    """Try the middle of every arc between two places where a row changes sides."""
    ends = sorted(place % (2 * np.pi) for angle in np.arctan2(y, x) for place in (angle + np.pi / 2, angle - np.pi / 2))
    arcs = [(ends[k - 1], (ends[k] - ends[k - 1]) % (2 * np.pi)) for k in range(len(ends))]
    middles = [(begin + width / 2, width) for begin, width in arcs]
    counted = [(weighted_mistakes(np.cos(t) * x + np.sin(t) * y, weights), -width, t) for t, width in middles]
    return min(counted)[2]


class SlowWalk:
    """Turns of w towards a wrong row, downhill, along a column and at random, one after the other."""

    def __init__(self, rows, weights, random, ridge=1e-6):
        self.rows, self.weights, self.random, self.ridge = rows, weights, random, ridge
        sizes, axes = np.linalg.eigh(rows.T @ rows)
        self.root = axes @ np.diag((sizes + ridge * sum(sizes) / len(sizes)) ** -0.5)
        self.best, self.best_count = None, np.inf

    def begin(self, w):
        self.w, self.idle = w / np.sqrt(w @ w), 0
        self.count = weighted_mistakes(self.rows @ self.w, self.weights)
        self.keep()

    def keep(self):
        if self.count < self.best_count:
            self.best, self.best_count = self.w, self.count

    def direction(self, step):
        margins, size = self.rows @ self.w, len(self.w)
        wrong = [row for row in range(len(margins)) if margins[row] <= 0]
        if step % 4 == 1:
            width = np.quantile(np.abs(margins), self.random.uniform(0.02, 0.6))
            slopes = self.weights * (1 - np.tanh(margins / width) ** 2)
            gram = sum(slope * np.outer(row, row) for slope, row in zip(slopes, self.rows, strict=True))
            gram = gram + self.ridge * sum(np.diag(gram)) / size * np.eye(size)
            return np.linalg.solve(gram, sum(slope * row for slope, row in zip(slopes, self.rows, strict=True)))
        if step % 4 == 2:
            return np.eye(size)[step // 4 % size]
        if step % 4 == 3 or not wrong:
            return self.root @ self.random.standard_normal(size)
        return self.root @ self.root.T @ self.rows[self.random.choice(wrong)]

    def turn(self, step):
        u = self.direction(step)
        u = u - (u @ self.w) * self.w
        u = u / np.sqrt(u @ u)
        x, y = self.rows @ self.w, self.rows @ u
        angle = slow_best_angle(x, y, self.weights)
        found = weighted_mistakes(np.cos(angle) * x + np.sin(angle) * y, self.weights)
        self.idle = 0 if found < self.count else self.idle + 1
        if found <= self.count:
            self.w, self.count = np.cos(angle) * self.w + np.sin(angle) * u, found
            self.keep()
        if self.idle > 4 * len(self.w) + 40:
            size = self.random.choice([0.05, 0.2, 0.5])
            self.begin(self.best + self.random.normal(0.0, size / len(self.w) ** 0.5, len(self.w)))


def both_walks(seed, count, columns, ridge=1e-6):
    rng = np.random.default_rng(seed)
    rows, weights = rng.standard_normal((count, columns)), rng.integers(1, 4, count).astype(np.int32)
    walks = (
        _CircleWalk(rows, weights, np.random.default_rng(seed)),
        SlowWalk(rows, weights, np.random.default_rng(seed), ridge),
    )
    start = rng.standard_normal(columns)
    for walk in walks:
        walk.begin(start)
    return walks


@pytest.mark.parametrize(("seed", "columns"), [(0, 2), (1, 3), (2, 5)])
def test_turns_are_those_of_the_slow_walk(seed, columns):
    """Long enough for several new starts near the best."""
    fast, slow = both_walks(seed, 24, columns)
    begun = []
    for step in range(3 * (4 * columns + 41)):
        begun.append(fast.idle)
        fast.turn(step)
        slow.turn(step)
        np.testing.assert_allclose(fast.w, slow.w, atol=1e-6)
        assert (fast.count, fast.idle, fast.best_count) == (slow.count, slow.idle, slow.best_count)
    np.testing.assert_allclose(fast.best, slow.best, atol=1e-6)
    assert max(begun) == 4 * columns + 40


@pytest.mark.parametrize("seed", range(8))
def test_directions_are_those_of_the_slow_walk(seed, monkeypatch):
    """A large ridge shows what it is relative to: the mean eigenvalue of a Gram matrix."""
    monkeypatch.setattr(local_search, "RIDGE", 0.5)
    fast, slow = both_walks(seed, 12, 3, ridge=0.5)
    for step in range(8):
        u, wanted = fast.directions.choose(fast.w, fast.margins, step), slow.direction(step)
        wanted = wanted - (wanted @ slow.w) * slow.w
        np.testing.assert_allclose(u, wanted / np.sqrt(wanted @ wanted), atol=1e-7)


def test_a_direction_along_w_is_replaced_by_one_of_about_length_1():
    """Each coordinate is normal with variance 1 / columns, so that the mean square of the length is 1."""
    rows = np.eye(25)
    found = _Directions(rows, np.ones(25, dtype=np.int32), np.random.default_rng(0))
    u = found.choose(rows[0], rows[0], 2)
    wanted = np.random.default_rng(0).standard_normal(25) / 5
    np.testing.assert_allclose(u, wanted)


def test_large_tables_use_the_rows_nearest_to_the_plane(monkeypatch):
    """Downhill reads the rows with the steepest slopes, as many as a Gram matrix takes."""
    monkeypatch.setattr(local_search, "MAX_ROWS_OF_GRAM_MATRIX", 20)
    rng = np.random.default_rng(3)
    rows, weights = rng.standard_normal((60, 3)), np.ones(60, dtype=np.int32)
    found = _Directions(rows, weights, np.random.default_rng(5))
    drawn = rows[np.random.default_rng(5).choice(60, 20)]
    sizes = np.linalg.eigvalsh(drawn.T @ drawn)
    inverse = np.linalg.inv(drawn.T @ drawn + 1e-6 * sizes.mean() * np.eye(3))
    np.testing.assert_allclose(found.root @ found.root.T, inverse, rtol=1e-6)
    margins = rng.standard_normal(60)
    width = np.quantile(np.abs(margins), 0.6)
    found.random = type("Drawn", (), {"uniform": staticmethod(lambda low, high: high)})
    slopes = 1 / np.cosh(margins / width) ** 2
    near = np.argsort(np.abs(margins))[:20]
    gram = (slopes[near, None] * rows[near]).T @ rows[near]
    gram += 1e-6 * np.trace(gram) / 3 * np.eye(3)
    np.testing.assert_allclose(found._downhill(margins, 1), np.linalg.solve(gram, slopes @ rows), rtol=1e-6)


@pytest.mark.parametrize("count", [20, 21])
def test_tables_of_just_as_many_rows_are_not_large(count, monkeypatch):
    monkeypatch.setattr(local_search, "MAX_ROWS_OF_GRAM_MATRIX", 20)
    rows = np.random.default_rng(0).standard_normal((count, 2))
    assert _Directions(rows, np.ones(count, dtype=np.int32), np.random.default_rng(0)).large == (count > 20)


@pytest.mark.parametrize(("steps", "starts", "turns"), [(12, 3, 4), (13, 3, 4), (2, 3, 1), (0, 1, 1)])
def test_every_start_has_an_equal_share_of_the_turns(steps, starts, turns, monkeypatch):
    """The best start comes first. Opposite rows leave a mistake to every direction, so that no turn is the last."""
    made = []
    monkeypatch.setattr(_CircleWalk, "begin", lambda walk, w: made.append((w.tolist(), [])))
    monkeypatch.setattr(_CircleWalk, "turn", lambda walk, step: made[-1][1].append(step))
    rows, weights = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.ones(4, dtype=np.int32)
    lines = [[-1.0, -1.0], [1.0, 1.0], [1.0, -0.5]][:starts]  # with 3, 1 and 2 mistakes
    search_circles_at_random(rows, weights, [np.array(w) for w in lines], steps, 0, Clock(None))
    order = [1, 2, 0][:starts] if starts == 3 else [0]
    assert made == [(lines[k], list(range(turns))) for k in order]


@pytest.mark.parametrize("goal", [0, 1, 2, 3])
def test_the_search_ends_where_the_goal_is_reached(goal, monkeypatch):
    """Two opposite pairs: two mistakes at least. Each turn of this walk finds one mistake fewer."""
    turns = []

    def turn(walk, step):
        turns.append(step)
        walk.best_count -= 1

    monkeypatch.setattr(_CircleWalk, "turn", turn)
    rows = np.array([[1.0, 0.0], [0.9, 0.1], [0.8, 0.0], [0.7, 0.3]])
    search_circles_at_random(rows, np.ones(4, dtype=np.int32), [np.array([-1.0, 0.0])], 100, goal, Clock(None))
    assert len(turns) == 4 - goal
