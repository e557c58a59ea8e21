"""Where the encoded columns of a table are in a row, and how its plain numbers are scaled."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from .columns import ColumnEncoder, DateColumn, IndexedColumns, NumberColumn, TextColumn


@dataclass(frozen=True)
class Layout:
    """The width of encoded rows, where each table column begins in them, and whether they are CSR."""

    columns: int
    firsts: Mapping[str, int]
    entries: Mapping[str, int]  # of each table column in a row
    sparse: bool  # because most columns of a row are 0
    scaling: "NumberScaling"

    @classmethod
    def of(cls, encoders: Mapping[str, ColumnEncoder]) -> "Layout":
        *firsts, columns = accumulate((column.width for column in encoders.values()), initial=0)
        entries = {name: entries_per_row(column) for name, column in encoders.items()}
        texts = any(isinstance(column, TextColumn | IndexedColumns) for column in encoders.values())
        placed = dict(zip(encoders, firsts, strict=True))
        sparse = texts or columns > 2 * sum(entries.values())
        return cls(columns, placed, entries, sparse, NumberScaling.of(encoders, placed))

    def offsets(self, without: Collection[str] = ()) -> list[int]:
        """Where the encoded columns of each entry of a row begin."""
        return [first for name, first in self.firsts.items() if name not in without for _ in range(self.entries[name])]


@dataclass(frozen=True)
class NumberScaling:
    """The columns of numbers, and as arrays where each begins, its centre, its scale and whether it tells gaps."""

    numbers: Mapping[str, NumberColumn]
    firsts: npt.NDArray[np.int64]
    centres: Floats
    scales: Floats
    gaps: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, encoders: Mapping[str, ColumnEncoder], firsts: Mapping[str, int]) -> "NumberScaling":
        numbers = {name: column for name, column in encoders.items() if type(column) is NumberColumn}
        return cls(
            numbers,
            np.array([firsts[name] for name in numbers], np.int64),
            np.array([column.centre for column in numbers.values()], np.float64),
            np.array([column.scale for column in numbers.values()], np.float64),
            np.array([column.gaps for column in numbers.values()], np.uint8),
        )


def entries_per_row(column: ColumnEncoder) -> int:
    return 3 if isinstance(column, DateColumn) else 1
