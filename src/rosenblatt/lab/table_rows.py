"""The rows of a user's table: numbers for the classifier, and cells as they stand in the table for the page."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats
from ..tables.encode.encoder import Encoder
from ..tables.read.batches import NUMBERED, Batch

MAX_CELL_CHARACTERS = 200


class CellReader(Protocol):
    """Reads the cell in a row of a table, in the column of this name."""

    def __call__(self, row: int, column: str) -> Any: ...


class TableRows(NamedTuple):
    """A table: its numbers, the class code of each row, the names of columns and classes, and a reader of its cells.

    `owners` names the table's column that each column of numbers is made from.
    """

    X: Any  # an array, or a CSR matrix if most numbers are 0
    codes: npt.NDArray[Any]
    columns: list[str]
    classes: list[str]
    owners: list[str]
    cells: CellReader


def numeric_rows(X: Floats, codes: npt.NDArray[Any], columns: list[str], classes: list[str]) -> TableRows:
    """A table of numbers, which are also its cells.

    >>> numeric_rows(np.array([[1.5, 2.0]]), np.array([0]), ["a", "b"], ["no"]).cells(0, "b")
    2.0
    """
    place = {name: k for k, name in enumerate(columns)}
    return TableRows(X, codes, columns, classes, columns, lambda row, column: float(X[row, place[column]]))


def encoded_table_rows(
    batches: Sequence[Batch], encoder: Encoder, X: Any, codes: npt.NDArray[Any], classes: list[str]
) -> TableRows:
    """A table of any kinds of columns, encoded as the numbers X. Numbered columns are shown one by one."""
    names = encoder.names
    owners = [
        name if encoder.kinds[owner] == NUMBERED else owner for name, owner in zip(names, encoder.owners, strict=True)
    ]
    starts = np.cumsum([0, *(batch.table.num_rows for batch in batches)])
    place = {name: k for k, name in enumerate(names)}

    def read_cell(row: int, column: str) -> Any:
        if column not in encoder.column_encoders:
            return float(X[row, place[column]])
        batch = int(np.searchsorted(starts, row, side="right")) - 1
        return _json_cell(batches[batch].table.column(column)[row - int(starts[batch])].as_py())

    return TableRows(X, codes, names, classes, owners, read_cell)


def _json_cell(value: Any) -> Any:
    """A cell as JSON content: a number, None, or text of limited length."""
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    return text if len(text) <= MAX_CELL_CHARACTERS else f"{text[: MAX_CELL_CHARACTERS - 1]}…"
