"""Newton's method for a smooth penalised loss, with the gradient's norm as proof.

The objective is C sum_i s_i loss_i + 1/2 ||w||^2. A step solves H p = -gradient and searches along p for a lower
objective. The scores of rows in memory are kept, so the search reads no rows. A small Hessian H is computed and
factored. For a large one conjugate gradients multiply by H, preconditioned by the factored H of a sample of the rows,
or by its diagonal. Large data start near the optimum of every seventh or fifth row. The squared hinge with many columns
starts by coordinate descent on its dual, which often ends there. Only passes over the rows take time, and between them
Ctrl-C and limits can end the run.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ...engine.resume import NO_BOOKMARK, Bookmark, Tree
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from ..interruption import INTERRUPTION_TYPES, INTERRUPTIONS, interruption_reason
from .convergence import DOUBTFUL_NORM, Judge, is_optimal_at_zero, may_have_no_optimum, stop_reason
from .dual_start import start_from_dual, starts_from_dual
from .iterate import Iterate
from .newton_state import NewtonState
from .newton_step import take_step
from .overlap_evidence import needs_proof
from .rows_objective import RowsObjective
from .smooth_objective import SmoothObjective, StepWatch
from .start import MAX_SUBSAMPLE_STEPS, SUBSAMPLE_TOL, Start, subsample_stride

SEPARATED = ("complete", "quasi")


@dataclass
class NewtonResult:
    """The last iterate, its relative gradient norm, and why the method ended."""

    iterate: Iterate
    relative_norm: float
    reason: str
    steps: int
    separation: str = ""


def minimise_smooth(
    objective: SmoothObjective,
    start: Floats | None,
    tol: float,
    max_iter: int,
    watch: StepWatch,
    judge: Judge | None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> NewtonResult:
    """Newton steps from `start`, or from one that it finds, until the gradient is at most tol times that at 0.

    The objective must also have no more than about a tenth of tol of itself left to fall.
    """
    saved = bookmark.take() or {}
    state = NewtonState.restored(objective, saved) if saved else NewtonState.at_zero(objective)
    if not math.isfinite(state.first_norm):
        raise TooLarge
    if state.first_norm == 0:
        return NewtonResult(state.iterate, 0.0, "gradient", 0)
    return _NewtonRun(objective, state, tol, max_iter, watch, judge, bookmark).result(start, saved)


@dataclass
class _NewtonRun:
    """One call: the state, the limits, and the watch that is called between passes."""

    objective: SmoothObjective
    state: NewtonState
    tol: float
    max_iter: int
    watch: StepWatch
    judge: Judge | None
    bookmark: Bookmark

    def result(self, start: Floats | None, saved: Tree) -> NewtonResult:
        try:
            if not self.state.started:
                self._move_to_start(start, saved.get("begin"))
            reason = self._take_steps(saved.get("direction"))
        except INTERRUPTION_TYPES as stop:
            reason = interruption_reason(stop)
        return self._conclude(reason)

    def _pause(self) -> None:
        self.watch(self.state.steps, self.state.iterate.value, self.state.relative_norm)

    def _tree(self) -> Tree:
        return self.state.saved(self.objective)

    def _passes(self) -> float:
        return self.objective.passes

    def _move_to_start(self, given: Floats | None, saved: Tree | None) -> None:
        inside, state = self.bookmark.nested("begin", self._tree, saved), self.state
        if given is None:
            start = find_start(self.objective, self.tol, self._pause, inside)
        else:
            start = Start(self.objective.at(given))
        state.started = True
        if start is not None and start.iterate.value < state.iterate.value:
            state.move_to(self.objective, start.iterate)
            state.to_fall = start.to_fall
        if start is not None and start.interruption:
            raise INTERRUPTIONS[start.interruption]

    def _take_steps(self, saved: Tree | None) -> str:
        """Steps until there is a reason to end. `saved` is the tree of a direction that was interrupted."""
        reason = ""
        while not reason:
            if saved is None:
                self._pause()
                self.bookmark.save_if_due(self._tree, self._passes, step=True)
                reason = stop_reason(self.objective, self.state, self.tol, self.max_iter, self.judge)
                if reason:
                    break
                if self.objective.take_plain_steps(self.state, self.tol, self.max_iter, self.watch):
                    continue
            inside, saved = self.bookmark.nested("direction", self._tree, saved), None
            reason = take_step(self.objective, self.state, self.tol, self._pause, inside)
        return reason

    def _conclude(self, reason: str) -> NewtonResult:
        state = self.state
        stuck = reason == "precision" or (reason == "max_iter" and state.relative_norm > DOUBTFUL_NORM)
        if stuck and is_optimal_at_zero(self.objective):
            return NewtonResult(self.objective.at_zero(), 0.0, "gradient", state.steps)
        if not state.scores_exact:
            state.recompute_scores(self.objective)
        if reason == "gradient" and self.objective.rank_deficient:
            reason = "precision"
        self._ask_for_proof(reason)
        separation = state.separation if state.separation in SEPARATED else ""
        if separation and reason not in INTERRUPTIONS:
            reason = "separated"
        return NewtonResult(state.iterate, state.relative_norm, reason, state.steps, separation)

    def _ask_for_proof(self, reason: str) -> None:
        """Ask for the kind of separation where an optimum may be missing and floats do not show that there is one."""
        unknown = may_have_no_optimum(self.objective) and not self.state.separation
        if unknown and self.judge is not None and reason not in INTERRUPTIONS:
            self.state.separation = self.judge() if needs_proof(self.objective, self.state) else ""


def find_start(objective: SmoothObjective, tol: float, pause: Callable[[], None], bookmark: Bookmark) -> Start | None:
    """A start from the dual or from the optimum of a subsample, where the objective allows one: it has a penalty."""
    if objective.unpenalised:
        return None
    if isinstance(objective, RowsObjective) and starts_from_dual(objective):
        return start_from_dual(objective, tol, pause, bookmark)
    stride = subsample_stride(objective)
    return None if stride is None else start_from_subsample(objective, stride, pause, bookmark)


def start_from_subsample(
    objective: SmoothObjective, stride: int, pause: Callable[[], None], bookmark: Bookmark
) -> Start:
    """The optimum of every stride-th row or block of rows, to a rough tolerance."""
    sample = objective.subsample(stride)
    found = minimise_smooth(sample, None, SUBSAMPLE_TOL, MAX_SUBSAMPLE_STEPS, lambda *_: pause(), None, bookmark)
    objective.passes += sample.passes * sample.count // objective.count
    interruption = found.reason if found.reason in INTERRUPTIONS else ""
    return Start(objective.at(found.iterate.z), interruption=interruption)
