"""Starting points of Newton's method: which rows find one, and what it is."""

import math
from dataclasses import dataclass

from .iterate import Iterate
from .rows_objective import RowsObjective

SUBSAMPLE_STRIDES = (7, 5)  # every 7th or every 5th row finds the start; primes, because rows may be periodic
MIN_SUBSAMPLE_ROWS = 1000
SUBSAMPLE_ROWS_PER_COORDINATE = 12
MAX_COPIED_VALUES = 1 << 25  # stored values of sparse rows that a subsample may copy
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


def subsample_stride(objective: RowsObjective) -> int | None:
    """The distance between the rows of a subsample that finds a start; None where rows are few or copies too large.

    Without a penalty there is no such start: a part of the rows may be separable where the whole is not.
    """
    rows, needed = objective.rows, max(MIN_SUBSAMPLE_ROWS, SUBSAMPLE_ROWS_PER_COORDINATE * objective.size)
    stride = next((stride for stride in SUBSAMPLE_STRIDES if rows.count >= stride * needed), None)
    if objective.unpenalised or stride is None or (rows.sparse and rows.stored_values > stride * MAX_COPIED_VALUES):
        return None
    return stride
