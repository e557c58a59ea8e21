"""A line search by backtracking. It reads no rows in memory, because scores change linearly along a direction."""

from ... import _core
from ...foundation.types import Floats
from .iterate import Iterate
from .smooth_objective import SmoothObjective

MIN_STEP = 1e-12
ARMIJO = 1e-4  # the least fall, relative to what the slope at the start promises
MIN_RELATIVE_FALL = 1e-14  # of the objective: rounding hides a smaller one


def line_search(
    objective: SmoothObjective, iterate: Iterate, p: Floats, along: Floats, slope: float, first: float = 1.0
) -> Iterate | None:
    """The first of the steps 1, 1/2, 1/4, .. along p where the objective falls enough; None where rounding hides it.

    `along` holds the scores that p gives, `slope` is gradient . p. The search begins at the step `first`.
    """
    t = first
    while t > MIN_STEP:
        if t < 1 and -2 * t * slope <= MIN_RELATIVE_FALL * abs(iterate.value):
            return None
        scores = objective.take_buffer()
        _core.add_scaled(iterate.scores, t, along, objective.threads, scores)
        new = objective.with_scores(iterate.z + t * p, scores)
        if falls_enough(iterate, new, t, slope):
            return new
        objective.release(new)
        t *= 0.5
    return None


def falls_enough(iterate: Iterate, new: Iterate, t: float, slope: float) -> bool:
    """Whether the objective after the step t is low enough; not so for NaN."""
    return new.value <= iterate.value + ARMIJO * t * slope
