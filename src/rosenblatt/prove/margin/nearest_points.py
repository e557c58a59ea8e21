"""The nearest points of two convex hulls in floating point: a proposal, from which `max_margin.py` proves bounds."""

from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import qr
from threadpoolctl import ThreadpoolController

from ...foundation.matrices import is_sparse
from ...foundation.types import Floats
from ..time_limit import Clock
from .alternating import IterativeSystem, solve_alternating
from .augmented_lagrangian import FactoredSystem, solve_augmented_lagrangian
from .margin_bounds import Proposal

MAX_DIRECT_SIZE = 1200  # rows or columns up to which Newton's equations are factored
MAX_DENSE_NUMBERS = 20_000_000  # numbers up to which sparse rows are written out


def solve_nearest_points(
    rows: Any, sides: Floats | None, tolerance: float, clock: Clock, start: Proposal | None = None
) -> Proposal:
    """Weights and a direction whose gap is below the tolerance, or the best that floats find.

    `rows` are the a_i, scaled so that the largest is near 1; `sides` the y_i, None through the origin. Call it within
    `one_thread`.
    """
    count, columns = rows.shape
    if min(count, columns) > MAX_DIRECT_SIZE or (is_sparse(rows) and count * columns > MAX_DENSE_NUMBERS):
        system = IterativeSystem(rows, sides)
        found = solve_alternating(system, tolerance, clock, start)
        return found if found.gap < tolerance else solve_augmented_lagrangian(system, tolerance, clock, found)
    return _solve_directly(rows.toarray() if is_sparse(rows) else rows, sides, tolerance, clock, start)


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> Any:
    """Limit BLAS to one thread, which is faster for vectors and matrices as small as these."""
    return _thread_pools().limit(limits=1, user_api="blas")


def _solve_directly(
    dense: Floats, sides: Floats | None, tolerance: float, clock: Clock, start: Proposal | None
) -> Proposal:
    count, columns = dense.shape
    if count >= columns:
        return solve_augmented_lagrangian(FactoredSystem(dense, sides), tolerance, clock, start)
    basis, triangle = qr(dense.T, mode="economic", check_finite=False)  # the rows span a smaller space
    inside = start and Proposal(start.alpha, basis.T @ start.w, start.gap, start.sigma)
    found = solve_augmented_lagrangian(
        FactoredSystem(np.ascontiguousarray(triangle.T), sides), tolerance, clock, inside
    )
    return Proposal(found.alpha, basis @ found.w, found.gap, found.sigma)
