"""Count the rows of each class, batch by batch, so that a table of any size can be counted."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.types import Codes, Labels
from ..read.arrow_arrays import category_codes
from ..read.batches import Batch
from .targets import check_classes, number_classes

MAX_VALUES = 1 << 20  # different values of a target


class ValueIndex:
    """Numbers the values of a column in the order of their first appearance, batch by batch.

    `what` names a value in the error for a row that has none.

    >>> import pyarrow as arrow
    >>> index = ValueIndex("kind", "class")
    >>> index.codes(Batch(arrow.table({"kind": ["b", "a", "b"]}), "", str)).tolist(), index.texts
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self, column: str, what: str, texts: Sequence[str] = ()) -> None:
        self.column, self.what = column, what
        self._numbers = {text: number for number, text in enumerate(texts)}

    @property
    def texts(self) -> list[str]:
        return list(self._numbers)

    def codes(self, batch: Batch, batches: Sequence[Batch] = ()) -> npt.NDArray[np.int64]:
        """The number of each row's value. If values are missing, the error counts them in all `batches`."""
        found, texts = category_codes(batch.table.column(self.column))
        if (found < 0).any():
            raise self._missing(batch, int(np.flatnonzero(found < 0)[0]), batches)
        known = [self._numbers.setdefault(text.strip(), len(self._numbers)) for text in texts]
        if len(known) > MAX_VALUES:
            raise InputError(
                f"{batch.path}, column {self.column!r} has more than {MAX_VALUES:,} different values, too many for "
                "classes: choose a target whose values repeat."
            )
        return np.array(known, dtype=np.int64)[found] if known else found

    def _missing(self, batch: Batch, row: int, batches: Sequence[Batch]) -> InputError:
        gaps = sum(int((category_codes(each.table.column(self.column)).codes < 0).sum()) for each in batches or [batch])
        count = f"{gaps:,} row{'s' if gaps > 1 else ''}" + ("" if batches else " at least")
        return InputError(
            f"{batch.path}, column {self.column!r} has no {self.what} in {count}, the first in {batch.place(row)}: "
            "fill in or drop."
        )


class Classes(NamedTuple):
    """The classes of a table: sorted labels, the number of each text's class, and the rows of each class by group."""

    labels: Labels
    texts: list[str]
    numbers: Codes  # of each text; -1 where no row has it
    counts: npt.NDArray[np.int64]  # (groups, classes)


class ClassCounter:
    """Counts the rows of each class of a target column, in one or more groups of rows.

    >>> import pyarrow as arrow
    >>> counter = ClassCounter("kind")
    >>> for kinds in (["b", "a"], ["b"]):
    ...     counter.add(counter.codes(Batch(arrow.table({"kind": kinds}), "", str)))
    >>> counter.classes("").counts.tolist()
    [[1, 2]]
    """

    def __init__(self, column: str, groups: int = 1) -> None:
        self.rows = 0
        self._index = ValueIndex(column, "class")
        self._counts = np.zeros((groups, 0), np.int64)

    def codes(self, batch: Batch, batches: Sequence[Batch] = ()) -> npt.NDArray[np.int64]:
        """The number of each row's class, in the order in which classes appear."""
        return self._index.codes(batch, batches)

    def add(self, codes: npt.NDArray[np.int64], group: npt.NDArray[np.int8] | int = 0) -> None:
        """Count rows by their class and their group."""
        groups, classes = len(self._counts), len(self._index.texts)
        cells = np.multiply(group, classes, dtype=np.int64) + codes
        counts = np.bincount(cells, minlength=groups * classes).reshape(groups, -1)
        counts[:, : self._counts.shape[1]] += self._counts
        self._counts = counts
        self.rows += len(codes)

    def add_counts(self, texts: Sequence[str], counts: npt.NDArray[np.int64]) -> None:
        """Count rows that were numbered elsewhere, by texts that begin with those known here."""
        self._index = ValueIndex(self._index.column, self._index.what, texts)
        more = counts.shape[1] - self._counts.shape[1]
        self._counts = np.pad(self._counts, ((0, 0), (0, more))) + counts
        self.rows += int(counts.sum())

    def classes(self, path: str) -> Classes:
        """The classes counted; a column that holds no classes is refused."""
        labels, numbers = number_classes(self._index.texts, self._counts.sum(axis=0))
        check_classes(path, self._index.column, labels, self.rows)
        met = numbers >= 0
        counts = self._counts[:, met][:, np.argsort(numbers[met])]
        return Classes(labels, self._index.texts, numbers, counts)


def read_classes(batches: Sequence[Batch], column: str) -> tuple[Labels, Codes]:
    """The sorted classes of a column read as text, and the number of each row's class."""
    counter = ClassCounter(column)
    codes = []
    for batch in batches:
        codes.append(counter.codes(batch, batches))
        counter.add(codes[-1])
    classes = counter.classes(batches[0].path)
    return classes.labels, classes.numbers[np.concatenate(codes)]
