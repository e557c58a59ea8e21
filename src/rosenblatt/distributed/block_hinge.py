"""The hinge at its optimum over blocks: Newton steps on the augmented Lagrangian, and the gap from a pass.

A pass sends the weights, and the past weights that the multipliers follow from (`hinge_rows.py`). It returns value,
gradient, Hessian and the sums of which primal and dual value are made.
"""

import operator
from dataclasses import dataclass, field, replace

import numpy as np

from .. import _core
from ..engine.resume import Tree
from ..foundation.types import Floats
from ..solvers.hinge_newton import HingeNewton
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.line_search import MIN_RELATIVE_FALL
from ..solvers.newton.smoothed_hinge import FIRST_SHARPNESS, SmoothedHinge
from . import block_problem as on_worker
from .block_objective import NO_ROWS, BlockObjective
from .block_problem import BlockProblem
from .hinge_rows import HingeProblem, HingeSums, evaluate_hinge, loss_slopes

MAX_MATRIX_SIZE = 1024  # of the Hessian that each task returns: 8 MB
STEPS = 2.0 ** (np.arange(-48, 1) / 4)  # at which a line search looks: 1/4096 to 1
LONGEST_STEP = 4.0


@dataclass(eq=False)
class HingeIterate(Iterate):
    """An iterate with the sums that came with its value from the same pass."""

    sums: HingeSums


@dataclass
class BlockHinge(BlockObjective, SmoothedHinge):
    """C sum_i s_i loss_i + 1/2 ||w||^2 over the rows of all blocks, each loss smoothed around a multiplier."""

    problem: HingeProblem
    total: float
    _evaluated: HingeIterate | None = field(default=None, init=False, repr=False)

    # The multipliers

    @property
    def sharpness(self) -> float:
        return float(self.problem.sharpnesses[-1])

    @sharpness.setter
    def sharpness(self, value: float) -> None:
        self._take_multipliers(self.problem.past, np.append(self.problem.sharpnesses[:-1], value))

    def _take_multipliers(self, past: Floats, sharpnesses: Floats) -> None:
        self.problem, self._evaluated = replace(self.problem, past=past, sharpnesses=sharpnesses), None

    def recentre(self, iterate: Iterate) -> None:
        now, sharpnesses = np.vstack([self.problem.past, iterate.z]), self.problem.sharpnesses
        self._take_multipliers(now, np.append(sharpnesses, sharpnesses[-1]))

    def moved_shares(self, iterate: Iterate) -> float:
        return self.at(iterate.z).sums.moved

    def saved_multipliers(self) -> Tree:
        return {"past": self.problem.past, "sharpnesses": self.problem.sharpnesses}

    def restore_multipliers(self, saved: Tree) -> None:
        self._take_multipliers(saved["past"], saved["sharpnesses"])

    # Iterates

    def at_zero(self) -> Iterate:
        return self.at(np.zeros(self.size))

    def at(self, z: Floats) -> HingeIterate:  # type: ignore[override]
        """The iterate of these weights. The last one is remembered until the multipliers change."""
        last = self._evaluated
        if last is None or not np.array_equal(last.z, z):
            sums: HingeSums = self._pass(evaluate_hinge, operator.add, z, self.computes_hessian)
            value = self.factor * sums.smoothed + self.penalty(z)
            self._evaluated = last = HingeIterate(z, value, NO_ROWS, NO_ROWS, NO_ROWS, sums)
        return last

    # Derivatives

    @property
    def computes_hessian(self) -> bool:
        return self.size <= MAX_MATRIX_SIZE

    def prefers_matrix(self, iterate: Iterate, rounds: int) -> bool:
        return self.computes_hessian

    def gradient(self, iterate: Iterate) -> Floats:
        negative, positive = self.at(iterate.z).sums.pulls
        return self._with_ridge(-self.factor, positive - negative, iterate.z)

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        hessian = self.at(iterate.z).sums.hessian
        assert hessian is not None
        return self._with_diagonal(self.factor * hessian, self.step_ridge)

    def hessian_product(self, iterate: Iterate, p: Floats, along: Floats) -> Floats:
        image: Floats = self._pass(on_worker.hessian_product, operator.add, iterate.z, 0.0, p)
        return self.factor * image + self.step_ridge * p

    def hessian_diagonal(self, iterate: Iterate) -> Floats:
        total: Floats = self._pass(on_worker.hessian_diagonal, operator.add, iterate.z, 0.0)
        return self.factor * total + self.step_ridge

    def best_step(self, z: Floats, p: Floats, most: float) -> float:
        """The t up to `most` that minimises the objective at z + t p, if its slope is linear between two steps tried.

        The objective is convex, so its slope rises along p.
        """
        steps = np.append(0.0, most * STEPS)
        losses: Floats = self._pass(loss_slopes, operator.add, z, p, steps)
        slopes = self.factor * losses + _core.dot(self.ridge * z, p) + steps * _core.dot(self.ridge * p, p)
        rising = int(np.searchsorted(slopes > 0, True))
        if rising in (0, len(steps)):
            return float(steps[min(rising, len(steps) - 1)])
        low, high = slopes[rising - 1], slopes[rising]
        return float(steps[rising - 1] + (steps[rising] - steps[rising - 1]) * low / (low - high))

    # The proof

    def primal_value(self, z: Floats) -> float:
        return self.factor * self.at(z).sums.loss + self.penalty(z)

    def dual_value(self, z: Floats) -> float:
        """The dual value of the multipliers that z suggests, made feasible and scaled as is best."""
        sums, parts = self.at(z).sums, np.ones(2)
        if self.offset_value and not self.penalize_offset:  # the heavier class gives way until both weigh the same
            parts = np.divide(sums.shares.min(), sums.shares, out=parts, where=sums.shares > 0)
        pull = parts[1] * sums.pulls[1] - parts[0] * sums.pulls[0]
        whole = self.factor * float(parts @ sums.shares)
        square = self.factor**2 * _core.dot(self.ridge * pull, pull)
        share = min(1.0, whole / square) if square > 0 else 1.0
        return share * whole - 0.5 * share * share * square


class BlockHingeNewton(HingeNewton):
    """A hinge problem of two classes, solved by passes over all blocks."""

    objective: BlockHinge

    def _search(self, p: Floats, along: Floats, slope: float) -> Iterate | None:
        """One pass finds the step, where backtracking would take one for each try. Very short steps take another."""
        z, value, t = self.iterate.z, self.iterate.value, LONGEST_STEP
        while True:
            t = self.objective.best_step(z, p, t)
            new = self.objective.at(z + t * p)
            if new.value < value:
                return new
            if -t * slope <= MIN_RELATIVE_FALL * abs(value):
                return None

    def compare(self, z: Floats, shares: Floats) -> None:
        primal = self.objective.primal_value(z)
        if primal < self.primal:
            self.primal, self.best = primal, z.copy()
        self.dual = max(self.dual, self.objective.dual_value(z))


def first_multipliers(problem: BlockProblem, columns: int) -> HingeProblem:
    """The problem with the multipliers that all rows start from."""
    return HingeProblem(**vars(problem), past=np.empty((0, columns + 1)), sharpnesses=np.array([FIRST_SHARPNESS]))
