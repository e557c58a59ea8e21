"""The columns of a formula as NumPy arrays: numbers, or categories with known levels. Missing values are refused."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.errors import InputError
from ..read.batches import CATEGORY, NUMBER, Source

Level = str | int | float


def value_type(kind: Any) -> Any:
    """The type of a column's values, also if the column is stored as a dictionary."""
    return kind.value_type if arrow.types.is_dictionary(kind) else kind


def number_values(kind: Any) -> bool:
    """Whether values of this type are numbers; texts and truth values are categories."""
    types = arrow.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def read_columns(source: Source, numbers: Mapping[str, bool]) -> dict[str, Any]:
    """All rows of these columns: arrays of float64, or pandas' categories where numbers are not asked for."""
    reading = {name: NUMBER if number else CATEGORY for name, number in numbers.items()}
    batches = source.read_all(reading)
    tables = [batch.table.select(list(numbers)) for batch in batches]
    whole = arrow.concat_tables([table.unify_dictionaries() for table in tables], promote_options="permissive")
    return {name: _values(source, name, whole.column(name), number) for name, number in numbers.items()}


def located(source: Source, name: str, row: int) -> tuple[str, str]:
    """The file of a row and its place there, read again for an error; rows of tables in memory count from 0."""
    if not source.in_memory and source.rereadable:
        for batch in source.batches({name: CATEGORY}):
            if row < len(batch.table):
                return batch.path, batch.place(row)
            row -= len(batch.table)
    return source.path, f"row {row}"


def _values(source: Source, name: str, column: Any, number: bool) -> Any:
    if column.null_count:
        row = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        path, place = located(source, name, row)
        raise InputError(f"{path}, column {name!r} has no value in {place}: drop such rows, or fill them.")
    if not number:
        return _texts(column, source.in_memory)
    try:
        found = np.asarray(column.cast(arrow.float64(), safe=False).to_numpy(), dtype=np.float64)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError):
        raise InputError(f"{source.path}, column {name!r} does not hold numbers, as it did: correct it.") from None
    strange = np.flatnonzero(~np.isfinite(found))
    if len(strange):
        path, place = located(source, name, int(strange[0]))
        raise InputError(f"{path}, column {name!r} is not a finite number in {place}: correct it.")
    return found


def _texts(column: Any, keep_order: bool) -> Any:
    """Texts as pandas' categories: in the order of a data frame's own categories, else sorted."""
    import pandas as pd

    values = column.to_pandas()
    if keep_order and isinstance(values.dtype, pd.CategoricalDtype):
        return values.cat.rename_categories([str(value) for value in values.cat.categories])
    return pd.Series(pd.Categorical(values.astype(object).map(str)))


def levels_of(values: Any) -> list[Level]:
    """The distinct values in order. Whole numbers are integers."""
    if isinstance(values, np.ndarray):
        return _whole(np.unique(values).tolist())
    present = set(values.tolist())
    return [level for level in values.cat.categories.tolist() if level in present]


def labels_of(values: Any) -> Any:
    """The values as labels of classes. Whole numbers are integers."""
    return np.array(_whole(values.tolist()) if isinstance(values, np.ndarray) else values.tolist())


def _whole(numbers: list[float]) -> list[Level]:
    return [int(one) if one.is_integer() else one for one in numbers]


def category_values(source: Source, name: str, values: Any, levels: list[Level]) -> Any:
    """The values as pandas' categories with these levels; another value is refused."""
    import pandas as pd

    strange = np.flatnonzero(~pd.Series(np.asarray(values)).isin(levels))
    if len(strange):
        row = int(strange[0])
        known = ", ".join(map(repr, levels[:6])) + (", ..." if len(levels) > 6 else "")
        path, place = located(source, name, row)
        what = f"has {np.asarray(values)[row]!s} in {place}, not one of {known}, which were fitted"
        raise InputError(f"{path}, column {name!r} {what}.")
    return pd.Series(pd.Categorical(np.asarray(values), categories=levels))
