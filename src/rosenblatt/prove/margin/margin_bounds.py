"""Weights of rows and a direction, and how far apart the margins are that they show, in floating point.

Rows a_i = y_i x_i have weights alpha_i, those of each class of sum 1/2 (all of sum 1 through the origin), so that
w = sum alpha_i a_i is half the way between two points of the hulls, or a point in the hull of the a_i. Its length is an
upper bound of every margin; the margin of any w is a lower one.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...foundation.types import Floats, Places
from ..time_limit import Clock


@dataclass
class Proposal:
    """Weights alpha of the rows, and the direction w; `gap` is 1 - lower / upper, at least 1 if w separates nothing."""

    alpha: Floats
    w: Floats
    gap: float = np.inf
    sigma: float = 0.0


class System(Protocol):
    """The rows, as products with u = (w, b, rho), or (w, rho) through the origin: V u = rho - a_i . w - y_i b."""

    costs: Floats  # the coordinates of u that cost: 1 for w, 0 for b and rho
    sides: Floats | None  # the y_i, None through the origin
    polishes: bool  # whether `polished` does anything

    def times(self, u: Floats) -> Floats: ...
    def pull(self, alpha: Floats) -> Floats: ...
    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats: ...
    def polished(self, alpha: Floats, gap: float, size: float, clock: Clock) -> Floats: ...


def level(margins: Floats, sides: Floats | None) -> float:
    """The margin when the offset is best: the mean of the least margins of both classes.

    >>> level(np.array([3.0, 5.0, -1.0]), np.array([1.0, 1.0, -1.0]))
    1.0
    """
    if sides is None:
        return float(margins.min())
    return float(margins[sides > 0].min() + margins[sides < 0].min()) / 2


def balanced(alpha: Floats, sides: Floats | None) -> Floats:
    """The weights with the sums that they must have.

    >>> balanced(np.array([1.0, 3.0, 1.0]), np.array([1.0, 1.0, -1.0])).tolist()
    [0.125, 0.375, 0.5]
    """
    if sides is None:
        return np.asarray(alpha / alpha.sum())
    above, below = alpha[sides > 0].sum(), alpha[sides < 0].sum()
    return np.asarray(np.where(sides > 0, alpha / (2 * above), alpha / (2 * below)))


def is_balanceable(alpha: Floats, sides: Floats | None) -> bool:
    return bool(alpha.any() if sides is None else alpha[sides > 0].any() and alpha[sides < 0].any())


def point(system: System, alpha: Floats) -> Floats:
    """The u of weights whose rows in use are all as near as can be."""
    u = -system.pull(alpha) * system.costs
    margins, used = -system.times(u), alpha > 0
    if system.sides is None:
        u[-1] = margins[used].mean()
        return u
    above, below = (margins[used & (system.sides == side)].mean() for side in (1, -1))
    u[-2], u[-1] = (below - above) / 2, (above + below) / 2
    return u


class Best:
    """The best direction and the best weights met."""

    def __init__(self, system: System, alpha: Floats, sigma: float = 0.0) -> None:
        self._system = system
        self.lower, self.upper = -np.inf, np.inf
        self.proposal = Proposal(alpha, self._direction(point(system, alpha)), sigma=sigma)

    def _direction(self, u: Floats) -> Floats:
        return u[self._system.costs > 0]

    def see(self, u: Floats, alpha: Floats, sigma: float = 0.0) -> None:
        system, proposal = self._system, self.proposal
        alpha = balanced(alpha, system.sides)
        w = u * system.costs
        size = float(np.linalg.norm(w))
        lower = level(-system.times(w), system.sides) / size if size else -np.inf
        upper = float(np.linalg.norm(system.pull(alpha) * system.costs))
        if lower > self.lower:
            self.lower, proposal.w = lower, self._direction(u)
        if upper < self.upper:
            self.upper, proposal.alpha = upper, alpha
        proposal.gap = 1 - self.lower / self.upper if self.upper > 0 else np.inf
        proposal.sigma = sigma
