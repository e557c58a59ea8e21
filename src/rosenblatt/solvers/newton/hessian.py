"""The Hessian as a matrix, its Cholesky factor, and the Newton direction they give."""

from collections.abc import Callable

import numpy as np

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from .iterate import Iterate
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


def hessian_matrix(objective: SmoothObjective, curvature: Floats) -> Floats:
    """The Hessian over all rows."""
    matrix = np.zeros((objective.size, objective.size))
    _core.hessian(objective.problem, curvature, None, matrix)
    objective.passes += 1
    matrix *= objective.factor
    matrix.ravel()[:: objective.size + 1] += objective.ridge
    return matrix


def sampled_hessian_matrix(objective: SmoothObjective, curvature: Floats) -> Floats:
    """The Hessian over the objective's sampled rows, scaled to stand for all. `curvature` is that of these rows."""
    matrix = np.zeros((objective.size, objective.size))
    _core.hessian(objective.problem, curvature, objective.sampled_rows, matrix)
    matrix *= objective.factor * objective.rows.count / len(curvature)
    matrix.ravel()[:: objective.size + 1] += objective.ridge
    return matrix


def exact_direction(objective: SmoothObjective, iterate: Iterate, gradient: Floats) -> tuple[Floats, Floats, Inverse]:
    """p with H p = -gradient, the scores that p gives, and the inverse of H."""
    factor = CholeskyFactor(hessian_matrix(objective, iterate.curvature))
    objective.rank_deficient = factor.rank_deficient and not objective.unpenalised
    p = factor.solve(-gradient)
    return p, objective.scores(p), factor.solve
