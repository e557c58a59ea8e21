"""Hyperplanes turned until they make fewer mistakes: what floats can find, with nothing proved.

All directions between w and any u form a circle, and a row is right on half of it. Sorting where these halves begin and
end tells the fewest mistakes on the circle, and where. Circles through w and rows that are wrong, columns or directions
at random are tried in turn; a turn that changes nothing is taken too, to get across plateaus.
"""

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..time_limit import Clock

Weights = npt.NDArray[np.int32]
QUARTER_TURN = np.pi / 2


def best_on_circle(rows: Floats, weights: Weights, w: Floats, u: Floats) -> tuple[int, Floats]:
    """The fewest mistakes on the circle through w and u, and a direction in the middle of where they are.

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
    before = int(weights[np.abs(angles) < QUARTER_TURN].sum())  # right at the angle 0: count from there
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
    """What the rows on the wrong side of w weigh, in floats."""
    return int(weights[rows @ w <= 0].sum())


def search_circles_at_random(
    rows: Floats, weights: Weights, starts: list[Floats], turns: int, goal: int, clock: Clock
) -> Floats:
    """The best direction after so many turns in all, or when its mistakes are down to the goal or time is up."""
    random = np.random.default_rng(0)
    scored = sorted(((weigh_mistakes(rows, weights, w), k) for k, w in enumerate(starts)))
    best_count, best = scored[0][0], starts[scored[0][1]]
    each = max(1, turns // len(starts))
    for _, k in scored:
        w = starts[k] / max(float(np.linalg.norm(starts[k])), 1e-300)
        count, idle = weigh_mistakes(rows, weights, w), 0
        for turn in range(each):
            if best_count <= goal or clock.seconds_left() == 0.0:
                return best
            found, direction = best_on_circle(rows, weights, w, _choose_direction(rows, w, turn, random))
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


def _choose_direction(rows: Floats, w: Floats, turn: int, random: np.random.Generator) -> Floats:
    """A direction at right angles to w: towards a row that is wrong, along a column, or any."""
    u = random.standard_normal(len(w))
    if turn % 3 == 0:
        wrong = np.flatnonzero(rows @ w <= 0)
        u = rows[random.choice(wrong)] if len(wrong) else u
    elif turn % 3 == 1:
        u = np.zeros(len(w))
        u[turn // 3 % len(w)] = 1.0
    u = u - (u @ w) * w
    length = float(np.linalg.norm(u))
    return u / length if length > 1e-12 else random.standard_normal(len(w)) / np.sqrt(len(w))
