"""The Cholesky factor of a Hessian, and the Newton direction that it gives."""

import numpy as np

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from .iterate import Iterate
from .smooth_objective import Inverse, SmoothObjective

MIN_PIVOT = 1e-13  # relative to the diagonal; a coordinate with a smaller pivot is spanned by those before it


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


def exact_direction(objective: SmoothObjective, iterate: Iterate, gradient: Floats) -> tuple[Floats, Floats, Inverse]:
    """p with H p = -gradient, the scores that p gives, and the inverse of H."""
    inverse = inverse_hessian(objective, iterate)
    p = inverse(-gradient)
    return p, objective.scores(p), inverse


def inverse_hessian(objective: SmoothObjective, iterate: Iterate) -> Inverse:
    """The inverse of the Hessian: the one that the iterate has, or that of the Hessian factored."""
    known = objective.known_inverse(iterate)
    if known is not None:
        return known
    factor = CholeskyFactor(objective.hessian_matrix(iterate))
    objective.rank_deficient = factor.rank_deficient and not objective.unpenalised
    return factor.solve
