"""Columns of Arrow as NumPy arrays: converted once, and then cut into slices without further work."""

from typing import Any, Self

import pyarrow as arrow

from .arrow_arrays import CategoryCodes, category_codes, combine_chunks, floats, is_number
from .batches import CATEGORY, NUMBER, Reading


class DecodedColumns:
    """A table whose numbers are arrays and whose categories are codes. Other columns stay Arrow's.

    >>> table = arrow.table({"size": [1, None, 3], "job": arrow.array(["cook", "smith", "cook"]).dictionary_encode()})
    >>> rows = DecodedColumns.of(table, {"size": "number", "job": "category"}).slice(1)
    >>> rows.num_rows, rows.column("size"), rows.column("job")
    (2, array([nan,  3.]), CategoryCodes(codes=array([1, 0]), texts=['cook', 'smith']))
    """

    def __init__(self, columns: dict[str, Any], num_rows: int) -> None:
        self._columns, self.num_rows = columns, num_rows

    @classmethod
    def of(cls, table: Any, reading: Reading) -> Self:
        """The columns of a table that was read like this."""
        return cls({name: _decoded(table.column(name), kind) for name, kind in reading.items()}, table.num_rows)

    def column(self, name: str) -> Any:
        return self._columns[name]

    def slice(self, first: int, rows: int | None = None) -> Self:
        """The rows from `first` on, or so many of them."""
        last = self.num_rows if rows is None else first + rows
        return type(self)({name: _slice(each, first, last) for name, each in self._columns.items()}, last - first)


def _decoded(values: Any, kind: str) -> Any:
    values = combine_chunks(values)
    if kind == NUMBER and is_number(values.type):
        return floats(values)
    return category_codes(values) if kind == CATEGORY and arrow.types.is_dictionary(values.type) else values


def _slice(values: Any, first: int, last: int) -> Any:
    if isinstance(values, CategoryCodes):
        return CategoryCodes(values.codes[first:last], values.texts)
    return values.slice(first, last - first) if isinstance(values, arrow.Array) else values[first:last]
