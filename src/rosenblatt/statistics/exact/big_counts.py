"""Many integers of any length in NumPy arrays, for sums of two: each is split into digits of 63 bits."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats, Mask, Places

DIGIT_BITS = 63
DIGIT = np.uint64((1 << DIGIT_BITS) - 1)
HALF = np.uint64((1 << 32) - 1)


@dataclass
class BigCounts:
    """One integer for each column of `digits`, the lowest digit first."""

    digits: npt.NDArray[np.uint64]

    @classmethod
    def ones(cls, length: int, bits: int) -> "BigCounts":
        """Ones, with room for sums up to 2^bits."""
        digits = np.zeros((bits // DIGIT_BITS + 1, length), np.uint64)
        digits[0] = 1
        return cls(digits)

    def placed(self, places: Places, length: int) -> "BigCounts":
        """These integers at their places among zeros."""
        digits = np.zeros((len(self.digits), length), np.uint64)
        digits[:, places] = self.digits
        return BigCounts(digits)

    def add_at(self, places: Places, other: "BigCounts") -> None:
        """Add other integers at places that differ. A digit has a free bit, so that a sum of two fits."""
        self.digits[:, places] += other.digits
        for low, high in zip(self.digits[:-1], self.digits[1:], strict=True):
            high += low >> np.uint64(DIGIT_BITS)
            low &= DIGIT

    def only(self, chosen: Mask) -> "BigCounts":
        return BigCounts(self.digits[:, chosen])

    def as_integers(self) -> list[int]:
        """
        >>> counts = BigCounts.ones(2, 100)
        >>> for _ in range(100):
        ...     counts.add_at(np.arange(2), counts)
        >>> counts.as_integers() == [2**100, 2**100]
        True
        """
        return [sum(digit << DIGIT_BITS * k for k, digit in enumerate(digits)) for digits in self.digits.T.tolist()]

    def total(self) -> int:
        """The sum of all."""
        halves = [(int((row >> np.uint64(32)).sum()) << 32) + int((row & HALF).sum()) for row in self.digits]
        return sum(total << DIGIT_BITS * k for k, total in enumerate(halves))

    def log2(self) -> Floats:
        """Logarithms to base 2, up to rounding."""
        sizes = np.full(self.digits.shape[1], -np.inf)
        for k, row in enumerate(self.digits):
            sizes = np.where(row > 0, np.log2(np.maximum(row, 1).astype(np.float64)) + DIGIT_BITS * k, sizes)
        return sizes
