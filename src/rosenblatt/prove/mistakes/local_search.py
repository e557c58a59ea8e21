"""A local search for hyperplanes with few mistakes, in floats and without proof.

The directions cos(t) w + sin(t) u form a circle, and each row is right on half of it. Sorting the ends of these halves
gives the fewest mistakes on the circle and where they are. The search tries circles through w and a wrong row, a column
or a random direction in turn. A step that leaves the mistakes unchanged is taken too, to cross plateaus.
"""

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..time_limit import Clock

Weights = npt.NDArray[np.int32]
QUARTER_TURN = np.pi / 2
MAX_ROWS_OF_GRAM_MATRIX = 5000
MIN_RELATIVE_SIZE = 1e-12  # of an eigenvalue of the Gram matrix


def best_on_circle(rows: Floats, weights: Weights, w: Floats, u: Floats) -> tuple[int, Floats]:
    """The fewest mistakes on the circle through w and u, and the middle direction of the arc that has them.

    >>> rows = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> best_on_circle(rows, np.ones(3, dtype=np.int32), np.array([-1.0, 0.0]), np.array([0.0, 1.0]))[0]
    1
    """
    x, y = rows @ w, rows @ u
    angles = np.arctan2(y, x)
    places = np.concatenate([angles - QUARTER_TURN, angles + QUARTER_TURN])
    places[places < -np.pi] += 2 * np.pi
    places[places >= np.pi] -= 2 * np.pi
    order = np.argsort(places)
    places = places[order]
    change = np.concatenate([-weights, weights])[order]
    before = int(weights[np.abs(angles) < QUARTER_TURN].sum())  # at the angle 0
    start = int(np.searchsorted(places, 0.0)) % len(places)
    wrong = int(weights.sum()) - before + np.concatenate([change[start:], change[:start]]).cumsum()
    gaps = np.concatenate([places[start + 1 :], places[:start], np.zeros(1)])
    gaps = gaps - np.concatenate([places[start:], places[:start]])
    gaps = np.where(gaps < 0, gaps + 2 * np.pi, gaps)
    clear = gaps > 1e-12
    wrong = np.where(clear, wrong, np.iinfo(np.int64).max)
    least = wrong.min()
    at = int(np.argmax(np.where(wrong == least, gaps, -1.0)))
    angle = places[(start + at) % len(places)] + gaps[at] / 2
    direction = np.cos(angle) * w + np.sin(angle) * u
    return weigh_mistakes(rows, weights, direction), direction / np.linalg.norm(direction)


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
    random = np.random.default_rng(seed)
    scored = sorted(((weigh_mistakes(rows, weights, w), k) for k, w in enumerate(starts)))
    best_count, best = scored[0][0], starts[scored[0][1]]
    each = max(1, steps // len(starts))
    directions = _Directions(rows, weights, random)
    for _, k in scored:
        w = starts[k] / max(float(np.linalg.norm(starts[k])), 1e-300)
        count, idle = weigh_mistakes(rows, weights, w), 0
        for step in range(each):
            if best_count <= goal or clock.seconds_left() == 0.0:
                return best
            found, direction = best_on_circle(rows, weights, w, directions.choose(w, step))
            idle = 0 if found < count else idle + 1
            if found <= count:
                count, w = found, direction
            if count < best_count:
                best_count, best = count, w
            if idle > 4 * rows.shape[1] + 40:
                w = best + random.normal(0.0, random.choice([0.05, 0.2, 0.5]) / np.sqrt(len(w)), len(w))
                w /= np.linalg.norm(w)
                count, idle = weigh_mistakes(rows, weights, w), 0
    return best


class _Directions:
    """Directions to turn w to. A step along the inverse of the Gram matrix moves the margins of other rows least."""

    def __init__(self, rows: Floats, weights: Weights, random: np.random.Generator) -> None:
        self.rows, self.weights, self.random = rows, weights, random
        some = rows[random.choice(len(rows), MAX_ROWS_OF_GRAM_MATRIX)] if len(rows) > MAX_ROWS_OF_GRAM_MATRIX else rows
        sizes, axes = np.linalg.eigh(some.T @ some)
        self.root = axes / np.sqrt(np.maximum(sizes, MIN_RELATIVE_SIZE * sizes[-1]))

    def choose(self, w: Floats, step: int) -> Floats:
        """A direction orthogonal to w: towards a wrong row, downhill, along a column, or at random."""
        propose = (self._towards_wrong_row, self._downhill, self._along_column, self._anywhere)[step % 4]
        u = propose(w, step)
        u = u / max(float(np.linalg.norm(u)), 1e-300)
        u = u - (u @ w) * w
        length = float(np.linalg.norm(u))
        return u / length if length > 1e-12 else self.random.standard_normal(len(w)) / np.sqrt(len(w))

    def _towards_wrong_row(self, w: Floats, step: int) -> Floats:
        wrong = np.flatnonzero(self.rows @ w <= 0)
        return self._whiten(self.rows[self.random.choice(wrong)]) if len(wrong) else self._anywhere(w, step)

    def _downhill(self, w: Floats, step: int) -> Floats:
        """The gradient of a smooth count of the mistakes, at a random width of the step from right to wrong."""
        margins = self.rows @ w
        width = float(np.quantile(np.abs(margins), self.random.uniform(0.02, 0.6))) or 1.0
        slopes = self.weights / np.cosh(np.minimum(np.abs(margins) / width, 50.0)) ** 2
        return self._whiten(slopes @ self.rows)

    def _along_column(self, w: Floats, step: int) -> Floats:
        u = np.zeros(len(w))
        u[step // 4 % len(w)] = 1.0
        return u

    def _anywhere(self, w: Floats, step: int) -> Floats:
        return np.asarray(self.root @ self.random.standard_normal(len(w)))

    def _whiten(self, u: Floats) -> Floats:
        return np.asarray(self.root @ (self.root.T @ u))
