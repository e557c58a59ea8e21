"""Find columns that predict the target alone without a mistake: most of them were made from the target.

Rows are observed batch by batch, and the first contradiction clears a column. So little is remembered: for a number the
range of its values in each class, for a category the class of each value.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..read.arrow_arrays import category_codes, unique_inverse
from ..read.batches import Batch
from .columns import CategoryColumn, NumberColumn
from .encoder import Encoder

MIN_CLASS_ROWS = 5  # below this a clean split may be luck
FIRST_ROWS = 1000  # of a batch; they nearly always clear a column that leaks nothing
MIN_ROWS_PER_VALUE = 4  # in the mean; below this values are names rather than categories
MAX_VALUES = 100_000  # of a category; a column with more is cleared


class LeakDetector:
    """Finds the columns whose values, or a few intervals of them, belong to one class each."""

    def __init__(self, encoder: Encoder) -> None:
        self._left: dict[str, ClassIntervals | ClassOfValue] = {}
        for name, part in encoder.column_encoders.items():
            if isinstance(part, NumberColumn):
                self._left[name] = ClassIntervals(part)
            elif isinstance(part, CategoryColumn):
                self._left[name] = ClassOfValue()
        self._rows = np.zeros(0, np.int64)  # of each class

    def observe(self, batch: Batch, codes: npt.NDArray[Any]) -> None:
        """Rows to train on, and the numbers of their classes."""
        counts = np.bincount(codes, minlength=len(self._rows))
        counts[: len(self._rows)] += self._rows
        self._rows = counts
        for first, count in ((0, FIRST_ROWS), (FIRST_ROWS, len(codes))):
            table, classes = batch.table.slice(first, count), codes[first : first + count]
            for name in list(self._left) if len(classes) else ():
                if not self._left[name].observe(table.column(name), classes):
                    del self._left[name]

    def merge(self, other: "LeakDetector") -> None:
        """Observe what another detector has observed, of the same columns and classes."""
        rows = np.zeros(max(len(self._rows), len(other._rows)), np.int64)
        rows[: len(self._rows)] += self._rows
        rows[: len(other._rows)] += other._rows
        self._rows = rows
        for name, known in list(self._left.items()):
            if name not in other._left or not known.merge(other._left[name]):
                del self._left[name]

    def leaking_columns(self, encoder: Encoder) -> list[str]:
        """The names of columns that leak the target, among those the encoder uses."""
        met = self._rows[self._rows > 0]
        if len(met) < 2 or met.min() < MIN_CLASS_ROWS:
            return []
        return [
            name
            for name, known in self._left.items()
            if name in encoder.column_encoders and known.is_evidence(int(met.sum()))
        ]


class ClassIntervals:
    """The range of a number in each class; a column whose ranges overlap is cleared.

    >>> import pyarrow as arrow
    >>> ends = ClassIntervals(NumberColumn("age"))
    >>> ends.observe(arrow.array([1.0, 9.0, 2.0]), np.array([0, 1, 0])), ends.observe(arrow.array([8.0]), np.array([0]))
    (True, True)
    >>> ends.observe(arrow.array([7.0]), np.array([1]))
    False
    """

    def __init__(self, part: NumberColumn) -> None:
        self._part = part
        self._low, self._high = np.empty(0), np.empty(0)

    def observe(self, values: Any, classes: npt.NDArray[Any]) -> bool:
        numbers = self._part.numbers(values)
        if np.isnan(numbers).any():
            return False
        self._make_room(int(classes.max()) + 1)
        np.minimum.at(self._low, classes, numbers)
        np.maximum.at(self._high, classes, numbers)
        return self._are_apart()

    def merge(self, other: Any) -> bool:
        """Observe what another one has observed."""
        classes = len(other._low)
        self._make_room(classes)
        self._low[:classes] = np.minimum(self._low[:classes], other._low)
        self._high[:classes] = np.maximum(self._high[:classes], other._high)
        return self._are_apart()

    def _make_room(self, classes: int) -> None:
        more = max(classes - len(self._low), 0)
        self._low = np.concatenate([self._low, np.full(more, np.inf)])
        self._high = np.concatenate([self._high, np.full(more, -np.inf)])

    def _are_apart(self) -> bool:
        met = self._low <= self._high
        low, high = self._low[met], self._high[met]
        order = np.argsort(low, kind="stable")
        return bool((high[order][:-1] < low[order][1:]).all())

    def is_evidence(self, rows: int) -> bool:
        return True


class ClassOfValue:
    """The class of each value of a category; a column with a value of two classes is cleared."""

    def __init__(self) -> None:
        self._class_of: dict[str | None, int] = {}

    def observe(self, values: Any, classes: npt.NDArray[Any]) -> bool:
        places, texts = category_codes(values)
        pairs = places.astype(np.int64) + 1 + (len(texts) + 1) * classes.astype(np.int64)
        for pair in unique_inverse(pairs)[0].tolist():
            own, place = divmod(pair, len(texts) + 1)
            if self._class_of.setdefault(texts[place - 1] if place else None, own) != own:
                return False
        return len(self._class_of) <= MAX_VALUES

    def merge(self, other: Any) -> bool:
        """Observe what another one has observed."""
        if any(self._class_of.setdefault(text, own) != own for text, own in other._class_of.items()):
            return False
        return len(self._class_of) <= MAX_VALUES

    def is_evidence(self, rows: int) -> bool:
        return len(self._class_of) <= rows // MIN_ROWS_PER_VALUE
