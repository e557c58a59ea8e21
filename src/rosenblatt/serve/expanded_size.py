"""How many bytes the rows of an Arrow table take once every value stands by itself.

A dictionary, a run or a view names one long text many times, so a short request can hold rows of any size.
"""

from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.compute as compute

from ..foundation.errors import InputError


def check_expanded_size(table: Any, most: int) -> None:
    """Refuse a table whose rows take more than `most` bytes, before they are written out."""
    total = 0
    for name, column in zip(table.column_names, table.columns, strict=True):
        total += sum(_expanded_bytes(chunk, name) for chunk in column.chunks)
        if total > most:
            raise InputError(f"The rows of the request take more than {most:,} bytes: send several requests.")


def _expanded_bytes(values: Any, name: str) -> int:
    """The bytes of the values of an array, each counted as often as it occurs."""
    kind = values.type
    if arrow.types.is_dictionary(kind):
        lengths = _lengths(values.dictionary, name)
        return int(compute.sum(lengths.take(values.indices)).as_py() or 0)
    return int(compute.sum(_lengths(values, name)).as_py() or 0)


def _lengths(values: Any, name: str) -> Any:
    """The bytes of each value of an array of numbers, dates or texts."""
    kind, types = values.type, arrow.types
    if types.is_string_view(kind) or types.is_binary_view(kind):
        return _view_lengths(values)
    if types.is_null(kind):
        return arrow.nulls(len(values), arrow.int64())
    if types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) or types.is_large_binary(kind):
        return compute.binary_length(values).cast(arrow.int64())
    if types.is_primitive(kind) or types.is_decimal(kind) or types.is_fixed_size_binary(kind):
        return arrow.repeat(arrow.scalar(max(kind.bit_width // 8, 1), arrow.int64()), len(values))
    raise InputError(f"Column {name!r} of the table has the type {kind}: give numbers, dates or texts.")


def _view_lengths(values: Any) -> Any:
    """The bytes of each text of an array of views: a view has 16 bytes, of which the first 4 are the length."""
    if not len(values):
        return arrow.nulls(0, arrow.int64())
    views = np.frombuffer(values.buffers()[1], np.int32).reshape(-1, 4)
    lengths = views[values.offset : values.offset + len(values), 0].astype(np.int64)
    return arrow.array(lengths, mask=~values.is_valid().to_numpy(zero_copy_only=False))
