"""When Newton's method ends: the gradient is small, the classes are separated, or a limit is reached."""

from collections.abc import Callable

import numpy as np

from ...parts.losses import LOSSES
from .iterate import Iterate
from .newton_state import NewtonState
from .smooth_objective import SmoothObjective

MAX_LEFT_TO_FALL = 0.1  # of the tolerance, relative to the objective: the fall that the Hessian may still predict
MAX_LAST_MOVE = 0.3  # of a score: without an optimum the weights grow, and steps that move a score further go on
MIN_STEPS_BEFORE_JUDGE = 6  # before separation is suspected

DOUBTFUL_STEPS, DOUBTFUL_NORM = (
    3,
    0.1,
)  # after so many steps a gradient that has fallen less may be nothing but rounding
ROUNDING_UNITS = 4  # of the largest terms of a sum: what its rounding may leave where it should be 0

Judge = Callable[[], str]  # returns the kind of separation


def may_have_no_optimum(objective: SmoothObjective) -> bool:
    """Whether separated classes leave the objective without an optimum: no penalty, and a loss that never reaches 0."""
    free = objective.unpenalised and not objective.bounds_weights
    return free and not LOSSES[objective.loss].reaches_zero


def within_tolerance(state: NewtonState, tol: float) -> bool:
    return state.gradient_norm <= tol * state.first_norm


def nothing_left_to_fall(state: NewtonState, tol: float) -> bool:
    return state.to_fall <= MAX_LEFT_TO_FALL * tol * state.iterate.value


def stop_reason(objective: SmoothObjective, state: NewtonState, tol: float, max_iter: int, judge: Judge | None) -> str:
    """Why no further step is taken; empty where one is."""
    state.near = within_tolerance(state, tol) and nothing_left_to_fall(state, tol)
    if state.near and not state.scores_exact:
        state.recompute_scores(objective)
        state.near = within_tolerance(state, tol)
    apart = may_have_no_optimum(objective) and look_for_separation(objective, state, judge)
    if apart or state.separation == "quasi":
        return "separated"
    if state.near and state.separation != "complete":
        return "gradient"
    if state.steps == DOUBTFUL_STEPS and state.relative_norm > DOUBTFUL_NORM and is_optimal_at_zero(objective):
        return "precision"
    return "max_iter" if state.steps == max_iter else ""


def is_optimal_at_zero(objective: SmoothObjective) -> bool:
    """Whether weights 0 are the optimum, because rounding alone explains every number of their gradient."""
    zero, planes = objective.at_zero(), objective.planes
    gradient, pull = np.abs(objective.gradient(zero)), objective.total_pull(zero)
    objective.release(zero)
    largest = np.append(np.tile(objective.largest_values(), planes), [abs(objective.offset_value)] * planes)
    return bool((gradient <= ROUNDING_UNITS * np.finfo(np.float64).eps * objective.factor * pull * largest).all())


def look_for_separation(objective: SmoothObjective, state: NewtonState, judge: Judge | None) -> bool:
    """Note the kind of separation once it is known. Return whether every row is on its own side."""
    apart = state.steps > 0 and separates(objective, state.iterate)
    if apart and not state.scores_exact:
        state.recompute_scores(objective)
        apart = separates(objective, state.iterate)
    if apart and (judge is None or separates(objective, state.iterate, rounding_of_scores(objective, state.iterate))):
        state.separation = "complete"
    suspicious = state.largest_move > MAX_LAST_MOVE and (state.near or state.steps >= MIN_STEPS_BEFORE_JUDGE)
    if (apart or suspicious) and judge is not None and not state.separation:
        kind = judge()
        state.separation = "complete" if apart and kind == "undecided" else kind
    return apart and state.separation == "complete"


def separates(objective: SmoothObjective, iterate: Iterate, least: float = 0.0) -> bool:
    """Whether every row has a margin above `least`. Then nothing bounds the weights of an unpenalised loss."""
    return objective.least_margin(iterate) > least


def rounding_of_scores(objective: SmoothObjective, iterate: Iterate) -> float:
    """A bound on the rounding errors of a margin: of a score, or of the difference of two."""
    planes = objective.planes
    largest = np.append(objective.largest_values(), abs(objective.offset_value))
    weights = np.abs(np.column_stack([iterate.z[:-planes].reshape(planes, -1), iterate.z[-planes:]]))
    units = 4 * (len(largest) + 8) * np.finfo(np.float64).eps
    return float(units * (weights @ largest).max())
