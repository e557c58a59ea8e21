"""The nearest points of two hulls where rows and columns are many: two ways to move the weights, in turns.

Coordinate descent on the dual of the hinge (`core/dual.hpp`) visits one row at a time. It soon knows which rows count,
and then creeps. Conjugate gradients on the weights of those rows alone creep least there, but cannot know which rows
count. A few turns of both are often enough; where they are not, `multipliers.py` goes on, by conjugate gradients too.
"""

from typing import Any

import numpy as np

from ... import _core
from ...foundation.matrices import as_rows, is_sparse
from ...foundation.threads import threads_for
from ...foundation.types import Floats, Places
from ...parts.recipe import Recipe
from ..time_limit import Clock
from .margin_bounds import Best, Proposal, balanced, is_balanceable, point

FIRST, NEXT = 60, 10  # passes of a turn of coordinate descent
SHARE = 1 / 30  # of the gap: what conjugate gradients are to leave of it
BETTER = 0.9  # of the gap: a turn that leaves more has gained nothing
IDLE = 3  # turns without gain, each longer than the last, that end it
CURVED = 300  # conjugate gradients of one step of Newton's method
UNBOUNDED = 1e200  # what a row may weigh, where one that is not beyond the margin is no choice
SLICE = 1 << 20


class Many:
    """Rows of many columns, dense or CSR, that only the core's passes read."""

    polishes = True

    def __init__(self, rows: Any, sides: Floats | None) -> None:
        self.rows, self.sides = rows, sides
        self._all = _Passes(rows)
        self._columns = rows.shape[1]
        self.costs = np.ones(self._columns + 1 + (sides is not None))
        self.costs[self._columns :] = 0.0

    def times(self, u: Floats) -> Floats:
        """V u."""
        scores = self._all.scores(u[: self._columns])
        return np.asarray(u[-1] - scores if self.sides is None else u[-1] - scores - self.sides * u[-2])

    def pull(self, alpha: Floats) -> Floats:
        """V^T alpha."""
        return np.concatenate([-self._all.pull(alpha), _sums(alpha, self.sides)])

    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats:
        """Solve (diag(costs) + sigma V'V) step = -slope over the active rows, nearly: by conjugate gradients."""
        few = Many(self.rows[active], None if self.sides is None else self.sides[active])
        squares = np.append(few._all.squares(), np.full(len(slope) - self._columns, float(len(active))))
        diagonal = self.costs + sigma * squares
        step, rest = np.zeros(len(slope)), -slope
        towards = rest / diagonal
        direction, size = towards.copy(), float(rest @ towards)
        enough = 0.01 * size
        for _ in range(CURVED):
            curved = self.costs * direction + sigma * few.pull(few.times(direction))
            length = size / float(direction @ curved)
            step += length * direction
            rest -= length * curved
            towards = rest / diagonal
            before, size = size, float(rest @ towards)
            if size <= enough:
                break
            direction *= size / before
            direction += towards
        return step

    def polished(self, alpha: Floats, gap: float, size: float, clock: Clock) -> Floats:
        """The nearest points of the affine hulls of the rows in use; rows of negative weight there are dropped."""
        for _ in range(3):
            used = np.flatnonzero(alpha)
            rows, centred = _Passes(self.rows[used]), _Centred(None if self.sides is None else self.sides[used])
            weights = alpha[used].copy()
            rest = centred(-rows.scores(rows.pull(weights)))
            direction, now = rest.copy(), float(rest @ rest)
            for _ in range(2000):
                clock.check()
                if np.abs(rest).max() <= 0.3 * gap * size**2:
                    break
                moved = centred(rows.scores(rows.pull(direction)))
                curvature = float(direction @ moved)
                if curvature <= 0:
                    break
                weights += now / curvature * direction
                rest -= now / curvature * moved
                before, now = now, float(rest @ rest)
                direction *= now / before
                direction += rest
            alpha = np.zeros_like(alpha)
            alpha[used] = np.maximum(weights, 0.0)
            if not is_balanceable(alpha, self.sides):
                break
            alpha = balanced(alpha, self.sides)
            if weights.min() >= 0:
                break
        return alpha


