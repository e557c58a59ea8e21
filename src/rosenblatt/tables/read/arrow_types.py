"""Which Arrow types can be used, and conversion of rare types to simpler ones with the same values."""

from typing import Any

import pyarrow as arrow

from ...foundation.errors import ColumnError
from .arrow_arrays import combine_chunks
from .batches import NUMBERED, RAW, Batch, Reading
from .svmlight_table import has_valid_entries, is_index_value_list

TYPES = arrow.types
SIMPLE_TYPES = (
    *(TYPES.is_null, TYPES.is_boolean, TYPES.is_integer, TYPES.is_floating, TYPES.is_decimal),
    *(TYPES.is_date, TYPES.is_timestamp, TYPES.is_time, TYPES.is_duration),
    *(TYPES.is_string, TYPES.is_large_string, TYPES.is_binary, TYPES.is_large_binary, TYPES.is_fixed_size_binary),
)


def is_simple(kind: Any) -> bool:
    """Whether a type holds one number, date or text per row.

    >>> is_simple(arrow.int8()), is_simple(arrow.dictionary(arrow.int8(), arrow.string()))
    (True, True)
    >>> is_simple(arrow.list_(arrow.int8()))
    False
    """
    if TYPES.is_dictionary(kind):
        kind = kind.value_type
    return any(is_one(kind) for is_one in SIMPLE_TYPES)


def simplify_columns(table: Any) -> Any:
    """Convert columns of rare types to simpler types, if there are any with the same values.

    >>> table = arrow.table({"kind": arrow.array(["oak", "ash"], arrow.string_view())})
    >>> simplify_columns(table).schema.field("kind").type
    DataType(large_string)
    """
    for place, field in enumerate(table.schema):
        if not is_simple(field.type):
            table = table.set_column(place, field.name, _simplify(combine_chunks(table.column(place))))
    return table


def _simplify(values: Any) -> Any:
    kind = values.type
    if isinstance(kind, arrow.BaseExtensionType):
        return _simplify(values.storage)
    if TYPES.is_run_end_encoded(kind):
        return _simplify(_decode_runs(values))
    if TYPES.is_string_view(kind):
        return _copy_views(values, arrow.large_string())
    if TYPES.is_binary_view(kind):
        return _copy_views(values, arrow.large_binary())
    if TYPES.is_dictionary(kind) and not is_simple(kind):
        return arrow.DictionaryArray.from_arrays(values.indices, _simplify(values.dictionary))
    return values


def _decode_runs(values: Any) -> Any:
    from pyarrow import compute

    try:
        return compute.run_end_decode(values)
    except arrow.ArrowNotImplementedError:
        return arrow.array(values.to_pylist(), values.type.value_type)


def _copy_views(values: Any, kind: Any) -> Any:
    """Copy texts out of views. Arrow's cast also follows views of missing texts, which validation does not check."""
    if not values.null_count:
        try:
            return values.cast(kind)
        except arrow.ArrowNotImplementedError:
            pass
    return arrow.array(values.to_pylist(), kind)


def check_column_types(batch: Batch, reading: Reading) -> None:
    """Raise an error for a column that cannot be read as asked. Columns read as RAW can have any type."""
    for name, read_as in reading.items():
        values = batch.table.column(name)
        if read_as == NUMBERED:
            _check_index_value_lists(batch, name, values)
        elif read_as != RAW and not is_simple(values.type):
            what = f"column {name!r} holds values of type {values.type}, which are neither numbers, dates nor texts"
            raise ColumnError(f"{batch.path}, {what}: convert it, or leave it out", name)


def _check_index_value_lists(batch: Batch, name: str, values: Any) -> None:
    if not is_index_value_list(values.type):
        what = f"column {name!r} holds values of type {values.type} but the model needs lists of index and value"
        raise ColumnError(f"{batch.path}, {what}: correct it", name)
    if not has_valid_entries(combine_chunks(values)):
        needed = "lists of index and value, indices rising from 0 or 1, values finite, and nothing missing"
        what = f"column {name!r} needs {needed}"
        raise ColumnError(f"{batch.path}, {what}: correct it", name)
