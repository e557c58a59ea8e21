"""Rows to look at: numbers for the classifier, and the cells of the table for whoever reads."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats
from ..tables.encode.encoder import Encoder
from ..tables.read.batches import NUMBERED, Batch

LONGEST = 200  # characters of a cell


class Cells(Protocol):
    """What stands in a row of a table, in the column of this name."""

    def __call__(self, row: int, column: str) -> Any: ...


class Rows(NamedTuple):
    """A table: numbers, the number of each row's class, the names of columns and classes, and its cells.

    `owners` says which column of the table each column of numbers is made of.
    """

    X: Any  # an array, or a CSR matrix where most numbers are 0
    codes: npt.NDArray[Any]
    columns: list[str]
    classes: list[str]
    owners: list[str]
    cells: Cells


def rows_of_numbers(X: Floats, codes: npt.NDArray[Any], columns: list[str], classes: list[str]) -> Rows:
    """Columns of numbers, which are their own cells.

    >>> rows_of_numbers(np.array([[1.5, 2.0]]), np.array([0]), ["a", "b"], ["no"]).cells(0, "b")
    2.0
    """
    place = {name: k for k, name in enumerate(columns)}
    return Rows(X, codes, columns, classes, columns, lambda row, column: float(X[row, place[column]]))


def rows_of_table(
    batches: Sequence[Batch], encoder: Encoder, X: Any, codes: npt.NDArray[Any], classes: list[str]
) -> Rows:
    """A table of any kinds of columns, whose numbers an encoder made. Numbered columns are shown one by one."""
    names = encoder.names
    owners = [
        name if encoder.kinds[owner] == NUMBERED else owner for name, owner in zip(names, encoder.owners, strict=True)
    ]
    starts = np.cumsum([0, *(batch.table.num_rows for batch in batches)])
    place = {name: k for k, name in enumerate(names)}

    def cells(row: int, column: str) -> Any:
        if column not in encoder.parts:
            return float(X[row, place[column]])
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return _plain(batches[number].table.column(column)[row - int(starts[number])].as_py())

    return Rows(X, codes, names, classes, owners, cells)


def _plain(value: Any) -> Any:
    """A cell as JSON has it: a number, nothing, or text that is not too long."""
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
