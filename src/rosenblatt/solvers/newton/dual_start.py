"""A start by coordinate descent on the dual of the squared hinge, where columns are too many to precondition with."""

import math
from collections.abc import Callable

import numpy as np

from ... import _core
from ...engine.resume import Bookmark, Tree
from ...parts.losses import LOSSES
from ..dual import visits_per_slice
from ..interruption import INTERRUPTION_TYPES, interruption_reason
from .convergence import MAX_LEFT_TO_FALL
from .iterate import Iterate
from .line_search import line_search
from .rows_objective import RowsObjective
from .start import Start

MAX_GAP_LEFT = 0.8  # of the gap: a pass that leaves more is the last one
MAX_DUAL_PASSES = 60
MAX_OFFSET_STEPS = 20


def starts_from_dual(objective: RowsObjective) -> bool:
    """Whether the start comes from the dual: the loss has one, and no Hessian of a sample can precondition."""
    return LOSSES[objective.loss].dual_start and not objective.unpenalised and not objective.samples_hessian


def start_from_dual(objective: RowsObjective, tol: float, pause: Callable[[], None], bookmark: Bookmark) -> Start:
    """Passes over the dual, until the gap is within the tolerance or shrinks slowly."""
    state, gap, passes, interruption = _core.Dual(objective.problem, objective.factor, 0), math.inf, 0, ""
    budget = visits_per_slice(objective.rows)
    saved = bookmark.take()
    if saved is not None:
        gap, passes = saved["left"], saved["passed"]
        state.restore(saved["dual"])

    def tree() -> Tree:
        return {"dual": state.save(), "left": gap, "passed": passes}

    try:
        while passes < MAX_DUAL_PASSES:
            while state.passes == passes:
                state.descend_coordinates(objective.problem, budget)
                pause()
                bookmark.save_if_due(tree, lambda: objective.passes, step=state.passes > passes)
            objective.passes += 1
            passes += 1
            before, gap = gap, state.seen_gap
            if gap <= MAX_LEFT_TO_FALL * tol * (gap + state.dual_objective()) or gap > MAX_GAP_LEFT * before:
                break
    except INTERRUPTION_TYPES as stop:
        interruption = interruption_reason(stop)
    return Start(with_best_offset(objective, objective.at(state.theta())), gap, interruption)


def with_best_offset(objective: RowsObjective, iterate: Iterate) -> Iterate:
    """The same weights with the offset that minimises the objective, by Newton steps that read no rows."""
    value, ridge = objective.offset_value, float(objective.ridge[-1])
    for _ in range(MAX_OFFSET_STEPS):
        descent = objective.factor * value * float(iterate.pull.sum()) - ridge * float(iterate.z[-1])
        curvature = objective.factor * value**2 * float(iterate.curvature.sum()) + ridge
        if descent * descent <= 1e-14 * curvature * iterate.value:
            break
        p = np.zeros(objective.size)
        p[-1] = descent / curvature
        along = np.full(len(iterate.scores), value * p[-1])
        new = line_search(objective, iterate, p, along, -descent * p[-1])
        if new is None:
            break
        iterate = new
    return iterate
