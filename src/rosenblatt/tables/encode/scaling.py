"""Centre and scale columns for training, and undo it in the weights.

With z = (x - centre) / scale, the plane w.z + b is the plane (w / scale).x + (b - (w / scale).centre). So a model that
was trained on scaled columns can be stored in the columns' own units.
"""

from typing import NamedTuple

import numpy as np

from ...foundation.types import Floats


class Scaling(NamedTuple):
    """The mean of each column and its standard deviation, 1 for constant columns."""

    centre: Floats
    scale: Floats

    def apply(self, X: Floats) -> Floats:
        scaled: Floats = X - self.centre
        scaled /= self.scale
        return scaled

    def undo(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """The weights for unscaled columns."""
        raw = coef / self.scale
        return raw, intercept - raw @ self.centre


def measure_scaling(X: Floats) -> Scaling:
    """Means and standard deviations; a column whose range overflows float64 has an infinite deviation.

    >>> measure_scaling(np.array([[1.0, 7.0], [3.0, 7.0]]))
    Scaling(centre=array([2., 7.]), scale=array([1., 1.]))
    """
    low, high = X.min(axis=0), X.max(axis=0)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        centre = np.clip(X.mean(axis=0), low, high)  # the mean of equal numbers is exactly that number
        reach = np.where(low < high, high - low, 1.0)
        squares = ((X - centre) / reach) ** 2  # which neither overflow nor underflow
        scale = np.where(low < high, np.sqrt(squares.mean(axis=0)) * reach, 1.0)
    return Scaling(centre, np.where(np.isfinite(reach), scale, np.inf))
