"""Columns that have numbers for names, as in LIBSVM text."""

from typing import Any, ClassVar

import numpy as np

from ...read.arrow_arrays import csr_from_lists
from ...read.batches import NUMBERED
from .entries import CsrArrays, State


class IndexedColumns:
    """Columns that have numbers for names, used as they are. Unknown column numbers are ignored.

    They are numbered from 1, unless there is a column 0.

    >>> import pyarrow as arrow
    >>> rows = [[{"index": 1, "value": 2.0}, {"index": 3, "value": 1.0}]]
    >>> part = IndexedColumns("features")
    >>> part.learn(arrow.array(rows, arrow.list_(arrow.struct({"index": arrow.int32(), "value": arrow.float64()}))))
    >>> part.names
    ['1', '2', '3']
    """

    kind: ClassVar[str] = NUMBERED
    read_as: ClassVar[str] = NUMBERED
    constant = False

    def __init__(self, name: str) -> None:
        self.name, self.first, self.end = name, 1, 1  # the first number, and the one after the last

    @property
    def width(self) -> int:
        return self.end - self.first

    def learn(self, values: Any) -> None:
        self.add(self.summary(values))

    def summary(self, values: Any) -> tuple[int, int]:
        """What `add` takes of some rows: their first number, and the one after their last."""
        _, numbers, _ = csr_from_lists(values)
        return (int(numbers.min()), int(numbers.max()) + 1) if len(numbers) else (self.first, self.end)

    def add(self, found: tuple[int, int]) -> None:
        """Learn from rows by their summary."""
        self.first, self.end = min(self.first, found[0]), max(self.end, found[1])

    def finish(self) -> None:
        pass

    @property
    def empty(self) -> bool:
        return not self.width

    @property
    def names(self) -> list[str]:
        return list(map(str, range(self.first, self.end)))

    def encode(self, values: Any) -> CsrArrays:
        starts, places, numbers = csr_from_lists(values)
        places = places - self.first if self.first else places
        known = (places >= 0) & (places < self.width)
        if known.all():
            return CsrArrays(starts, places, numbers)
        kept = np.concatenate([[0], np.cumsum(known)])
        return CsrArrays(kept[starts], places[known], numbers[known])

    def state(self) -> State:
        return {"kind": self.kind, "first": self.first, "width": self.width}

    @classmethod
    def from_state(cls, name: str, state: State) -> "IndexedColumns":
        part = cls(name)
        first, width = state.get("first", 0), state["width"]  # earlier files always had a column 0
        if type(width) is not int or not 0 < width < 2**31 or first not in (0, 1) or type(first) is not int:
            raise ValueError(f"what it knows of column {name!r} is no number of columns")
        part.first, part.end = first, first + width
        return part
