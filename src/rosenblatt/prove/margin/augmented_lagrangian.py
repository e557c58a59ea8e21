"""The nearest points of two convex hulls by Newton's method on an augmented Lagrangian.

With rows a_i = y_i x_i, find u = (w, b, rho), or (w, rho) through the origin, that solves

    min ||w||^2 / 2 - rho    such that    a_i . w + y_i b >= rho.

The weights alpha are its multipliers. With V u = rho - a_i . w - y_i b, these two updates alternate while sigma grows:

    u <- argmin ||w||^2 / 2 - rho + ||max(0, alpha + sigma V u)||^2 / (2 sigma),    alpha <- max(0, alpha + sigma V u)

A few dozen Newton steps are enough, whatever the margin. `docs/decisions/0020` compares this with the core's method for
the hinge, whose multipliers are bounded.
"""

import numpy as np
from scipy.linalg import cho_solve, qr
from scipy.linalg.lapack import dposv

from ...foundation.types import Floats, Places
from ..time_limit import Clock
from .margin_bounds import BestProposal, Proposal, System, balance_weights, is_balanceable, point_of_weights

SIGMA_GROWTH = 4.0  # in each round
MAX_SIGMA = 1e13  # beyond it rounding errors exceed the changes
MAX_CHOLESKY_SIGMA = 1e9  # times the square of the largest row; beyond it a QR factorisation is used
MIN_DISTANCE = 1e-10  # of the hulls, relative to the rows; less counts as 0
FIRST_SIGMA = 10.0
FIRST_PRECISION = 0.1  # of the gradient relative to w, at which the multipliers are first updated
MAX_NEWTON_STEPS = 50


class FactoredSystem:
    """The matrix V of few columns. Newton's equations are factored, so there is nothing to polish."""

    can_polish = False

    def __init__(self, rows: Floats, sides: Floats | None) -> None:
        count, columns = rows.shape
        self._v = np.ones((count, columns + 1 + (sides is not None)))
        np.negative(rows, out=self._v[:, :columns])
        if sides is not None:
            self._v[:, columns] = -sides
        self.sides = sides
        self.costs = np.zeros(self._v.shape[1])
        self.costs[:columns] = 1.0
        self._largest = float(np.einsum("ij,ij->i", rows, rows).max())

    def times(self, u: Floats) -> Floats:
        return self._v @ u

    def pull(self, alpha: Floats) -> Floats:
        used = np.flatnonzero(alpha)
        return alpha[used] @ self._v[used]

    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats:
        """Solve (diag(costs) + sigma V'V) step = -slope, with V of the active rows."""
        v = self._v[active]
        if sigma * self._largest < MAX_CHOLESKY_SIGMA:
            hessian = sigma * (v.T @ v)
            hessian.flat[:: len(hessian) + 1] += self.costs + 1e-13 * sigma
            _, step, failed = dposv(hessian, -slope)
            if not failed:
                return np.asarray(step)
        stacked = np.vstack([np.sqrt(sigma) * v, np.diag(np.sqrt(self.costs + 1e-14 * sigma))])
        upper = qr(stacked, mode="r", check_finite=False)[0][: len(slope)]
        return np.asarray(cho_solve((upper, False), -slope, check_finite=False))

    def polish(self, alpha: Floats, gap: float, size: float, clock: Clock) -> Floats:
        return alpha


def solve_augmented_lagrangian(system: System, tolerance: float, clock: Clock, start: Proposal | None) -> Proposal:
    """Weights and direction whose gap is below the tolerance, or the best that floats find."""
    alpha, sigma = _first_multipliers(system, start)
    u, precision = point_of_weights(system, alpha), FIRST_PRECISION
    best = BestProposal(system, alpha, sigma)
    while sigma <= MAX_SIGMA:
        clock.check()
        u, alpha = _minimise(system, u, alpha, sigma, precision)
        if not np.isfinite(u.sum()) or not is_balanceable(alpha, system.sides):
            break
        best.update_with(u, alpha, sigma)
        if system.can_polish and best.proposal.gap < 0.5:
            gap = max(best.proposal.gap / 10, tolerance)
            alpha = system.polish(balance_weights(alpha, system.sides), gap, best.upper, clock)
            u = point_of_weights(system, alpha)
            best.update_with(u, alpha, sigma)
        sigma *= SIGMA_GROWTH
        if best.proposal.gap < tolerance or best.upper < MIN_DISTANCE:
            break
        precision = min(FIRST_PRECISION, max(FIRST_PRECISION * best.proposal.gap, 1e-10))
    return best.proposal


def _first_multipliers(system: System, start: Proposal | None) -> tuple[Floats, float]:
    if start is not None and start.alpha.any():
        return start.alpha, max(FIRST_SIGMA, start.sigma / SIGMA_GROWTH**3)
    count = len(system.times(np.zeros(len(system.costs))))
    return balance_weights(np.ones(count), system.sides), FIRST_SIGMA


def _minimise(system: System, u: Floats, alpha: Floats, sigma: float, precision: float) -> tuple[Floats, Floats]:
    """Minimise over u for one sigma by Newton's method. Returns u and the new alpha."""
    target = np.zeros(len(u))
    target[-1] = 1.0
    for step in range(MAX_NEWTON_STEPS):
        values = system.times(u)
        pushed = np.maximum(alpha + sigma * values, 0.0)
        slope = system.costs * u - target + system.pull(pushed)
        inside = system.costs > 0
        size = float(np.linalg.norm(slope[inside])) / (float(np.linalg.norm(u[inside])) + MIN_DISTANCE)
        if size + float(np.abs(slope[~inside]).sum()) < precision and (step or precision < FIRST_PRECISION):
            return u, pushed
        change = system.newton(_active_rows(alpha + sigma * values, system.sides), sigma, slope)
        along = system.times(change)
        length = _step_length(system.costs, target, u, change, alpha + sigma * values, sigma * along, along)
        if not length:
            return u, pushed
        u = u + length * change
    return u, np.maximum(alpha + sigma * system.times(u), 0.0)


def _active_rows(base: Floats, sides: Floats | None) -> Places:
    """The rows with a positive multiplier, and the next of each class: without one of each, b is unbounded."""
    groups = [slice(None)] if sides is None else [sides == 1, sides == -1]
    active = base > 0
    for group in groups:
        active[group] |= base[group] == base[group].max()
    return np.flatnonzero(active)


def _step_length(
    costs: Floats, target: Floats, u: Floats, change: Floats, base: Floats, growth: Floats, along: Floats
) -> float:
    """The step at which the slope along the change is at most a tenth of its start; 1 if that is enough."""
    constant, linear = float((costs * u - target) @ change), float((costs * change) @ change)

    def slope(t: float) -> float:
        return constant + t * linear + float(along @ np.maximum(base + t * growth, 0.0))

    first = slope(0.0)
    if not first < 0:  # no descent beyond rounding errors
        return 0.0
    if slope(1.0) <= -0.1 * first:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        value = slope(middle)
        if abs(value) <= -0.1 * first:
            return middle
        low, high = (low, middle) if value > 0 else (middle, high)
    return low
