"""The mean and the squared deviations of numbers, which can be merged with those of other numbers."""

from typing import NamedTuple

import numpy as np

from ....foundation.types import Floats

MAX_EXPONENT = 1022


class Moments(NamedTuple):
    """How many numbers there are in all, their mean, and the sum of their squared distances from it.

    Both are in units of 2^exponent, so that squares neither overflow nor underflow. A unit of this kind changes no bit.

    >>> Moments.of(np.array([1.0, 3.0]), reach=3.0).merged(Moments.of(np.array([8.0]), reach=8.0))
    Moments(total=3, mean=0.25, squares=0.1015625, exponent=4)
    """

    total: int = 0
    mean: float = 0.0
    squares: float = 0.0
    exponent: int = -MAX_EXPONENT

    @classmethod
    def of(cls, numbers: Floats, reach: float) -> "Moments":
        """The moments of at least one number; `reach` is the largest of their absolute values."""
        exponent = min(max(int(np.frexp(reach)[1]), -MAX_EXPONENT), MAX_EXPONENT) if np.isfinite(reach) else 0
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = numbers * 2.0**-exponent
            mean = float(scaled.mean())
            return cls(len(numbers), mean, float(((scaled - mean) ** 2).sum()), exponent)

    def merged(self, other: "Moments") -> "Moments":
        """The moments of both (Chan, Golub and LeVeque)."""
        if not self.total:
            return other
        exponent = max(self.exponent, other.exponent)
        first, second = self._in_units(exponent), other._in_units(exponent)
        with np.errstate(over="ignore", invalid="ignore"):
            total, apart = first.total + second.total, second.mean - first.mean
            squares = first.squares + (second.squares + apart * apart * first.total * second.total / total)
            return Moments(total, first.mean + apart * second.total / total, squares, exponent)

    def _in_units(self, exponent: int) -> "Moments":
        factor = 2.0 ** (self.exponent - exponent)
        return Moments(self.total, self.mean * factor, self.squares * factor * factor, exponent)

    def halved(self) -> "Moments":
        """Those of half as many numbers with the same mean and deviation."""
        return self._replace(total=max(self.total // 2, 1), squares=self.squares / 2)

    @property
    def centre(self) -> float:
        return self.mean * 2.0**self.exponent

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self.squares / self.total)) * 2.0**self.exponent
