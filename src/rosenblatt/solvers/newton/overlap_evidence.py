"""When floats show that classes overlap, so that an unpenalised loss has an optimum, and when only a proof can tell.

Let a_i be the signed rows. Classes overlap if some multipliers, all above 0, make the rows a_i sum to 0 (Tucker). Near
an optimum the pulls of the rows nearly do: they sum to minus the gradient g. Let d_i be the least curvature of row i
and G = sum d_i x_i x_i^T. Then the pulls less d_i x_i . G^-1 g sum to 0 exactly, and all of them stay above 0 if no
|x_i . G^-1 g| reaches 1. A G that is not nearly singular keeps rounding far below that.
"""

import numpy as np

from ... import _core
from ...foundation.types import Floats
from .newton_state import NewtonState
from .rows_objective import RowsObjective
from .smooth_objective import SmoothObjective

MAX_JUDGED_NUMBERS = 1 << 16  # of rows times weights: larger designs are judged on other suspicions only
MIN_EIGENVALUE = 1e-8  # of G with its columns scaled; a smaller one leaves floats unsure
MAX_MOVE = 0.3  # of a score; 1 would do without rounding


def needs_proof(objective: SmoothObjective, state: NewtonState) -> bool:
    """Whether a design is small enough for a proof, and floats alone do not show that its classes overlap."""
    if not isinstance(objective, RowsObjective):  # what other processes hold is no small design
        return False
    small = objective.count * objective.size <= MAX_JUDGED_NUMBERS
    return small and not shows_overlap(objective, state)


def shows_overlap(objective: RowsObjective, state: NewtonState) -> bool:
    """Whether the pulls, corrected to sum to 0, are above 0 by more than rounding can change."""
    matrix, scale = _scaled_gram_matrix(objective, _least_curvature(objective, state.iterate.curvature))
    used = np.flatnonzero(scale)
    sizes, vectors = np.linalg.eigh(matrix[np.ix_(used, used)], UPLO="L")
    if not sizes[0] >= MIN_EIGENVALUE:
        return False
    gradient = state.gradient[_by_plane(objective)] * scale
    correction = np.zeros_like(gradient)
    correction[:, used] = gradient[:, used] @ vectors / sizes @ vectors.T
    z = np.empty(objective.size)
    z[_by_plane(objective)] = correction * scale
    return bool(np.abs(objective.scores(z)).max() <= MAX_MOVE)


def _least_curvature(objective: RowsObjective, curvature: Floats) -> Floats:
    """One number per row: its curvature, or for joint classes the least of its probabilities."""
    return curvature if objective.planes == 1 else curvature.reshape(-1, objective.planes).min(axis=1)


def _scaled_gram_matrix(objective: RowsObjective, curvature: Floats) -> tuple[Floats, Floats]:
    """The lower triangle of G in columns of length 1, and what scales the columns to it; 0 for columns of zeros."""
    size = objective.rows.columns + 1
    matrix, lengths = np.zeros((size, size)), np.empty(size)
    _core.hessian(objective.problem, np.ascontiguousarray(curvature), None, matrix)
    _core.hessian_diagonal(objective.problem, np.ones(objective.rows.count), lengths)
    scale = np.zeros(size)
    np.divide(1.0, np.sqrt(lengths), out=scale, where=lengths > 0)
    return matrix * scale * scale[:, None], scale


def _by_plane(objective: RowsObjective) -> np.ndarray[tuple[int, int], np.dtype[np.intp]]:
    """The places of each plane's weights and offset in z, which holds all weights before all offsets."""
    planes, columns = objective.planes, objective.rows.columns
    weights = np.arange(planes * columns).reshape(planes, columns)
    return np.column_stack([weights, planes * columns + np.arange(planes)])
