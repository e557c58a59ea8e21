"""A local search for hyperplanes with few mistakes, in floats and without proof.

The directions cos(t) w + sin(t) u form a circle, and each row is right on half of it. Sorting the ends of these halves
gives the fewest mistakes on the circle and where they are. The search tries circles through w and a wrong row, downhill
for a smooth count of the mistakes, a column or a random direction in turn. A step that leaves the mistakes unchanged is
taken too, to cross plateaus.
"""

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..time_limit import Clock

Weights = npt.NDArray[np.int32]
QUARTER_TURN = np.pi / 2
MAX_ROWS_OF_GRAM_MATRIX = 5000
RIDGE = 1e-6  # of a Gram matrix, relative to its mean eigenvalue


def best_angle(x: Floats, y: Floats, weights: Weights) -> float:
    """The angle t at which the margins cos(t) x + sin(t) y have the fewest mistakes: the middle of the widest such arc.

    >>> rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> angle = best_angle(-rows[:, 0], rows[:, 1], np.ones(3, dtype=np.int32))
    >>> int((np.cos(angle) * -rows[:, 0] + np.sin(angle) * rows[:, 1] <= 0).sum())
    1
    """
    angles = np.arctan2(y, x)
    places = np.concatenate([angles - QUARTER_TURN, angles + QUARTER_TURN])
    places[places < -np.pi] += 2 * np.pi
    places[places >= np.pi] -= 2 * np.pi
    order = np.argsort(places)
    places = places[order]
    wrong = np.concatenate([-weights, weights])[order].cumsum()  # after each place, up to a constant
    gaps = np.diff(places, append=places[0] + 2 * np.pi)
    wrong = np.where(gaps > 1e-12, wrong, np.iinfo(np.int64).max)
    at = int(np.argmax(np.where(wrong == wrong.min(), gaps, -1.0)))
    return float(places[at] + gaps[at] / 2)


def weigh_mistakes(rows: Floats, weights: Weights, w: Floats) -> int:
    """The total weight of the rows on the wrong side of w, in floats."""
    return int(weights[rows @ w <= 0].sum())


def least_squares(rows: Floats, weights: Weights | None = None) -> Floats:
    """The w that brings the margins of the rows nearest to 1.

    >>> least_squares(np.array([[1.0, 0.0], [0.0, 2.0]])).tolist()
    [1.0, 0.5]
    """
    weighted = rows if weights is None else weights[:, None] * rows
    return np.asarray(np.linalg.lstsq(rows.T @ weighted, weighted.sum(axis=0), rcond=None)[0])


def search_circles_at_random(
    rows: Floats, weights: Weights, starts: list[Floats], steps: int, goal: int, clock: Clock, seed: int = 0
) -> Floats:
    """The best direction after so many steps, or as soon as its mistakes reach the goal or time is up."""
    search = _CircleWalk(rows, weights, np.random.default_rng(seed))
    scored = sorted(((weigh_mistakes(rows, weights, w), k) for k, w in enumerate(starts)))
    for _, k in scored:
        search.begin(starts[k])
        for step in range(max(1, steps // len(starts))):
            if search.best_count <= goal or clock.seconds_left() == 0.0:
                return search.best
            search.turn(step)
    return search.best


class _CircleWalk:
    """A direction w with its margins and mistakes, and the best direction so far."""

    def __init__(self, rows: Floats, weights: Weights, random: np.random.Generator) -> None:
        self.rows, self.weights, self.random = rows, weights, random
        self.directions = _Directions(rows, weights, random)
        self.best, self.best_count = np.zeros(rows.shape[1]), int(weights.sum()) + 1

    def begin(self, w: Floats) -> None:
        """Go on from w."""
        self.w = w / max(float(np.linalg.norm(w)), 1e-300)
        self.margins = self.rows @ self.w
        self.count, self.idle = int(self.weights[self.margins <= 0].sum()), 0
        self._keep_best()

    def turn(self, step: int) -> None:
        """Turn w on one circle, unless that makes it worse. After many turns without gain, start near the best."""
        u = self.directions.choose(self.w, self.margins, step)
        across = self.rows @ u
        angle = best_angle(self.margins, across, self.weights)
        margins = np.cos(angle) * self.margins + np.sin(angle) * across
        found = int(self.weights[margins <= 0].sum())
        self.idle = 0 if found < self.count else self.idle + 1
        if found <= self.count:
            w = np.cos(angle) * self.w + np.sin(angle) * u
            length = float(np.linalg.norm(w))
            self.w, self.margins, self.count = w / length, margins / length, found
            self._keep_best()
        if self.idle > 4 * len(self.w) + 40:
            size = self.random.choice([0.05, 0.2, 0.5]) / np.sqrt(len(self.w))
            self.begin(self.best + self.random.normal(0.0, size, len(self.w)))

    def _keep_best(self) -> None:
        if self.count < self.best_count:
            self.best, self.best_count = self.w, self.count


class _Directions:
    """Directions to turn w to. A step along the inverse of the Gram matrix moves the margins of other rows least."""

    def __init__(self, rows: Floats, weights: Weights, random: np.random.Generator) -> None:
        self.rows, self.weights, self.random = rows, weights, random
        self.large = len(rows) > MAX_ROWS_OF_GRAM_MATRIX
        some = rows[random.choice(len(rows), MAX_ROWS_OF_GRAM_MATRIX)] if self.large else rows
        sizes, axes = np.linalg.eigh(some.T @ some)
        self.root = axes / np.sqrt(np.maximum(sizes, 0.0) + RIDGE * sizes.mean())

    def choose(self, w: Floats, margins: Floats, step: int) -> Floats:
        """A direction orthogonal to w: towards a wrong row, downhill, along a column, or at random."""
        propose = (self._towards_wrong_row, self._downhill, self._along_column, self._anywhere)[step % 4]
        u = propose(margins, step)
        u = u / max(float(np.linalg.norm(u)), 1e-300)
        u = u - (u @ w) * w
        length = float(np.linalg.norm(u))
        return u / length if length > 1e-12 else self.random.standard_normal(len(w)) / np.sqrt(len(w))

    def _towards_wrong_row(self, margins: Floats, step: int) -> Floats:
        wrong = np.flatnonzero(margins <= 0)
        if not len(wrong):
            return self._anywhere(margins, step)
        return np.asarray(self.root @ (self.root.T @ self.rows[self.random.choice(wrong)]))

    def _downhill(self, margins: Floats, step: int) -> Floats:
        """Downhill for a smooth count of the mistakes, at a random width of its step from right to wrong.

        Like a step of Newton's method, with the Gram matrix of the rows near the hyperplane.
        """
        width = float(np.quantile(np.abs(margins), self.random.uniform(0.02, 0.6))) or 1.0
        slopes = self.weights / np.cosh(np.minimum(np.abs(margins) / width, 50.0)) ** 2
        near = (
            np.argpartition(-slopes, MAX_ROWS_OF_GRAM_MATRIX)[:MAX_ROWS_OF_GRAM_MATRIX] if self.large else slice(None)
        )
        gram = (slopes[near, None] * self.rows[near]).T @ self.rows[near]
        gram[np.diag_indices(len(gram))] += RIDGE * np.trace(gram) / len(gram)
        return np.asarray(np.linalg.solve(gram, slopes @ self.rows))

    def _along_column(self, margins: Floats, step: int) -> Floats:
        u = np.zeros(self.rows.shape[1])
        u[step // 4 % len(u)] = 1.0
        return u

    def _anywhere(self, margins: Floats, step: int) -> Floats:
        return np.asarray(self.root @ self.random.standard_normal(self.rows.shape[1]))
