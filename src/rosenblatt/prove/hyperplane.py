"""A hyperplane whose numbers are exact."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Hyperplane:
    """All x with weights . x + offset = 0, in fractions; `coef` and `intercept` are their nearest floats.

    >>> plane = Hyperplane((Fraction(1, 3), Fraction(2)), Fraction(-1))
    >>> plane.coef, plane.intercept
    (array([0.33333333, 2.        ]), -1.0)
    """

    weights: tuple[Fraction, ...]
    offset: Fraction

    @property
    def coef(self) -> npt.NDArray[np.float64]:
        """The weights as floats. Where they are too large or too small for floats, the largest float or 0."""
        return np.array([_nearest(weight) for weight in self.weights])

    @property
    def intercept(self) -> float:
        """The offset as a float."""
        return _nearest(self.offset)


def _nearest(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return LARGEST if value > 0 else -LARGEST
