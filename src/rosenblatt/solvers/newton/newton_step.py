"""One step of Newton's method: a direction, a line search along it, and an estimate of what is left to fall."""

import math
from collections.abc import Callable

from ... import _core
from ...engine.resume import Bookmark
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from .conjugate_gradient import conjugate_gradient_direction
from .convergence import may_have_no_optimum, nothing_left_to_fall, within_tolerance
from .euclidean_norm import euclidean_norm
from .hessian import exact_direction
from .iterate import Iterate
from .line_search import MIN_RELATIVE_FALL, line_search
from .newton_state import NewtonState
from .preconditioner import Preconditioner
from .smooth_objective import Inverse, SmoothObjective

MAX_RELATIVE_RESIDUAL = 0.3  # of a direction; the square root of the relative gradient is used where it is smaller
RELIABLE_FALL = 0.75  # of the fall that the Hessian predicted: above it the next step is damped less
MAX_FINAL_DAMPING = 0.02  # a Hessian that is damped more predicts too small a fall to end a run
MAX_NORM_LEFT = 0.5  # of the gradient: what a step must leave at most where rounding hides the fall of the objective
MIN_CURVATURE_LEFT = 0.5  # of a row: if the last step left less, it was too long for its Hessian to predict anything


def take_step(
    objective: SmoothObjective, state: NewtonState, tol: float, pause: Callable[[], None], bookmark: Bookmark
) -> str:
    """Take one step. Return why there is none to take; empty where there may be more."""
    p, along, inverse = _direction(objective, state, tol, pause, bookmark)
    slope = _core.dot(state.gradient, p)
    if not math.isfinite(slope):
        raise TooLarge
    predicted = state.to_fall = -0.5 * slope
    done = within_tolerance(state, tol) and state.to_fall >= 0 and nothing_left_to_fall(state, tol)
    if done and state.damping > MAX_FINAL_DAMPING:
        state.damping, state.to_fall = state.damping / 16, math.inf
        return ""
    if done and state.separation != "complete":  # a separated loss falls for ever, and steps go on to the last row
        return ""
    hidden = -slope <= MIN_RELATIVE_FALL * abs(state.iterate.value)  # then no line search can see the fall
    new = line_search(objective, state.iterate, p, along, slope) if slope < 0 and not hidden else None
    if new is None:
        return _step_without_fall(objective, state, p, inverse, tol)
    full_step, fall = bool((new.z == state.iterate.z + p).all()), state.iterate.value - new.value
    _accept(objective, state, new, inverse, tol)
    state.damping = next_damping(state.damping, full_step, fall / predicted)
    objective.release_buffers(along)
    return ""


def _step_without_fall(objective: SmoothObjective, state: NewtonState, p: Floats, inverse: Inverse, tol: float) -> str:
    """Go on where rounding hides whether the objective falls: undamped, then by the gradient, from exact scores.

    The objective shows falls down to about the square root of what the gradient shows.
    """
    if state.damping:
        state.damping = 0.0
        return ""
    if state.near and state.scores_exact:
        return "gradient"
    new = objective.at(state.iterate.z + p)
    rise, hidden = new.value - state.iterate.value, MIN_RELATIVE_FALL * abs(state.iterate.value)
    if rise <= hidden and euclidean_norm(objective.gradient(new)) <= MAX_NORM_LEFT * state.gradient_norm:
        _accept(objective, state, new, inverse, tol)
        state.scores_exact = True
        return ""
    if state.scores_exact:
        return "precision"
    state.recompute_scores(objective)
    return ""


def next_damping(damping: float, full_step: bool, reliability: float) -> float:
    """More damping after a step that had to be shortened, less after one that fell nearly as far as predicted.

    The nearer the prediction was, the less damping is left, so that the last steps converge as undamped ones do.
    """
    if not full_step:
        return min(1.0, 4 * damping)
    return damping * min(0.25, abs(1 - reliability)) if reliability > RELIABLE_FALL else damping


def _direction(
    objective: SmoothObjective, state: NewtonState, tol: float, pause: Callable[[], None], bookmark: Bookmark
) -> tuple[Floats, Floats, Inverse]:
    """p with H p = -gradient or nearly so, the scores that p gives, and the inverse of H that found it."""
    if objective.computes_hessian:
        return exact_direction(objective, state.iterate, state.gradient)
    iterate = objective.damped(state.iterate, state.damping)
    if state.preconditioner is None or not state.preconditioner.is_worth_keeping(objective):
        state.preconditioner = None  # frees its memory before the next one takes as much
        state.preconditioner = Preconditioner.at(objective, iterate)
    p, along = conjugate_gradient_direction(
        objective, iterate, state.gradient, state.preconditioner, _max_residual(state, tol), pause, bookmark
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
        state.largest_move = objective.largest_move(new, state.iterate)
    last, state.scores_exact, state.steps, state.to_fall = state.iterate, False, state.steps + 1, math.inf
    state.move_to(objective, new)
    if within_tolerance(state, tol) and state.damping <= MAX_FINAL_DAMPING:
        factor = _inverse_growth(objective, state, last, new)
        state.to_fall = 0.5 * _core.dot(state.gradient, inverse(state.gradient)) * factor
    objective.release(last)


def _inverse_growth(objective: SmoothObjective, state: NewtonState, last: Iterate, new: Iterate) -> float:
    """A bound of how many times larger the inverse of H may be now than the one that the step used.

    H was made of the last iterate's curvature, or of a sample's. No row's curvature shrank by more than this factor.
    """
    preconditioner = state.preconditioner
    if preconditioner is None or preconditioner.sample is None:
        ratio, least = objective.curvature_ratio(new, last), MIN_CURVATURE_LEFT
    else:
        ratio, least = objective.sample_ratio(new, preconditioner.sample), 0.0
    return 1 / ratio if ratio > least else math.inf
