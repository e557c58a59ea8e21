"""One step of Newton's method: a direction, a line search along it, and an estimate of what is left to fall."""

import math
from collections.abc import Callable

import numpy as np

from ... import _core
from ...engine.resume import Bookmark
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from .conjugate_gradient import conjugate_gradient_direction
from .convergence import may_have_no_optimum, nothing_left_to_fall, within_tolerance
from .hessian import Inverse, exact_direction
from .iterate import Iterate
from .line_search import line_search
from .newton_state import NewtonState
from .preconditioner import Preconditioner
from .row_sample import RowSample
from .smooth_objective import SmoothObjective

MAX_RELATIVE_RESIDUAL = 0.1  # of a direction; the square root of the relative gradient is used where it is smaller
RELIABLE_FALL = 0.75  # of the fall that the Hessian predicted: above it the next step is damped less
MAX_FINAL_DAMPING = 0.02  # a damped Hessian predicts too small a fall, so more damping never ends a run
MIN_CURVATURE_LEFT = 0.5  # of a row: if the last step left less, it was too long for its Hessian to predict anything


def take_step(
    objective: SmoothObjective, state: NewtonState, tol: float, pause: Callable[[], None], bookmark: Bookmark
) -> str:
    """Take one step. Return why there is none to take; empty where there may be more."""
    p, along, inverse = _direction(objective, state, tol, pause, bookmark)
    slope = _core.dot(state.gradient, p)
    if not math.isfinite(slope):
        raise TooLarge
    predicted = -0.5 * slope
    state.to_fall = predicted if state.damping <= MAX_FINAL_DAMPING else math.inf
    done = within_tolerance(state, tol) and state.to_fall >= 0 and nothing_left_to_fall(state, tol)
    if done and state.separation != "complete":  # a separated loss falls for ever, and steps go on to the last row
        return ""
    new = line_search(objective, state.iterate, p, along, slope) if slope < 0 else None
    if new is None:
        if state.scores_exact:
            return "gradient" if state.near else "precision"
        state.recompute_scores(objective)
        return ""
    full_step, fall = bool((new.z == state.iterate.z + p).all()), state.iterate.value - new.value
    _accept(objective, state, new, inverse, tol)
    state.damping = next_damping(state.damping, full_step, fall / predicted)
    objective.release_buffers(along)
    return ""


def next_damping(damping: float, full_step: bool, reliability: float) -> float:
    """More damping after a step that had to be shortened, less after one that fell nearly as far as predicted."""
    if not full_step:
        return min(1.0, 4 * damping)
    return damping / 4 if reliability > RELIABLE_FALL else damping


def _direction(
    objective: SmoothObjective, state: NewtonState, tol: float, pause: Callable[[], None], bookmark: Bookmark
) -> tuple[Floats, Floats, Inverse]:
    """p with H p = -gradient or nearly so, the scores that p gives, and the inverse of H that found it."""
    if objective.computes_hessian:
        return exact_direction(objective, state.iterate, state.gradient)
    curvature = objective.damped_curvature(state.iterate.curvature, state.damping)
    if state.preconditioner is None or not state.preconditioner.is_worth_keeping(objective):
        state.preconditioner = None  # frees its memory before the next one takes as much
        state.preconditioner = Preconditioner.at(objective, curvature)
    p, along = conjugate_gradient_direction(
        objective, curvature, state.gradient, state.preconditioner, _max_residual(state, tol), pause, bookmark
    )
    return p, along, state.preconditioner.inverse


def _max_residual(state: NewtonState, tol: float) -> float:
    """The residual that a direction may leave: less the nearer the optimum is, but never far below the tolerance."""
    relative = state.relative_norm
    least = 0.3 * tol * state.first_norm if relative > tol else 0.0
    return max(min(MAX_RELATIVE_RESIDUAL, math.sqrt(relative)) * state.gradient_norm, least)


def _accept(objective: SmoothObjective, state: NewtonState, new: Iterate, inverse: Inverse, tol: float) -> None:
    """Move to the new iterate. Within the tolerance, estimate what is left to fall by the Hessian of the step."""
    if may_have_no_optimum(objective):
        state.largest_move = float(np.abs(new.scores - state.iterate.scores).max())
    last, state.scores_exact, state.steps, state.to_fall = state.iterate, False, state.steps + 1, math.inf
    state.move_to(objective, new)
    if within_tolerance(state, tol):
        factor = _inverse_growth(objective, state, last, new)
        state.to_fall = 0.5 * _core.dot(state.gradient, inverse(state.gradient)) * factor
    last.release(objective)


def _inverse_growth(objective: SmoothObjective, state: NewtonState, last: Iterate, new: Iterate) -> float:
    """A bound of how many times larger the inverse of H may be now than the one that the step used.

    H was made of the last iterate's curvature, or of a sample's. No row's curvature shrank by more than this factor.
    """
    preconditioner = state.preconditioner
    before, now, least = last.curvature, new.curvature, MIN_CURVATURE_LEFT
    sample = None if preconditioner is None else preconditioner.sample
    if sample is not None:
        before, now, least = sample.curvature, sample.curvature_at(objective, new.curvature), 0.0
        if objective.planes > 1:  # single probabilities shrink without end; what counts is the sum of a plane
            before, now = (_plane_curvature(objective, sample, probabilities) for probabilities in (before, now))
    ratio = _core.least_ratio(now, before, objective.threads)
    return 1 / ratio if ratio > least else math.inf


def _plane_curvature(objective: SmoothObjective, sample: RowSample, probabilities: Floats) -> Floats:
    """The curvature of each plane, summed over a sample of the rows."""
    curvature = objective.plane_curvature(probabilities.reshape(-1, objective.planes), sample.rows)
    total: Floats = sample.counts @ curvature
    return total
