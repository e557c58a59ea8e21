"""The Fisher information of a logistic regression, factored: its determinant, and the length of rows in its inverse."""

import math

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from .hessian import MIN_PIVOT

MIN_SHARE = 1e-6  # of a scaled column in a combination; smaller shares are rounding


class Information:
    """A symmetric matrix A with its Cholesky factor, A = L L^T, and `inverse` = L^-1, so that A^-1 = L^-T L^-1.

    Coordinates whose diagonal entry is 0 are not `used`. `dependent` are those that the coordinates before them span.
    """

    def __init__(self, matrix: Floats) -> None:
        size = len(matrix)
        diagonal = np.diagonal(matrix).copy()
        if not np.isfinite(diagonal).all():
            raise TooLarge
        self.used: npt.NDArray[np.bool_] = diagonal > 0
        self._scale = 1 / np.sqrt(np.where(self.used, diagonal, 1.0))
        # The core factors A above the unit matrix, whose rows become those of L^-T. What it makes of the last block is
        # not read.
        stacked = np.zeros((2 * size, 2 * size))
        np.multiply(matrix, self._scale * self._scale[:, None], out=stacked[:size, :size])
        stacked[size:, :size] = np.eye(size)
        self._matrix = stacked[:size, :size].copy()
        _core.factor(stacked, MIN_PIVOT)
        pivots = np.diagonal(stacked)[:size]
        self.dependent: npt.NDArray[np.intp] = np.flatnonzero(self.used & (pivots == 0))
        self.log_determinant = -math.inf
        if not len(self.dependent):
            self.log_determinant = 2 * math.fsum(np.log(pivots[self.used] / self._scale[self.used]))
        self.inverse: Floats = np.ascontiguousarray(stacked[size:, :size].T) * self._scale

    def combination(self, column: int) -> list[int]:
        """The coordinates before a dependent one whose combination it is.

        >>> Information(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 2.0]])).combination(2)
        [0, 1]
        """
        inverse = self.inverse[:column, :column] / self._scale[:column]
        shares = inverse.T @ (inverse @ self._matrix[column, :column])
        return [int(place) for place in np.flatnonzero(np.abs(shares) > MIN_SHARE)]
