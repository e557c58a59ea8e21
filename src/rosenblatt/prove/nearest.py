"""The nearest points of two hulls in floating point: a proposal, which `margin.py` turns into bounds that hold.

With rows a_i = y_i x_i, find u = (w, b, rho), or (w, rho) through the origin, with

    min ||w||^2 / 2 - rho    such that    a_i . w + y_i b >= rho.

Its multipliers alpha are weights of the rows, those of each class of sum 1/2 (all of sum 1 through the origin), and
w = sum alpha_i a_i is half the way between two points of the hulls, or a point in the hull of the a_i. The method of
multipliers needs a few dozen steps of Newton's method, whatever the margin: with V u = rho - a_i . w - y_i b,

    u <- argmin ||w||^2 / 2 - rho + ||max(0, alpha + sigma V u)||^2 / (2 sigma),    alpha <- max(0, alpha + sigma V u)

and sigma grows. No step looks at more than the rows it is given; `margin.py` gives it the hard ones.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import qr
from threadpoolctl import ThreadpoolController

from ..rows import is_sparse
from .clock import Clock
from .systems import Direct, Floats, Iterative, Places, System, balanced

DIRECT = 1200  # rows or columns up to which Newton's equations are factored; beyond, conjugate gradients
DENSE = 20_000_000  # numbers up to which sparse rows are written out
GROWTH = 4.0  # of sigma in each round
STEEPEST = 1e13  # sigma times the square of the largest row, where floats have nothing more to say
NOTHING = 1e-10  # a distance of hulls, relative to the rows, that may as well be 0
LOOSE = 0.1  # how small the slope must become, relative to w, before the multipliers move
ROUNDS = 60


@dataclass
class Proposal:
    """Weights alpha of the rows, and the direction w; `gap` is 1 - lower / upper, at least 1 if w separates nothing."""

    alpha: Floats
    w: Floats
    gap: float = np.inf
    sigma: float = 0.0


def level(margins: Floats, sides: Floats | None) -> float:
    """The margin when the offset is best: the mean of the least margins of both classes.

    >>> level(np.array([3.0, 5.0, -1.0]), np.array([1.0, 1.0, -1.0]))
    1.0
    """
    if sides is None:
        return float(margins.min())
    return float(margins[sides > 0].min() + margins[sides < 0].min()) / 2


def propose(rows: Any, sides: Floats | None, tolerance: float, clock: Clock, start: Proposal | None = None) -> Proposal:
    """Weights and direction whose gap is below the tolerance, or the best that floats find.

    `rows` are the a_i, scaled so that the largest is near 1; `sides` the y_i, None through the origin. Call it within
    `one_thread`.
    """
    count, columns = rows.shape
    if min(count, columns) > DIRECT or (is_sparse(rows) and count * columns > DENSE):
        return _multipliers(Iterative(rows, sides), tolerance, clock, start)
    return _directly(rows.toarray() if is_sparse(rows) else rows, sides, tolerance, clock, start)


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Work on vectors and matrices as small as these is done sooner by one thread than several agree on it."""
    return _libraries().limit(limits=1, user_api="blas")


def _directly(dense: Floats, sides: Floats | None, tolerance: float, clock: Clock, start: Proposal | None) -> Proposal:
    count, columns = dense.shape
    if count >= columns:
        return _multipliers(Direct(dense, sides), tolerance, clock, start)
    basis, triangle = qr(dense.T, mode="economic", check_finite=False)  # the rows span a smaller space: work there
    inside = start and Proposal(start.alpha, basis.T @ start.w, start.gap, start.sigma)
    found = _multipliers(Direct(np.ascontiguousarray(triangle.T), sides), tolerance, clock, inside)
    return Proposal(found.alpha, basis @ found.w, found.gap, found.sigma)


class _Best:
    """The best direction and the best weights met."""

    def __init__(self, system: System, alpha: Floats, sigma: float) -> None:
        self._system = system
        self.lower, self.upper = -np.inf, np.inf
        self.proposal = Proposal(alpha, self._direction(_point(system, alpha)), sigma=sigma)

    def _direction(self, u: Floats) -> Floats:
        return u[self._system.costs > 0]

    def see(self, u: Floats, alpha: Floats, sigma: float) -> None:
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


