"""The hinge classifier at its optimum, with the duality gap as proof.

    minimise  P(w, b) = C sum_i s_i max(0, 1 - y_i (w.x_i + b)) + |w|^2 / 2

where the offset b is free, or penalised like the weights. Every point of the dual problem,

    maximise  D(a) = sum_i a_i - |sum_i a_i y_i x_i|^2 / 2,  0 <= a_i <= C s_i,  sum_i a_i y_i = 0 where b is free,

is a lower bound of every P. So the gap P - D bounds how far the weights are above the optimum. The proof does not
depend on the method that found them. Two methods are used. Where a square matrix of the columns is affordable, Newton
steps on the augmented Lagrangian of the dual, first on a sample of the rows, then on all (after Yan and Li,
Optimization Methods and Software, 2020). Elsewhere coordinate descent, which moves one a_i at a time (Hsieh et al.,
ICML 2008).
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.errors import TooLarge
from ..foundation.types import Floats
from ..parts.recipe import Recipe

SLICE_SECONDS = 0.02
SLICE_VALUES = 1 << 20  # stored values visited in the first slice; the clock sets the length of later ones
MAX_BUDGET = 1 << 40
NEWTON_COLUMNS = 1024  # Newton steps need fewer columns; a square matrix of so many takes 8 MB

HingeWatch = Callable[[float, float, bool], None]  # called with epochs, gap, and whether a step or pass has ended


@dataclass(frozen=True)
class HingeOptimum:
    """Weights, and the proof of how good they are."""

    coef: Floats
    intercept: float
    primal: float
    dual: float
    epochs: float
    reason: str  # "gap", "max_iter", "max_seconds" or "interrupted"

    @property
    def gap(self) -> float:
        """No weights have an objective further below `primal` than this."""
        return max(self.primal - self.dual, 0.0)


class HingeSolver:
    """A hinge problem that is solved a bounded amount of work at a time. The bits do not depend on the slices.

    >>> from rosenblatt.foundation.matrices import as_rows
    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> problem = whole_problem(np.array([0, 1], dtype=np.int32), classes=2)
    >>> solver = HingeSolver(as_rows([[0.0], [2.0]]), problem, Recipe(loss="hinge"))
    >>> while not solver.gap_within(1e-9):
    ...     _ = solver.advance(1000)
    >>> solver.optimum("gap").coef.round(6), round(solver.optimum("gap").intercept, 6)
    (array([1.]), -1.0)
    """

    def __init__(
        self,
        rows: _core.Rows,
        problem: ClassProblem,
        recipe: Recipe,
        weights: Floats | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.rows, self.recipe = rows, recipe
        constant = recipe.intercept_scaling if recipe.fit_intercept else 0.0
        if not np.isfinite(rows.mean_and_longest(constant, None, threads)).all():
            raise TooLarge
        self.problem = problem.native(rows, weights, recipe, threads)
        self.state = _core.Dual(self.problem, float(recipe.C), seed)
        self.uses_newton = rows.columns < NEWTON_COLUMNS

    @property
    def epochs(self) -> float:
        """Visits divided by rows. A Newton step visits every row that it scores."""
        return self.state.visits / max(self.rows.count, 1)

    @property
    def gap(self) -> float:
        """The gap proved so far."""
        return self.state.primal - self.state.dual

    def gap_within(self, tol: float) -> bool:
        """Whether the gap is proved to be at most `tol` times the objective."""
        return bool(self.gap <= tol * self.state.primal < np.inf)

    def advance(self, budget: int, tol: float = 0.0) -> bool:
        """Make about `budget` visits, or one Newton step. Compute the gap where it may have come down to `tol`.

        Returns whether a Newton step or a pass has ended.
        """
        if self.uses_newton:
            all_scored = self.state.step_newton(self.problem)
        else:
            passes = self.state.passes
            self.state.descend_coordinates(self.problem, budget)
            all_scored = self.state.passes > passes
        if all_scored and self.state.expects_gap_within(tol):
            self.state.prove_gap(self.problem)
        return self.uses_newton or all_scored

    def optimum(self, reason: str) -> HingeOptimum:
        """The best weights proved so far."""
        best, scale = self.state.best(), self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        return HingeOptimum(best[:-1], float(best[-1]) * scale, self.state.primal, self.state.dual, self.epochs, reason)


def visits_per_slice(rows: _core.Rows) -> int:
    """How many visits of coordinate descent a first slice makes."""
    return max(1, SLICE_VALUES * max(rows.count, 1) // max(rows.stored_values, 1))


def minimise_hinge(
    solver: HingeSolver, watch: HingeWatch | None = None, bookmark: Bookmark = NO_BOOKMARK
) -> HingeOptimum:
    """Advance until the gap is within the recipe's tol, or max_iter epochs or max_seconds are over.

    `watch(epochs, gap, step)` is called between slices of about 20 ms. `step` says whether a Newton step or a pass has
    ended. Ctrl-C ends the run like a limit, with the reason "interrupted".
    """
    began = time.perf_counter()
    saved = bookmark.take()
    if saved is not None:
        solver.state.restore(saved["dual"])
        began -= saved["seconds"]

    def tree() -> Tree:
        return {"dual": solver.state.save(), "seconds": time.perf_counter() - began}

    def after_slice(step: bool) -> None:
        if watch is not None:
            watch(solver.epochs, solver.gap, step)
        bookmark.save_if_due(tree, lambda: solver.epochs, step)

    try:
        reason = _advance_to_end(solver, began, after_slice)
    except KeyboardInterrupt:
        reason = "interrupted"
    if reason != "gap":
        solver.state.prove_gap(solver.problem)
    return solver.optimum(reason)


def _advance_to_end(solver: HingeSolver, began: float, after_slice: Callable[[bool], None]) -> str:
    """Advance slice by slice. Return why it ended."""
    stops, now = solver.recipe.stops, time.perf_counter()
    budget, max_visits = visits_per_slice(solver.rows), stops.max_iter * max(solver.rows.count, 1)
    while not solver.gap_within(stops.tol):
        if solver.epochs >= stops.max_iter:
            return "max_iter"
        if stops.max_seconds is not None and now - began >= stops.max_seconds:
            return "max_seconds"
        left = max_visits - solver.state.visits  # so that the last visit does not depend on the clock
        step = solver.advance(min(budget, left), stops.tol)
        before, now = now, time.perf_counter()
        budget = _next_budget(budget, now - before)
        after_slice(step)
    return "gap"


def _next_budget(budget: int, seconds: float) -> int:
    """Visits of the next slice, from what the last one took."""
    if SLICE_SECONDS / 2 <= seconds <= 2 * SLICE_SECONDS:
        return budget
    pace = min(4.0, max(0.25, SLICE_SECONDS / max(seconds, 1e-6)))
    return min(int(budget * pace) + 1, MAX_BUDGET)