def in_turns(system: Many, tolerance: float, clock: Clock, start: Proposal | None) -> Proposal:
    """Weights and direction whose gap is below the tolerance, or the best before turns stop gaining."""
    descent = _Descent(system)
    alpha = balanced(np.ones(system.rows.shape[0]), system.sides) if start is None else start.alpha
    if start is not None:
        descent.go_on_from(alpha, point(system, alpha))
    best, gap, idle, passes = Best(system, alpha), np.inf, 0, FIRST
    while idle < IDLE:
        alpha = descent.weights(passes, clock)
        if not np.isfinite(alpha).all() or not is_balanceable(alpha, system.sides):
            break
        alpha = balanced(alpha, system.sides)
        best.see(point(system, alpha), alpha)
        if best.proposal.gap < tolerance:
            break
        reached = best.proposal.gap
        alpha = system.polished(alpha, max(min(reached, 1.0) * SHARE, tolerance), best.upper, clock)
        if not is_balanceable(alpha, system.sides):
            break
        u = point(system, alpha)
        best.see(u, alpha)
        if best.proposal.gap < tolerance:
            break
        if best.proposal.gap < BETTER * reached:
            descent.go_on_from(alpha, u)
        gained = best.proposal.gap < BETTER * gap
        gap, idle, passes = best.proposal.gap, 0 if gained else idle + 1, NEXT if gained else 2 * passes
    return best.proposal


class _Descent:
    """Coordinate descent. Its weights are those of margin 1: ||w||^2 times as large as alpha."""

    def __init__(self, system: Many) -> None:
        count = system.rows.shape[0]
        fit, rows = system.sides is not None, system.rows
        signs = np.ones(count) if system.sides is None else system.sides
        if system.sides is not None:  # the offset's coordinate is 1 for x_i, not for y_i x_i
            rows = rows * signs[:, None] if not is_sparse(rows) else _times_rows(rows, signs)
        self._rows = as_rows(rows)
        recipe = Recipe(loss="hinge", fit_intercept=fit).native()
        self._problem = _core.Problem(self._rows, signs.astype(np.int8), None, None, recipe, 1)
        self._state = _core.Dual(self._problem, UNBOUNDED, 0)
        self._budget = max(1, SLICE * count // max(self._rows.stored_values, 1))

    def weights(self, passes: int, clock: Clock) -> Floats:
        last = self._state.passes + passes
        while self._state.passes < last:
            self._state.descend(self._problem, self._budget)
            clock.check()
        return self._state.values()

    def go_on_from(self, alpha: Floats, u: Floats) -> None:
        square = float(u[: self._rows.columns] @ u[: self._rows.columns])
        offset = 0.0 if len(u) == self._rows.columns + 1 else float(u[-2])
        self._state.restart(self._problem, alpha / square, offset / square)


def _times_rows(rows: Any, factors: Floats) -> Any:
    product = rows.copy()
    product.data = rows.data * np.repeat(factors, np.diff(rows.indptr))
    return product


def _sums(alpha: Floats, sides: Floats | None) -> list[float]:
    """What weights of the rows pull at b, where there is one, and at rho."""
    return [float(alpha.sum())] if sides is None else [-float(sides @ alpha), float(alpha.sum())]


class _Passes:
    """The core's passes over rows without offset: their scores, and their sum with weights."""

    def __init__(self, rows: Any) -> None:
        self._rows = as_rows(rows)
        self._threads = threads_for(self._rows, None)
        recipe = Recipe(fit_intercept=False).native()
        ones = np.ones(rows.shape[0], np.int8)
        self._problem = _core.Problem(self._rows, ones, None, None, recipe, self._threads)

    def scores(self, w: Floats) -> Floats:
        return _core.scores(self._rows, w[None, :], np.zeros(1), self._threads)[0].reshape(-1)

    def pull(self, alpha: Floats) -> Floats:
        """The sum of the rows, each times its alpha."""
        out = np.empty(self._rows.columns + 1)
        _core.pull_together(self._problem, alpha, out)
        return out[:-1]

    def squares(self) -> Floats:
        """The sum of the squares of each column."""
        out = np.empty(self._rows.columns + 1)
        _core.hessian_diagonal(self._problem, np.ones(self._rows.count), out)
        return out[:-1]


class _Centred:
    """Takes the mean of each class away: a direction in which the sums of the weights stay as they are."""

    def __init__(self, sides: Floats | None) -> None:
        self._classes = [slice(None)] if sides is None else [sides > 0, sides < 0]

    def __call__(self, values: Floats) -> Floats:
        for members in self._classes:
            values[members] -= values[members].mean()
        return values
