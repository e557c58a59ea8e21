"""The nearest points of two convex hulls with many rows and columns, by two methods that alternate.

Coordinate descent on the dual of the hinge (`core/solvers/dual.hpp`) visits one row at a time. It soon finds the rows
that matter, and then slows down. Conjugate gradients on the weights of those rows are fast then, but cannot find the
rows. A few alternations are often enough. If they are not, `augmented_lagrangian.py` continues, with conjugate
gradients for its Newton steps.
"""

from typing import Any

import numpy as np

from ... import _core
from ...foundation.matrices import as_rows, is_sparse
from ...foundation.threads import threads_for
from ...foundation.types import Floats, Places
from ...parts.recipe import Recipe
from ..exact.row_blocks import rows_per_block
from ..time_limit import Clock
from .margin_bounds import BestProposal, Proposal, balance_weights, is_balanceable, point_of_weights

FIRST_PASSES, LATER_PASSES = 60, 10  # of coordinate descent in one alternation
POLISHED_GAP = 1 / 30  # of the gap before, that conjugate gradients aim at
MAX_GAP_LEFT = 0.9  # of the gap before; an alternation that leaves more has gained nothing
MAX_IDLE = 3  # alternations without gain, each longer than the last
MAX_CG_ROUNDS = 300  # of conjugate gradients in one Newton step
MAX_POLISH_ROUNDS = 2000
UNBOUNDED = 1e200  # the C of a hard margin
SLICE_VALUES = 1_000_000  # stored values visited between checks of the clock


class IterativeSystem:
    """The matrix V of many columns, dense or CSR, used only in products that the core computes."""

    can_polish = True

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
        return np.concatenate([-self._all.pull(alpha), _offset_pull(alpha, self.sides)])

    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats:
        """Solve (diag(costs) + sigma V'V) step = -slope, with V of the active rows, by conjugate gradients."""
        few = IterativeSystem(self.rows[active], None if self.sides is None else self.sides[active])
        squares = np.append(few._all.squares(), np.full(len(slope) - self._columns, float(len(active))))
        diagonal = self.costs + sigma * squares
        step, rest = np.zeros(len(slope)), -slope
        towards = rest / diagonal
        direction, size = towards.copy(), float(rest @ towards)
        enough = 0.01 * size
        for _ in range(MAX_CG_ROUNDS):
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

    def polish(self, alpha: Floats, gap: float, size: float, clock: Clock) -> Floats:
        """Weights of the nearest points of the affine hulls of the used rows. Negative weights are set to 0."""
        for _ in range(3):
            used = np.flatnonzero(alpha)
            rows, centred = _Passes(self.rows[used]), _Centring(None if self.sides is None else self.sides[used])
            weights = alpha[used].copy()
            rest = centred(-rows.scores(rows.pull(weights)))
            direction, now = rest.copy(), float(rest @ rest)
            for _ in range(MAX_POLISH_ROUNDS):
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
            alpha = balance_weights(alpha, self.sides)
            if weights.min() >= 0:
                break
        return alpha


def solve_alternating(system: IterativeSystem, tolerance: float, clock: Clock, start: Proposal | None) -> Proposal:
    """Weights and direction whose gap is below the tolerance, or the best when alternations stop gaining."""
    descent = _CoordinateDescent(system)
    alpha = balance_weights(np.ones(system.rows.shape[0]), system.sides) if start is None else start.alpha
    if start is not None:
        descent.restart_from(alpha, point_of_weights(system, alpha))
    best, gap, idle, passes = BestProposal(system, alpha), np.inf, 0, FIRST_PASSES
    while idle < MAX_IDLE:
        alpha = descent.weights(passes, clock)
        if not np.isfinite(alpha).all() or not is_balanceable(alpha, system.sides):
            break
        alpha = balance_weights(alpha, system.sides)
        best.update_with(point_of_weights(system, alpha), alpha)
        if best.proposal.gap < tolerance:
            break
        reached = best.proposal.gap
        alpha = system.polish(alpha, max(min(reached, 1.0) * POLISHED_GAP, tolerance), best.upper, clock)
        if not is_balanceable(alpha, system.sides):
            break
        u = point_of_weights(system, alpha)
        best.update_with(u, alpha)
        if best.proposal.gap < tolerance:
            break
        if best.proposal.gap < MAX_GAP_LEFT * reached:
            descent.restart_from(alpha, u)
        gained = best.proposal.gap < MAX_GAP_LEFT * gap
        gap, idle, passes = best.proposal.gap, 0 if gained else idle + 1, LATER_PASSES if gained else 2 * passes
    return best.proposal


