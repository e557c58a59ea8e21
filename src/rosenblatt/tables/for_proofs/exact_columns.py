"""Read columns of numbers exactly, for proofs: nothing is scaled, filled in or rounded."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import pyarrow as arrow

from ...foundation.errors import ColumnError
from ...foundation.types import Floats
from ..encode.columns import DateColumn
from ..encode.encoder import checked_numbers
from ..read.arrow_arrays import combine_chunks, floats
from ..read.batches import Batch


class UnexpectedGap(ColumnError):
    """A missing value in a column that has no indicator of missing values."""


def read_number_matrix(batches: Sequence[Batch], columns: Sequence[str]) -> Floats:
    """The columns as a float64 matrix. True and False become 1 and 0."""
    matrix = np.empty((sum(batch.table.num_rows for batch in batches), len(columns)))
    first = 0
    for batch in batches:
        for place, name in enumerate(columns):
            matrix[first : first + batch.table.num_rows, place] = read_number_column(batches, batch, name)
        first += batch.table.num_rows
    return matrix


def read_number_column(batches: Sequence[Batch], batch: Batch, name: str, may_miss: bool = False) -> Floats:
    """One column of a batch as floats. Text and infinite numbers are refused, and missing ones unless they may miss."""
    values = combine_chunks(batch.table.column(name))
    try:
        found = floats(values)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        what = f"column {name!r} does not hold numbers but {values.type}"
        raise ColumnError(f"{batch.path}, {what}: turn it into numbers", name) from None
    if np.isfinite(found).all():
        return found
    if np.isinf(found).any():
        row = int(np.flatnonzero(np.isinf(found))[0])
        raise ColumnError(
            f"{batch.path}, column {name!r} has an infinite number in {batch.place(row)}: correct it", name
        )
    return found if may_miss else _refuse_gaps(batches, batch, name, found, floats)


def read_date_column(batches: Sequence[Batch], batch: Batch, column: DateColumn, may_miss: bool) -> Floats:
    """One column of a batch as days since 1970. Missing dates are refused unless they may miss."""
    found = checked_numbers(batch, column.name, column)
    if may_miss or not np.isnan(found).any():
        return found
    return _refuse_gaps(batches, batch, column.name, found, column.numbers)


def _refuse_gaps(
    batches: Sequence[Batch], batch: Batch, name: str, found: Floats, read: Callable[[Any], Floats]
) -> NoReturn:
    """Refuse missing values, counted in all batches."""
    gaps = sum(int(np.isnan(read(each.table.column(name))).sum()) for each in batches)
    if gaps == sum(each.table.num_rows for each in batches):
        raise UnexpectedGap(f"{batch.path}, column {name!r} is empty: fill it in", name)
    count = f"{gaps:,} missing value{'s' if gaps > 1 else ''}"
    what = f"column {name!r} has {count}, the first in {batch.place(int(np.flatnonzero(np.isnan(found))[0]))}"
    raise UnexpectedGap(f"{batch.path}, {what}: fill in the missing values or drop those rows", name)
