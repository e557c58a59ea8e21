"""Convert Arrow arrays to NumPy arrays. Arrow's own `to_numpy` would import pandas."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as arrow

from ...foundation.types import Floats

Flags = npt.NDArray[np.bool_]
SECONDS_PER_DAY = 86_400
MAX_ROWS_IN_PYTHON = 4096  # so few rows are handled in Python: importing Arrow's functions takes 20 ms
# Python raises these for dates out of its range and for unknown time zones.
CONVERSION_ERRORS = (ValueError, OverflowError, LookupError)
OUT_OF_RANGE = "out of range"  # stands for a nested value that contains such a date
MISSING_TEXTS = ("", "?")  # texts that mean a missing value
TICKS_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


class CategoryCodes(NamedTuple):
    """The index of each row's text in a list of distinct texts; -1 for a missing value."""

    codes: npt.NDArray[np.int64]
    texts: list[str]


def combine_chunks(values: Any) -> Any:
    """Return a column, chunked or not, as one array."""
    if isinstance(values, arrow.ChunkedArray):
        return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
    return values


def unique_inverse(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """The sorted distinct values, and the index of each value among them. `numpy.unique` would import masked arrays.

    >>> unique_inverse(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.ones(len(values), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(len(values), dtype=np.intp)
    places[order] = np.cumsum(first) - 1
    return ordered[first], places


def from_numpy(values: npt.NDArray[Any], gaps: Flags | None = None) -> Any:
    """An Arrow array of numbers, without a copy. Arrow's own `array` would import pandas to check the argument's type.

    >>> from_numpy(np.array([1.5, np.nan]), gaps=np.array([False, True])).to_pylist()
    [1.5, None]
    """
    buffer = arrow.py_buffer(np.ascontiguousarray(values))
    bits = None if gaps is None or not gaps.any() else arrow.py_buffer(np.packbits(~gaps, bitorder="little"))
    return arrow.Array.from_buffers(arrow.from_numpy_dtype(values.dtype), len(values), [bits, buffer])


def null_mask(values: Any) -> Flags:
    """A mask of the entries that are null."""
    bits = values.buffers()[0] if values.null_count else None
    if arrow.types.is_null(values.type):
        return np.ones(len(values), dtype=bool)
    if bits is None:
        return np.zeros(len(values), dtype=bool)
    return ~_unpack_bits(bits, values.offset, len(values))


def _unpack_bits(buffer: Any, offset: int, count: int) -> Flags:
    bits = np.unpackbits(np.frombuffer(buffer, dtype=np.uint8), bitorder="little")
    return bits[offset : offset + count].astype(bool)


def raw_numbers(values: Any) -> npt.NDArray[Any]:
    """The numbers of an array; those of null entries are arbitrary."""
    kind = values.type
    if arrow.types.is_boolean(kind):
        return _unpack_bits(values.buffers()[1], values.offset, len(values))
    dtype = np.dtype(f"f{kind.bit_width // 8}" if arrow.types.is_floating(kind) else _integer_dtype(kind))
    if not len(values):
        return np.empty(0, dtype)
    return _buffer_numbers(values, dtype)


def _buffer_numbers(values: Any, dtype: Any) -> npt.NDArray[Any]:
    """The entries in an array's memory. The buffer can be longer, by a size that is no multiple of an entry's."""
    return np.frombuffer(values.buffers()[1], dtype, count=values.offset + len(values))[values.offset :]


def _integer_dtype(kind: Any) -> str:
    return f"{'u' if arrow.types.is_unsigned_integer(kind) else 'i'}{kind.bit_width // 8}"


def is_number(kind: Any) -> bool:
    return bool(arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_boolean(kind))


def is_text(kind: Any) -> bool:
    types = arrow.types
    return bool(types.is_string(kind) or types.is_large_string(kind))


def is_date(kind: Any) -> bool:
    return bool(arrow.types.is_date(kind) or arrow.types.is_timestamp(kind))


def floats(values: Any) -> Floats:
    """The values as float64, with NaN for missing ones; raises ArrowInvalid if a value is not a number.

    >>> floats(arrow.array([1, None, 3])).tolist()
    [1.0, nan, 3.0]
    """
    values = combine_chunks(values)
    if arrow.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if arrow.types.is_null(values.type):
        return np.full(len(values), np.nan)
    if not is_number(values.type):
        values = values.cast(arrow.float64())
    found: Floats = raw_numbers(values).astype(np.float64, copy=bool(values.null_count))
    if values.null_count:
        found[null_mask(values)] = np.nan
    return found


def take_rows(table: Any, rows: npt.NDArray[np.int64]) -> Any:
    """The rows of a table at these sorted places, at least one.

    >>> take_rows(arrow.table({"a": [1, 2, 3, 4]}), np.array([0, 2, 3])).column("a").to_pylist()
    [1, 3, 4]
    """
    starts = np.flatnonzero(np.diff(rows, prepend=rows[0] - 2) != 1)
    lengths = np.diff(starts, append=len(rows))
    if len(rows) > MAX_ROWS_IN_PYTHON and len(starts) > 1:
        return table.take(from_numpy(rows))
    runs = [table.slice(first, length) for first, length in zip(rows[starts].tolist(), lengths.tolist(), strict=True)]
    return runs[0] if len(runs) == 1 else arrow.concat_tables(runs).combine_chunks()


def category_codes(values: Any) -> CategoryCodes:
    """Encode values as indices into a list of their distinct texts. Codes stay as they are.

    >>> codes, texts = category_codes(arrow.array(["b", None, "a", "b"]))
    >>> codes.tolist(), texts
    ([0, -1, 1, 0], ['b', 'a'])
    """
    if isinstance(values, CategoryCodes):
        return values
    values = combine_chunks(values)
    if arrow.types.is_null(values.type):
        return CategoryCodes(np.full(len(values), -1), [])
    if not arrow.types.is_dictionary(values.type):
        if len(values) <= MAX_ROWS_IN_PYTHON:
            return _codes_in_python(values)
        try:
            values = values.dictionary_encode()
        except arrow.ArrowNotImplementedError:  # for rare types
            return _codes_in_python(values)
    codes = raw_numbers(values.indices).astype(np.int64)
    if values.indices.null_count:
        codes[null_mask(values.indices)] = -1
    texts = [value if isinstance(value, str) else to_text(value) for value in to_python(values.dictionary)]
    for gap in MISSING_TEXTS:
        if gap in texts:
            codes[codes == texts.index(gap)] = -1
    return CategoryCodes(codes, texts)


def _codes_in_python(values: Any) -> CategoryCodes:
    """The same in plain Python, for few rows and for types that Arrow cannot encode."""
    numbers: dict[str, int] = {}
    texts = [value if isinstance(value, str) else to_text(value) for value in to_python(values)]
    codes = [-1 if text in MISSING_TEXTS else numbers.setdefault(text, len(numbers)) for text in texts]
    return CategoryCodes(np.array(codes, dtype=np.int64), list(numbers))


def to_python(values: Any) -> list[Any]:
    """The values as Python objects; dates and times out of Python's range as the stored integers.

    >>> to_python(arrow.array([0, 2**31 - 1], arrow.date32()))
    [datetime.date(1970, 1, 1), 2147483647]
    """
    try:
        return list(values.to_pylist())
    except CONVERSION_ERRORS:
        return _to_python_one_by_one(combine_chunks(values))


def _to_python_one_by_one(values: Any) -> list[Any]:
    if arrow.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    temporal = arrow.types.is_temporal(values.type)
    stored = values.view(f"int{values.type.bit_width}").to_pylist() if temporal else [OUT_OF_RANGE] * len(values)
    found = []
    for value, number in zip(values, stored, strict=True):
        try:
            found.append(value.as_py())
        except CONVERSION_ERRORS:
            found.append(number)
    return found


def to_text(value: Any) -> str:
    """A value as text, with whole numbers written without a fraction."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def days(values: Any) -> Floats:
    """Dates and times as days since 1970, with NaN for missing ones; raises ArrowInvalid if a value is not a date.

    >>> import datetime
    >>> days(arrow.array([datetime.date(1970, 1, 2), None])).tolist()
    [1.0, nan]
    """
    values = combine_chunks(values)
    kind, types = values.type, arrow.types
    if types.is_null(kind):
        return np.full(len(values), np.nan)
    if not is_date(kind):
        values = _parse_dates(values)
        kind = values.type
    per_day = 1 if types.is_date32(kind) else 1_000 * SECONDS_PER_DAY
    if types.is_timestamp(kind):
        per_day = TICKS_PER_SECOND[kind.unit] * SECONDS_PER_DAY
    numbers = _buffer_numbers(values, f"i{kind.bit_width // 8}") if len(values) else np.empty(0)
    found: Floats = numbers / per_day
    found[null_mask(values)] = np.nan
    return found


def _parse_dates(values: Any) -> Any:
    """Parse texts as ISO 8601 dates."""
    if arrow.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if is_date(values.type):
        return values
    if not is_text(values.type):
        raise arrow.ArrowInvalid(f"{values.type} is not a type of dates")
    return values.cast(arrow.timestamp("us"))


def csr_from_lists(values: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], Floats]:
    """Lists of (index, value) as CSR arrays: where each row starts, the indices and the values."""
    values = combine_chunks(values)
    starts = raw_numbers(values.offsets).astype(np.int64)
    if not len(starts):
        return np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0)
    entries = values.values
    indices, numbers = (raw_numbers(entries.field(k))[starts[0] : starts[-1]] for k in (0, 1))
    return starts - starts[0], indices, numbers
