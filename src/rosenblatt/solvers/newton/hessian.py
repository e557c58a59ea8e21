"""The Hessian as a matrix, its Cholesky factor, and the Newton direction they give."""

from collections.abc import Callable

import numpy as np

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from .iterate import Iterate
from .row_sample import RowSample
from .smooth_objective import SmoothObjective

MIN_PIVOT = 1e-13  # relative to the diagonal; a coordinate with a smaller pivot is spanned by those before it

Inverse = Callable[[Floats], Floats]  # multiplies by the inverse of the Hessian, or nearly so


class CholeskyFactor:
    """The Cholesky factor of a symmetric matrix, scaled to a diagonal of ones.

    Coordinates without a pivot stay 0 in every solution. `rank_deficient` says that there are some besides those whose
    diagonal entry is 0.
    """

    def __init__(self, matrix: Floats) -> None:
        size = len(matrix)
        diagonal = matrix.ravel()[:: size + 1]
        if not np.isfinite(diagonal).all():
            raise TooLarge
        unused = int((diagonal <= 0).sum())
        self._scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        matrix *= self._scale
        matrix *= self._scale[:, None]
        self.rank_deficient = _core.factor(matrix, MIN_PIVOT) > unused
        self._factor = matrix

    def solve(self, b: Floats) -> Floats:
        """x with matrix x = b."""
        x = self._scale * b
        _core.solve(self._factor, x)
        return self._scale * x


class PlaneFactors:
    """The Cholesky factors of one symmetric matrix for each plane, or of one matrix for all planes."""

    def __init__(self, matrices: Floats, threads: int) -> None:
        size = matrices.shape[1]
        diagonals = matrices.reshape(len(matrices), -1)[:, :: size + 1]
        if not np.isfinite(diagonals).all():
            raise TooLarge
        self._scale = 1 / np.sqrt(np.where(diagonals > 0, diagonals, 1.0))
        matrices *= self._scale[:, :, None]
        matrices *= self._scale[:, None, :]
        _core.factor_each(matrices, MIN_PIVOT, threads)
        self._factors, self._threads = matrices, threads

    def solve(self, b: Floats) -> Floats:
        """x with matrix x = b for each plane; b has one row for each."""
        x = self._scale * b
        _core.solve_each(self._factors, x, self._threads)
        return self._scale * x


def hessian_matrix(objective: SmoothObjective, curvature: Floats) -> Floats:
    """The Hessian over all rows."""
    matrix = np.zeros((objective.size, objective.size))
    _core.hessian(objective.problem, curvature, None, matrix)
    objective.passes += 1
    matrix *= objective.factor
    matrix.ravel()[:: objective.size + 1] += objective.ridge
    return matrix


def sampled_hessian_matrix(objective: SmoothObjective, sample: RowSample) -> Floats:
    """The Hessian over a sample of the rows."""
    matrix = np.zeros((objective.size, objective.size))
    _core.hessian(objective.problem, sample.counts * sample.curvature, sample.rows, matrix)
    matrix *= objective.factor
    matrix.ravel()[:: objective.size + 1] += objective.ridge
    return matrix


def sampled_plane_hessians(objective: SmoothObjective, sample: RowSample) -> Floats:
    """The diagonal blocks of the Hessian of joint classes, over a sample of the rows.

    Where the probabilities are all the same, as at weights 0, the blocks are the same as well, and there is only one.
    """
    probabilities, size = sample.curvature.reshape(-1, objective.planes), objective.rows.columns + 1
    shared = bool((probabilities == probabilities[0, 0]).all())
    curvature = objective.plane_curvature(probabilities[:, :1] if shared else probabilities, sample.rows)
    curvature *= sample.counts[:, None]
    matrices = np.empty((curvature.shape[1], size, size))
    _core.plane_hessians(objective.problem, curvature.ravel(), sample.rows, matrices)
    matrices *= objective.factor
    matrices.reshape(len(matrices), -1)[:, :: size + 1] += objective.plane_ridge
    return matrices


def exact_direction(objective: SmoothObjective, iterate: Iterate, gradient: Floats) -> tuple[Floats, Floats, Inverse]:
    """p with H p = -gradient, the scores that p gives, and the inverse of H."""
    factor = CholeskyFactor(hessian_matrix(objective, iterate.curvature))
    objective.rank_deficient = factor.rank_deficient and not objective.unpenalised
    p = factor.solve(-gradient)
    return p, objective.scores(p), factor.solve