def _multipliers(system: System, tolerance: float, clock: Clock, start: Proposal | None) -> Proposal:
    alpha, sigma = _beginning(system, start)
    u, precision = _point(system, alpha), LOOSE
    best = _Best(system, alpha, sigma)
    for _ in range(ROUNDS):
        clock.check()
        u, alpha = _descend(system, u, alpha, sigma, precision)
        if not np.isfinite(u).all() or not _is_balanceable(alpha, system.sides):
            break
        best.see(u, alpha, sigma)
        if system.polishes and best.proposal.gap < 0.5:
            alpha = system.polished(balanced(alpha, system.sides), max(best.proposal.gap / 10, tolerance), best.upper)
            u = _point(system, alpha)
            best.see(u, alpha, sigma)
        sigma *= GROWTH
        if best.proposal.gap < tolerance or best.upper < NOTHING or sigma > STEEPEST:
            break
        precision = min(LOOSE, max(LOOSE * best.proposal.gap, 1e-10)) if best.lower > 0 else LOOSE
    return best.proposal


def _beginning(system: System, start: Proposal | None) -> tuple[Floats, float]:
    if start is not None and start.alpha.any():
        return start.alpha, max(10.0, start.sigma / GROWTH**3)
    count = len(system.times(np.zeros(len(system.costs))))
    return balanced(np.ones(count), system.sides), 10.0


def _is_balanceable(alpha: Floats, sides: Floats | None) -> bool:
    return bool(alpha.any() if sides is None else alpha[sides > 0].any() and alpha[sides < 0].any())


def _point(system: System, alpha: Floats) -> Floats:
    """The u of weights whose rows in use are all as near as can be."""
    u = -system.pull(alpha) * system.costs
    margins, used = -system.times(u), alpha > 0
    if system.sides is None:
        u[-1] = margins[used].mean()
        return u
    above, below = (margins[used & (system.sides == side)].mean() for side in (1, -1))
    u[-2], u[-1] = (below - above) / 2, (above + below) / 2
    return u


def _descend(system: System, u: Floats, alpha: Floats, sigma: float, precision: float) -> tuple[Floats, Floats]:
    """Newton's method for one sigma; u and the new alpha."""
    target = np.zeros(len(u))
    target[-1] = 1.0
    for step in range(50):
        values = system.times(u)
        pushed = np.maximum(alpha + sigma * values, 0.0)
        slope = system.costs * u - target + system.pull(pushed)
        inside = system.costs > 0
        size = float(np.linalg.norm(slope[inside])) / (float(np.linalg.norm(u[inside])) + NOTHING)
        if size + float(np.abs(slope[~inside]).sum()) < precision and (step or precision < LOOSE):
            return u, pushed
        change = system.newton(_active(alpha + sigma * values, system.sides), sigma, slope)
        along = system.times(change)
        length = _length(system.costs, target, u, change, alpha + sigma * values, sigma * along, along)
        if not length:
            break
        u = u + length * change
    return u, np.maximum(alpha + sigma * system.times(u), 0.0)


def _active(base: Floats, sides: Floats | None) -> Places:
    """The rows that push, and the next to push of each class: without one of each, b could run off."""
    groups = [slice(None)] if sides is None else [sides > 0, sides < 0]
    active = base > 0
    for group in groups:
        active[group] |= base[group] == base[group].max()
    return np.flatnonzero(active)


def _length(
    costs: Floats, target: Floats, u: Floats, change: Floats, base: Floats, growth: Floats, along: Floats
) -> float:
    """How far to go: where the slope along the change is at most a tenth of what it was; 1 if that will do."""
    constant, linear = float((costs * u - target) @ change), float((costs * change) @ change)

    def slope(t: float) -> float:
        return constant + t * linear + float(along @ np.maximum(base + t * growth, 0.0))

    first = slope(0.0)
    if not first < 0:  # rounding has the last word
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
