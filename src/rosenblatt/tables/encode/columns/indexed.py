"""Columns that have numbers for names, as in LIBSVM text."""

from typing import Any, ClassVar

import numpy as np

from ...read.arrow_arrays import csr_from_lists
from ...read.batches import NUMBERED
from .entries import CsrArrays, State


class IndexedColumns:
    """Columns that have numbers for names, used as they are. Unknown column numbers are ignored."""

    kind: ClassVar[str] = NUMBERED
    read_as: ClassVar[str] = NUMBERED
    constant = False

    def __init__(self, name: str) -> None:
        self.name, self.width, self._first = name, 0, 1

    @property
    def met(self) -> int:
        """How many columns there are. They are numbered from 1, unless there is a column 0."""
        return self.width - self._first

    def learn(self, values: Any) -> None:
        _, places, _ = csr_from_lists(values)
        self._first = min(self._first, int(places.min()) if len(places) else 1)
        self.width = max(self.width, int(places.max()) + 1 if len(places) else 0)

    def finish(self) -> None:
        pass

    @property
    def empty(self) -> bool:
        return not self.width

    @property
    def names(self) -> list[str]:
        return list(map(str, range(self.width)))

    def encode(self, values: Any) -> CsrArrays:
        starts, places, numbers = csr_from_lists(values)
        known = places < self.width
        if known.all():
            return CsrArrays(starts, places, numbers)
        kept = np.concatenate([[0], np.cumsum(known)])
        return CsrArrays(kept[starts], places[known], numbers[known])

    def state(self) -> State:
        return {"kind": self.kind, "width": self.width}

    @classmethod
    def from_state(cls, name: str, state: State) -> "IndexedColumns":
        part = cls(name)
        part.width = state["width"]
        if type(part.width) is not int or not 0 < part.width < 2**31:
            raise ValueError(f"what it knows of column {name!r} is no number of columns")
        return part
