"""Starting points of Newton's method: which rows find one, and what it is."""

import math
from dataclasses import dataclass

from .iterate import Iterate
from .smooth_objective import SmoothObjective

SUBSAMPLE_STRIDES = (7, 5)  # every 7th or every 5th row finds the start; primes, because rows may be periodic
MIN_SUBSAMPLE_ROWS = 1000
SUBSAMPLE_ROWS_PER_COORDINATE = 12
SUBSAMPLE_TOL = 1e-3
MAX_SUBSAMPLE_STEPS = 20


@dataclass(frozen=True)
class Start:
    """A starting point.

    `to_fall` estimates how far the objective can still fall from there; `interruption` is the reason if a stop from
    outside ended the search for it.
    """

    iterate: Iterate
    to_fall: float = math.inf
    interruption: str = ""


def subsample_stride(objective: SmoothObjective) -> int | None:
    """The distance between the rows of a subsample that finds a start; None where rows are few.

    Without a penalty there is no such start: a part of the rows may be separable where the whole is not.
    """
    if objective.unpenalised:
        return None
    needed = max(MIN_SUBSAMPLE_ROWS, SUBSAMPLE_ROWS_PER_COORDINATE * objective.size)
    stride = next((stride for stride in SUBSAMPLE_STRIDES if objective.count >= stride * needed), None)
    return stride if stride is not None and objective.may_subsample(stride) else None
