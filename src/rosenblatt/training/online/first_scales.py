"""The first scales of a stream, which a few wild numbers among the first rows must not spoil.

The mean and deviation of a column come from its first rows and change slowly after that: one number of 1e6 would make
all others equal for most of the stream. So numbers far from the median count as if they were nearer. The unit is the
median distance from the median of the numbers that differ from it, which half of the rows could not spoil, and which
columns of mostly zeros have, too. Columns without such numbers get the mean and deviation of all their numbers.
"""

from collections.abc import Sequence

import numpy as np

from ...foundation.types import Floats
from ...tables.encode.columns import NumberColumn
from ...tables.encode.encoder import Encoder
from ...tables.read.batches import Batch
from .column_renewal import MAX_DEVIATIONS

DEVIATION = 1.4826  # of normal numbers, in median distances from the median


def limit_first_outliers(encoder: Encoder, batches: Sequence[Batch]) -> None:
    """Learn columns of numbers again where some are far from the others. The rows were observed before."""
    for name, column in encoder.column_encoders.items():
        if isinstance(column, NumberColumn) and column.scaled and not column.empty:
            numbers = np.concatenate([column.numbers(batch.table.column(name)) for batch in batches])
            low, high = usual_range(numbers)
            if column.low < low or column.high > high:
                column.forget_sums()
                column.learn_numbers(np.clip(numbers, low, high))


def usual_range(numbers: Floats) -> tuple[float, float]:
    """Where numbers are no outliers: at most 20 robust deviations from the median.

    >>> low, high = usual_range(np.array([0.0, 1.0, 2.0, 3.0, 1e6]))
    >>> round(low, 3), round(high, 3)
    (-42.478, 46.478)
    >>> usual_range(np.array([7.0, 7.0, np.nan]))
    (-inf, inf)
    """
    middle = _median(numbers[~np.isnan(numbers)])
    with np.errstate(over="ignore"):
        apart = np.abs(numbers - middle)
        apart = apart[apart > 0]
        if not len(apart):
            return -np.inf, np.inf
        reach = MAX_DEVIATIONS * DEVIATION * _median(apart)
        return float(middle - reach), float(middle + reach)


def _median(numbers: Floats) -> np.float64:
    """The median of one or more numbers. `numpy.median` would import masked arrays."""
    ordered = np.sort(numbers)
    middle: np.float64 = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1].mean()
    return middle
