"""Tables to what the engine takes: numbers in rows, classes by number."""

import math
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as arrow

from ..errors import ColumnError, InputError
from ..labels import Codes
from .sources import Source

Floats = npt.NDArray[np.float64]

# More different numbers than MANY, with fewer rows to each than FEW, are a quantity rather than classes.
MANY, FEW = 20, 10
SHOWN_NAMES = 8


def find(source: Source, name: str, purpose: str) -> str:
    """The name of a column that must be there."""
    if name and name in source.names:
        return name
    close = get_close_matches(name, source.names, n=1, cutoff=0.5)
    if close:
        advice = f"did you mean {close[0]!r}?"
    elif all(map(_is_number, source.names)):
        advice = "the first line must name the columns."
    else:
        shown = ", ".join(map(repr, source.names[:SHOWN_NAMES]))
        advice = f"it has {shown}{' and more' if len(source.names) > SHOWN_NAMES else ''}."
    raise InputError(f"{source.path} has no column {name!r} {purpose}: {advice}")


def read(source: Source, columns: Sequence[str], texts: Collection[str] = ()) -> Any:
    """Some columns of a table that has rows."""
    table = source.read([*columns, *texts], texts)
    if not table.num_rows:
        raise InputError(f"{source.path} names columns but has no rows.")
    return table


def numbers(source: Source, table: Any, columns: Sequence[str]) -> Floats:
    """The columns as a matrix of float64, one row a row. True and False become 1 and 0."""
    for name in columns:
        _check_numbers(source, name, table.column(name))
    matrix = np.empty((table.num_rows, len(columns)))
    first = 0
    for batch in table.select(columns).to_batches():
        for place, values in enumerate(batch.columns):
            matrix[first : first + len(batch), place] = _as_array(values)
        first += len(batch)
    _check_finite(source, matrix, columns)
    return matrix


def _as_array(values: Any) -> npt.NDArray[Any]:
    """Numbers without a copy. Arrow's own `to_numpy` would import pandas, and `cast` a module as large."""
    return np.from_dlpack(values.cast(arrow.int8()) if arrow.types.is_boolean(values.type) else values)


def _first_missing(values: Any) -> int:
    return next(row for row, value in enumerate(values) if not value.is_valid)


def _check_numbers(source: Source, name: str, values: Any) -> None:
    kind = values.type
    if arrow.types.is_null(kind):
        raise ColumnError(f"{source.path}, column {name!r} is empty: fill it in", name)
    if not (arrow.types.is_integer(kind) or arrow.types.is_floating(kind) or arrow.types.is_boolean(kind)):
        row = next((row for row, value in enumerate(values) if value.is_valid and not _is_number(_text(value))), 0)
        place = f"{_text(values[row])!r} in {source.where(row)}"
        raise ColumnError(f"{source.path}, column {name!r} does not hold numbers ({place}): turn it into numbers", name)
    if values.null_count:
        count = f"{values.null_count:,} missing value{'s' if values.null_count > 1 else ''}"
        what = f"column {name!r} has {count}, the first in {source.where(_first_missing(values))}"
        raise ColumnError(f"{source.path}, {what}: fill in the missing numbers or drop those rows", name)


def _text(value: Any) -> str:
    found = value.as_py()
    return found.decode(errors="replace") if isinstance(found, bytes) else str(found)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_finite(source: Source, matrix: Floats, columns: Sequence[str]) -> None:
    finite = np.isfinite(matrix)
    if finite.all():
        return
    row, place = (int(at) for at in np.argwhere(~finite)[0])
    name, what = columns[place], "NaN" if np.isnan(matrix[row, place]) else "an infinite number"
    raise ColumnError(f"{source.path}, column {name!r} has {what} in {source.where(row)}: correct it", name)


def classes(source: Source, table: Any, column: str) -> tuple[npt.NDArray[Any], Codes]:
    """The sorted classes of a column read as text, and the number of each row's class."""
    values = table.column(column).combine_chunks()
    if values.null_count:
        where = source.where(_first_missing(values))
        count = f"{values.null_count:,} row{'s' if values.null_count > 1 else ''}"
        raise InputError(
            f"{source.path}, column {column!r} has no class in {count}, the first in {where}: fill in or drop."
        )
    texts = values.dictionary.to_pylist()
    labels = typed([text.strip() for text in texts])
    found, numbers_of = np.unique(labels, return_inverse=True)
    codes = numbers_of.astype(np.int32)[_as_array(values.indices)]
    _check_classes(source, column, found, len(codes))
    return found, codes


def typed(texts: Sequence[str]) -> npt.NDArray[Any]:
    """Labels as whole numbers, numbers or truth values if each is written as Python would write it, else as text.

    >>> typed(["1", "2"]).tolist(), typed(["0.5", "1.0"]).tolist(), typed(["True", "False"]).tolist()
    ([1, 2], [0.5, 1.0], [True, False])
    >>> typed(["007", "8"]).tolist()
    ['007', '8']
    """
    for kind in (int, float, {"True": True, "False": False}.__getitem__):
        try:
            values = [kind(text) for text in texts]
        except (ValueError, KeyError):
            continue
        same = all(str(value) == text for value, text in zip(values, texts, strict=True))
        if same and all(math.isfinite(value) and abs(value) < 2**63 for value in values):
            return np.array(values)
    return np.array(texts)


def _check_classes(source: Source, column: str, found: npt.NDArray[Any], rows: int) -> None:
    what = f"{source.path}, column {column!r}"
    if len(found) < 2:
        raise InputError(f"{what} has only one class, {found[0].item()!r}: a classifier needs two or more.")
    if found.dtype.kind in "if" and len(found) > MANY and rows < FEW * len(found):
        quantity = f"{len(found):,} different numbers in {rows:,} rows, a quantity rather than classes"
        raise InputError(f"{what} has {quantity}: choose another target, or cut it into a few named classes.")
    if len(found) > 2 and rows < 2 * len(found):
        names = f"{len(found):,} different values in {rows:,} rows, hardly classes"
        raise InputError(f"{what} has {names}: choose a target whose values repeat.")
