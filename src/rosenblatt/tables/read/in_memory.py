"""Tables in memory as Arrow tables: pandas, polars, Arrow, dicts of columns, and arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.errors import InputError
from ...foundation.matrices import is_sparse, refuse_numpy_matrix

ARROW_ERRORS = arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError


def as_table(X: Any, least_rows: int = 1) -> Any:
    """An Arrow table of whatever holds columns. Arrays need `least_rows`; their columns are called x0, x1, and so on.

    >>> as_table([[1, 2], [3, 4]]).column_names
    ['x0', 'x1']
    """
    if isinstance(X, arrow.Table):
        return X
    refuse_numpy_matrix(X)
    if is_sparse(X):
        raise TypeError("X is a sparse matrix, not a table: classifiers take it as it is, tables take X.toarray().")
    library, kind = _library(X), type(X).__name__
    if library in ("dask", "dask_expr"):
        raise InputError(
            f"the table is a Dask {kind}, which is not in memory: write it to Parquet and give the path, with executor "
            "if workers are to train, or give X and y to a classifier, such as LogisticRegression().fit(X, y)."
        )
    if kind == "Series" and library in ("pandas", "polars"):
        raise ValueError(f"X is a Series, one column of {library}, and not a table: give X.to_frame().")
    if library == "pandas":
        return _pandas_table(X)
    if (library, kind) == ("polars", "LazyFrame"):
        X = X.collect()
    return _array_table(X, least_rows) if is_array(X) else arrow.table(X)


def is_array(X: Any) -> bool:
    """Whether X has no names of columns: an array, a list, or what NumPy can turn into an array."""
    if isinstance(X, Mapping) or _library(X) in ("pandas", "polars", "pyarrow"):
        return False
    return not any(hasattr(X, name) for name in ("columns", "__arrow_c_stream__", "__arrow_c_array__"))


def _library(X: Any) -> str:
    return type(X).__module__.partition(".")[0]


def _pandas_table(X: Any) -> Any:
    twice = [str(name) for name in X.columns[X.columns.duplicated()]]
    if twice:
        raise InputError(f"the table has two columns named {twice[0]!r}: rename one of them.")
    try:
        return arrow.Table.from_pandas(X, preserve_index=False)
    except ARROW_ERRORS:
        for name in X.columns:
            try:
                arrow.Array.from_pandas(X[name])
            except ARROW_ERRORS:
                raise _mixed(str(name), X[name]) from None
        raise


def _array_table(X: Any, least_rows: int) -> Any:
    from sklearn.utils import check_array

    X = check_array(X, dtype=None, ensure_all_finite=False, ensure_min_samples=least_rows)
    return arrow.table({f"x{place}": _column(f"x{place}", column) for place, column in enumerate(X.T)})


def _column(name: str, values: Any) -> Any:
    try:
        return arrow.array(values.tolist())
    except ARROW_ERRORS:
        raise _mixed(name, values) from None


def _mixed(name: str, values: Any) -> TypeError:
    """The error about a column of several types, or of one that no table has."""
    types = sorted({type(value).__name__ for value in np.asarray(values, object)})
    return TypeError(
        f"column {name!r} of X holds {' and '.join(types)}: each argument must be a string, number or date, and the "
        "same in all rows of a column."
    )
