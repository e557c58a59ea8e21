"""The hinge classifier at its optimum, with the duality gap as proof.

    minimise  P(w, b) = C sum_i s_i max(0, 1 - y_i (w.x_i + b)) + |w|^2 / 2

the offset b free, or its coordinate penalised like the others. Every point of the dual problem,

    maximise  D(a) = sum_i a_i - |sum_i a_i y_i x_i|^2 / 2,  0 <= a_i <= C s_i,  sum_i a_i y_i = 0 where b is free,

is a lower bound of every P. So P - D, the gap, says how far above the optimum the weights can be at most, and the
proof needs no trust in the way there. That way: Newton steps on the augmented Lagrangian of the dual where a square
matrix of the columns is affordable, first on a sample of the rows, then on all (after Yan and Li, Optimization Methods
and Software, 2020); elsewhere coordinate descent (Hsieh et al., ICML 2008), which moves one a_i at a time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.types import Floats
from ..parts.recipe import Recipe

SLICE_SECONDS = 0.02
SLICE_VALUES = 1 << 20  # stored values visited in the first slice; the next ones go by the clock
NEWTON_COLUMNS = 1024  # a square of so many takes 8 MB


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


class Ascent:
    """A problem on its way to the optimum, a bounded amount of work at a time; the same bits however it is cut.

    >>> from rosenblatt.foundation.matrices import as_rows
    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> problem = whole_problem(np.array([0, 1], dtype=np.int32), classes=2)
    >>> ascent = Ascent(as_rows([[0.0], [2.0]]), problem, Recipe(loss="hinge"))
    >>> while not ascent.within(1e-9):
    ...     _ = ascent.advance(1000)
    >>> ascent.optimum("gap").coef.round(6), round(ascent.optimum("gap").intercept, 6)
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
        self.problem = problem.native(rows, weights, recipe, threads)
        self.state = _core.Dual(self.problem, float(recipe.C), seed)
        self.newton = rows.columns < NEWTON_COLUMNS

    @property
    def epochs(self) -> float:
        """Rows visited, of which all rows once make one; a Newton step visits every row it looks at."""
        return self.state.visits / max(self.rows.count, 1)

    def within(self, tol: float) -> bool:
        """Whether the gap is proved to be at most `tol` times the objective."""
        return bool(self.state.primal - self.state.dual <= tol * self.state.primal < np.inf)

    def advance(self, budget: int, tol: float = 0.0) -> bool:
        """About `budget` visits, or one Newton step. The gap is proved where it may have come down to `tol`.

        Returns whether a Newton step or a pass has ended.
        """
        if self.newton:
            looked = self.state.polish(self.problem)
        else:
            passes = self.state.passes
            self.state.descend(self.problem, budget)
            looked = self.state.passes > passes
        if looked and self.state.promises(tol):
            self.state.prove(self.problem)
        return self.newton or looked

    def optimum(self, reason: str) -> HingeOptimum:
        """The best weights proved so far."""
        best, scale = self.state.best(), self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        return HingeOptimum(best[:-1], float(best[-1]) * scale, self.state.primal, self.state.dual, self.epochs, reason)


def minimise(
    ascent: Ascent, watch: Callable[[float, float, bool], None] | None = None, bookmark: Bookmark = NO_BOOKMARK
) -> HingeOptimum:
    """Advance until the gap is within the recipe's tol, or max_iter epochs or max_seconds are over.

    `watch(epochs, gap, step)` is called between slices of about 20 ms, `step` where a Newton step or a pass has ended.
    Ctrl-C ends it like a limit, with the reason "interrupted".
    """
    stops, began, rows = ascent.recipe.stops, time.perf_counter(), max(ascent.rows.count, 1)
    saved = bookmark.take()
    if saved is not None:
        ascent.state.restore(saved["dual"])
        began -= saved["seconds"]
    budget, now, reason = max(1, SLICE_VALUES * rows // max(ascent.rows.stored_values, 1)), time.perf_counter(), "gap"

    def state() -> Tree:
        return {"dual": ascent.state.save(), "seconds": time.perf_counter() - began}

    try:
        while not ascent.within(stops.tol):
            if ascent.epochs >= stops.max_iter:
                reason = "max_iter"
                break
            if stops.max_seconds is not None and now - began >= stops.max_seconds:
                reason = "max_seconds"
                break
            left = stops.max_iter * rows - ascent.state.visits  # where it ends must not depend on the clock
            step = ascent.advance(min(budget, left), stops.tol)
            before, now = now, time.perf_counter()
            if now - before > 2 * SLICE_SECONDS or now - before < SLICE_SECONDS / 2:
                pace = min(4.0, max(0.25, SLICE_SECONDS / max(now - before, 1e-6)))
                budget = min(int(budget * pace) + 1, 1 << 40)
            if watch is not None:
                watch(ascent.epochs, ascent.state.primal - ascent.state.dual, step)
            bookmark.save_if_due(state, lambda: ascent.epochs, step)
    except KeyboardInterrupt:
        reason = "interrupted"
    if reason != "gap":
        ascent.state.prove(ascent.problem)
    return ascent.optimum(reason)
