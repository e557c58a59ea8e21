"""Read columns of numbers exactly, for proofs: nothing is scaled, filled in or rounded."""

from collections.abc import Sequence

import numpy as np
import pyarrow as arrow

from ...foundation.errors import ColumnError
from ...foundation.types import Floats
from ..read.arrow_arrays import combine_chunks, floats
from ..read.batches import Batch


def read_number_matrix(batches: Sequence[Batch], columns: Sequence[str]) -> Floats:
    """The columns as a float64 matrix. True and False become 1 and 0."""
    matrix = np.empty((sum(batch.table.num_rows for batch in batches), len(columns)))
    first = 0
    for batch in batches:
        for place, name in enumerate(columns):
            matrix[first : first + batch.table.num_rows, place] = read_number_column(batches, batch, name)
        first += batch.table.num_rows
    return matrix


def read_number_column(batches: Sequence[Batch], batch: Batch, name: str) -> Floats:
    """One column of a batch; text, infinite and missing numbers are refused (missing ones counted in all batches)."""
    values = combine_chunks(batch.table.column(name))
    try:
        found = floats(values)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        what = f"column {name!r} does not hold numbers but {values.type}"
        raise ColumnError(f"{batch.path}, {what}: turn it into numbers", name) from None
    if np.isfinite(found).all():
        return found
    row = int(np.flatnonzero(~np.isfinite(found))[0])
    if np.isinf(found[row]):
        raise ColumnError(
            f"{batch.path}, column {name!r} has an infinite number in {batch.place(row)}: correct it", name
        )
    gaps = sum(int(np.isnan(floats(each.table.column(name))).sum()) for each in batches)
    if gaps == sum(each.table.num_rows for each in batches):
        raise ColumnError(f"{batch.path}, column {name!r} is empty: fill it in", name)
    count = f"{gaps:,} missing value{'s' if gaps > 1 else ''}"
    what = f"column {name!r} has {count}, the first in {batch.place(row)}"
    raise ColumnError(f"{batch.path}, {what}: fill in the missing numbers or drop those rows", name)
