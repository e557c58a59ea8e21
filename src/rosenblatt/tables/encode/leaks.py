"""Columns that alone predict the target without a mistake: more often they were made from it than they foretell it.

Rows are looked at as they come, and a column is cleared by the first rows that contradict it; so little is remembered:
of a number, between what each class has values, of a category, to which class each value belongs.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..read.arrow_arrays import coded, distinct
from ..read.batches import Batch
from .columns import Category, Number
from .encoder import Encoder

ENOUGH = 5  # rows of each class, below which a clean split may be luck
FIRST = 1000  # rows that nearly always show that there is none
REPEATS = 4  # rows to a value, in the mean, below which values are names rather than categories
MOST = 100_000  # values


class LeakDetector:
    """Finds the columns whose values, or a few intervals of them, belong to one class each."""

    def __init__(self, encoder: Encoder) -> None:
        self._left: dict[str, Intervals | Values] = {}
        for name, part in encoder.parts.items():
            if isinstance(part, Number):
                self._left[name] = Intervals(part)
            elif isinstance(part, Category):
                self._left[name] = Values()
        self._rows = np.zeros(0, np.int64)  # of each class

    def see(self, batch: Batch, codes: npt.NDArray[Any]) -> None:
        """Rows to train on, and the numbers of their classes."""
        counts = np.bincount(codes, minlength=len(self._rows))
        counts[: len(self._rows)] += self._rows
        self._rows = counts
        for first, count in ((0, FIRST), (FIRST, len(codes))):
            table, classes = batch.table.slice(first, count), codes[first : first + count]
            for name in list(self._left) if len(classes) else ():
                if not self._left[name].see(table.column(name), classes):
                    del self._left[name]

    def names(self, encoder: Encoder) -> list[str]:
        """Those that are columns still."""
        met = self._rows[self._rows > 0]
        if len(met) < 2 or met.min() < ENOUGH:
            return []
        return [name for name, known in self._left.items() if name in encoder.parts and known.tells(int(met.sum()))]


class Intervals:
    """Between what the numbers of each class lie; no two classes may meet.

    >>> import pyarrow as arrow
    >>> ends = Intervals(Number("age"))
    >>> ends.see(arrow.array([1.0, 9.0, 2.0]), np.array([0, 1, 0])), ends.see(arrow.array([8.0]), np.array([0]))
    (True, True)
    >>> ends.see(arrow.array([7.0]), np.array([1]))
    False
    """

    def __init__(self, part: Number) -> None:
        self._part = part
        self._low, self._high = np.empty(0), np.empty(0)

    def see(self, values: Any, classes: npt.NDArray[Any]) -> bool:
        numbers = self._part.numbers(values)
        if np.isnan(numbers).any():
            return False
        more = max(int(classes.max()) + 1 - len(self._low), 0)
        self._low = np.concatenate([self._low, np.full(more, np.inf)])
        self._high = np.concatenate([self._high, np.full(more, -np.inf)])
        np.minimum.at(self._low, classes, numbers)
        np.maximum.at(self._high, classes, numbers)
        met = self._low <= self._high
        low, high = self._low[met], self._high[met]
        order = np.argsort(low, kind="stable")
        return bool((high[order][:-1] < low[order][1:]).all())

    def tells(self, rows: int) -> bool:
        return True


class Values:
    """To which class each value belongs; none may belong to two."""

    def __init__(self) -> None:
        self._class_of: dict[str | None, int] = {}

    def see(self, values: Any, classes: npt.NDArray[Any]) -> bool:
        places, texts = coded(values)
        pairs = places.astype(np.int64) + 1 + (len(texts) + 1) * classes.astype(np.int64)
        for pair in distinct(pairs)[0].tolist():
            own, place = divmod(pair, len(texts) + 1)
            if self._class_of.setdefault(texts[place - 1] if place else None, own) != own:
                return False
        return len(self._class_of) <= MOST

    def tells(self, rows: int) -> bool:
        return len(self._class_of) <= rows // REPEATS