class _CoordinateDescent:
    """Coordinate descent on the dual. Its multipliers are alpha / ||w||^2, those of margin 1."""

    def __init__(self, system: IterativeSystem) -> None:
        count = system.rows.shape[0]
        fit, rows = system.sides is not None, system.rows
        signs = np.ones(count) if system.sides is None else system.sides
        if system.sides is not None:  # the core multiplies x_i and its offset coordinate by y_i
            rows = rows * signs[:, None] if not is_sparse(rows) else _scale_rows(rows, signs)
        self._rows = as_rows(rows)
        recipe = Recipe(loss="hinge", fit_intercept=fit).native()
        self._problem = _core.Problem(self._rows, signs.astype(np.int8), None, None, recipe, 1)
        self._state = _core.Dual(self._problem, UNBOUNDED, 0)
        self._budget = rows_per_block(count, self._rows.stored_values, SLICE_VALUES)

    def weights(self, passes: int, clock: Clock) -> Floats:
        last = self._state.passes + passes
        while self._state.passes < last:
            self._state.descend_coordinates(self._problem, self._budget)
            clock.check()
        return self._state.values()

    def restart_from(self, alpha: Floats, u: Floats) -> None:
        square = float(u[: self._rows.columns] @ u[: self._rows.columns])
        offset = 0.0 if len(u) == self._rows.columns + 1 else float(u[-2])
        self._state.restart(self._problem, alpha / square, offset / square)


def _scale_rows(rows: Any, factors: Floats) -> Any:
    product = rows.copy()
    product.data = rows.data * np.repeat(factors, np.diff(rows.indptr))
    return product


def _offset_pull(alpha: Floats, sides: Floats | None) -> list[float]:
    """V^T alpha in the coordinates b, if there is an offset, and rho."""
    return [float(alpha.sum())] if sides is None else [-float(sides @ alpha), float(alpha.sum())]


class _Passes:
    """The core's products with rows without offset: scores, and weighted sums of the rows."""

    def __init__(self, rows: Any) -> None:
        self._rows = as_rows(rows)
        self._threads = threads_for(self._rows, None)
        ones = np.ones(rows.shape[0], np.int8)
        self._problem = _core.Problem(self._rows, ones, None, None, Recipe().native(), self._threads)

    def scores(self, w: Floats) -> Floats:
        return _core.scores(self._rows, w[None, :], np.zeros(1), self._threads)[0].ravel()

    def pull(self, alpha: Floats) -> Floats:
        """The sum of the rows, each times its alpha."""
        out = np.empty(self._rows.columns + 1)
        _core.transpose_product(self._problem, alpha, out)
        return out[:-1]

    def squares(self) -> Floats:
        """The sum of the squares of each column."""
        out = np.empty(self._rows.columns + 1)
        _core.hessian_diagonal(self._problem, np.ones(self._rows.count), out)
        return out[:-1]


class _Centring:
    """Subtracts the mean of each class, so that a change of the weights keeps their sums."""

    def __init__(self, sides: Floats | None) -> None:
        self._classes = [slice(None)] if sides is None else [sides == 1, sides == -1]

    def __call__(self, values: Floats) -> Floats:
        for members in self._classes:
            values[members] -= values[members].mean()
        return values
