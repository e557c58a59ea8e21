"""Which types of columns can be used, and columns of rarer types in plainer ones that hold the same."""

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
    """Whether a type holds one value a row, which can be a number, a date or a text.

    >>> is_simple(arrow.int8()), is_simple(arrow.dictionary(arrow.int8(), arrow.string()))
    (True, True)
    >>> is_simple(arrow.list_(arrow.int8()))
    False
    """
    if TYPES.is_dictionary(kind):
        kind = kind.value_type
    return any(is_one(kind) for is_one in SIMPLE_TYPES)


def simplify_columns(table: Any) -> Any:
    """The table, each column in a type that the rest of the program knows, as far as there is one.

    >>> table = arrow.table({"kind": arrow.array(["oak", "ash"], arrow.string_view())})
    >>> simplify_columns(table).schema.field("kind").type
    DataType(large_string)
    """
    for place, field in enumerate(table.schema):
        if not is_simple(field.type):
            plainer = _simplify(combine_chunks(table.column(place)))
            table = table.set_column(place, field.name, plainer)
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
    """Views as texts of their own. Arrow follows those of missing texts, too, which point anywhere and go unchecked."""
    if not values.null_count:
        try:
            return values.cast(kind)
        except arrow.ArrowNotImplementedError:
            pass
    return arrow.array(values.to_pylist(), kind)


def check_column_types(batch: Batch, reading: Reading) -> None:
    """Name a column that cannot be what it is to be read as; any can be written as it is."""
    for name, read_as in reading.items():
        values = batch.table.column(name)
        if read_as == NUMBERED:
            _check_index_value_lists(batch, name, values)
        elif read_as != RAW and not is_simple(values.type):
            what = f"column {name!r} holds values of type {values.type}, which are neither numbers, dates nor texts"
            raise ColumnError(f"{batch.path}, {what}: turn it into columns of these, or leave it out", name)


def _check_index_value_lists(batch: Batch, name: str, values: Any) -> None:
    if not is_index_value_list(values.type):
        what = f"column {name!r} holds values of type {values.type} where the model knows lists of index and value"
        raise ColumnError(f"{batch.path}, {what}: correct it", name)
    if not has_valid_entries(combine_chunks(values)):
        needed = "lists of index and value, indices rising from 0 or 1, values finite, and nothing missing"
        what = f"column {name!r} needs {needed}"
        raise ColumnError(f"{batch.path}, {what}: correct it", name)
