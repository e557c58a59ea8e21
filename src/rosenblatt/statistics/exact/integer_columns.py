"""Columns of numbers as columns of small integers, so that sums of them are exact.

A float stands for the decimal that it prints as: 0.1 + 0.2 then equals 0.3, as it does for whoever wrote these numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[Any]  # of int64, or of Python's integers where those are too short


@dataclass(frozen=True)
class IntegerColumn:
    """A column as integers times a unit. The integers have no common divisor."""

    numbers: list[int]
    unit: Fraction

    def from_smallest(self) -> "IntegerColumn":
        """The same column less its smallest number. Where the number of ones is held, this changes no condition.

        >>> integer_column([100.5, 101.5, 100.5]).from_smallest()
        IntegerColumn(numbers=[0, 1, 0], unit=Fraction(1, 1))
        """
        least = min(self.numbers)
        return _divided([number - least for number in self.numbers], self.unit)


def integer_column(values: Any) -> IntegerColumn:
    """A column of floats, each read as the shortest decimal that stands for it.

    >>> integer_column([0.1, 0.2, 0.3])
    IntegerColumn(numbers=[1, 2, 3], unit=Fraction(1, 10))
    """
    distinct, places = np.unique(values, return_inverse=True)
    fractions = [Fraction(str(value)) for value in distinct]
    denominator = lcm(*(fraction.denominator for fraction in fractions))
    whole = [int(fraction * denominator) for fraction in fractions]
    return _divided([whole[place] for place in places.tolist()], Fraction(1, denominator))


def _divided(numbers: list[int], unit: Fraction) -> IntegerColumn:
    divisor = gcd(*numbers) or 1
    return IntegerColumn([number // divisor for number in numbers], unit * divisor)


def integer_matrix(columns: list[list[int]]) -> Integers:
    """One row for each number of these columns; int64 where every key of their sums has 62 bits."""
    keys = 1
    for column in columns:
        keys *= sum(map(abs, column)) + 1
    return np.array(columns, dtype=np.int64 if keys < 1 << 62 else object).T
