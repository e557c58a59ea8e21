"""Weights of rows and a direction, and the bounds on the margin that they give, in floating point.

Rows a_i = y_i x_i have weights alpha_i with sum 1/2 in each class (sum 1 over all rows without an intercept). Then
w = sum alpha_i a_i is half the difference of two points of the hulls, or a point in the hull of the a_i. Its length is
an upper bound on every margin. The margin of any w is a lower bound on the largest margin.
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
    """The rows as a matrix V: V u = rho - a_i . w - y_i b, with u = (w, b, rho), or (w, rho) without an offset."""

    costs: Floats  # the coordinates of u that cost: 1 for w, 0 for b and rho
    sides: Floats | None  # the y_i, None through the origin
    can_polish: bool  # whether `polish` does anything

    def times(self, u: Floats) -> Floats: ...
    def pull(self, alpha: Floats) -> Floats: ...
    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats: ...
    def polish(self, alpha: Floats, gap: float, size: float, clock: Clock) -> Floats: ...


def margin_at_best_offset(margins: Floats, sides: Floats | None) -> float:
    """The margin with the best offset: the mean of the smallest margins of both classes.

    >>> margin_at_best_offset(np.array([3.0, 5.0, -1.0]), np.array([1.0, 1.0, -1.0]))
    1.0
    """
    if sides is None:
        return float(margins.min())
    return float(margins[sides == 1].min() + margins[sides == -1].min()) / 2


def balance_weights(alpha: Floats, sides: Floats | None) -> Floats:
    """Scale the weights to the sums that they must have.

    >>> balance_weights(np.array([1.0, 3.0, 1.0]), np.array([1.0, 1.0, -1.0])).tolist()
    [0.125, 0.375, 0.5]
    """
    if sides is None:
        return np.asarray(alpha / alpha.sum())
    above, below = alpha[sides == 1].sum(), alpha[sides == -1].sum()
    return np.asarray(np.where(sides == 1, alpha / (2 * above), alpha / (2 * below)))


def is_balanceable(alpha: Floats, sides: Floats | None) -> bool:
    return bool(alpha.any() if sides is None else alpha[sides == 1].any() and alpha[sides == -1].any())


def point_of_weights(system: System, alpha: Floats) -> Floats:
    """The u of weights: their w, with b and rho from the mean margins of the rows in use."""
    u = -system.pull(alpha) * system.costs
    margins, used = -system.times(u), alpha > 0
    if system.sides is None:
        u[-1] = margins[used].mean()
        return u
    above, below = (margins[used & (system.sides == side)].mean() for side in (1, -1))
    u[-2], u[-1] = (below - above) / 2, (above + below) / 2
    return u


class BestProposal:
    """The best direction and the best weights so far, and their bounds."""

    def __init__(self, system: System, alpha: Floats, sigma: float = 0.0) -> None:
        self._system = system
        self.lower, self.upper = -np.inf, np.inf
        self.proposal = Proposal(alpha, self._direction(point_of_weights(system, alpha)), sigma=sigma)

    def _direction(self, u: Floats) -> Floats:
        return u[self._system.costs > 0]

    def update_with(self, u: Floats, alpha: Floats, sigma: float = 0.0) -> None:
        system, proposal = self._system, self.proposal
        alpha = balance_weights(alpha, system.sides)
        w = u * system.costs
        size = float(np.linalg.norm(w))
        lower = margin_at_best_offset(-system.times(w), system.sides) / size if size else -np.inf
        upper = float(np.linalg.norm(system.pull(alpha) * system.costs))
        if lower > self.lower:
            self.lower, proposal.w = lower, self._direction(u)
        if upper < self.upper:
            self.upper, proposal.alpha = upper, alpha
        proposal.gap = 1 - self.lower / self.upper if self.upper > 0 else np.inf
        proposal.sigma = sigma
