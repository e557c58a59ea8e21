"""Matrices to rows the core can read: dense or CSR, float32 or float64, without a copy where there can be none.

Everything the core's loops trust is checked here and in its boundary: shapes, types, indices, finite numbers. Every
sparse matrix passes `as_csr`, so that all who read `data` and `indices` after it see each number of a row once. SciPy
is not imported before someone else has: until then no matrix can be sparse.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .threads import thread_count

PART_SIZE = 1 << 18  # numbers of an array that are copied at once
MIN_SHARED_SIZE = 1 << 16  # numbers that several threads copy
NATIVE_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))

# What to do about numbers, texts and dates that are refused, unless the caller knows better.
FILL_IN = "Fill in or drop such values first."
ENCODE = "Encode or drop such columns first."
USE_FIT = "Turn them into numbers first, or give the table to rosenblatt.fit."


def is_sparse(X: object) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def as_rows(X: Any) -> _core.Rows:
    """Wrap a two-dimensional array or a SciPy sparse matrix; other types of number become float64."""
    if type(X) is not np.ndarray:
        if is_sparse(X):
            return csr_and_rows(X)[1]
        refuse_numpy_matrix(X)
        X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, not {X.ndim}.")
    if X.dtype not in NATIVE_FLOATS:
        X = X.astype(_float_of(X.dtype))
    return _core.Rows.dense(X if _is_row_by_row(X) else _row_by_row(X))


def rows_unless_copied(X: Any) -> _core.Rows | None:
    """The same, but None for an array so large that a copy of it, row by row, should be made in parts."""
    if type(X) is np.ndarray and X.size > PART_SIZE and not _is_row_by_row(X):
        return None
    return as_rows(X)


def parts_of(X: npt.NDArray[Any]) -> Iterator[tuple[range, npt.NDArray[Any]]]:
    """The numbers of some rows and these rows, of all rows in turn."""
    step = max(1, PART_SIZE // X.shape[1])
    for begin in range(0, len(X), step):
        yield range(begin, min(begin + step, len(X))), X[begin : begin + step]


def written_rows(rows: _core.Rows, places: npt.NDArray[np.intp]) -> Any:
    """The numbers of the rows at these places as the core sees them, lifted or not: an array or a CSR matrix."""
    written = rows.written_out(places.astype(np.int64, copy=False))
    if not isinstance(written, tuple):
        return written
    from scipy.sparse import csr_matrix

    return csr_matrix(written, shape=(len(places), rows.columns))


def as_floats(X: Any) -> npt.NDArray[np.float64]:
    """X as an array of float64, for those who read a few columns: a sparse matrix is written out."""
    refuse_numpy_matrix(X)
    return np.asarray(as_csr(X).toarray() if is_sparse(X) else X, dtype=np.float64)


def _is_row_by_row(X: npt.NDArray[Any]) -> bool:
    flags = X.flags
    return flags.aligned and (flags.c_contiguous or _has_whole_rows(X))


def _row_by_row(X: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy whose rows are contiguous. An array that lies column by column is copied by the core, in tiles."""
    between, within = X.strides[::-1]
    if not (X.flags.aligned and within == X.itemsize and between >= len(X) * within and between % within == 0):
        return np.require(X, requirements=("C", "A"))
    copy = np.empty_like(X, order="C")
    _core.copy_columns(X, copy, thread_count(None) if X.size > MIN_SHARED_SIZE else 1)
    return copy


def _has_whole_rows(X: npt.NDArray[Any]) -> bool:
    """Each row contiguous, one after the other, however far apart: slices of rows and of columns."""
    between, within = X.strides
    return within == X.itemsize and between >= X.shape[1] * within and between % within == 0


def _float_of(dtype: np.dtype[Any]) -> type:
    if dtype.kind not in "fiub":
        advice = "" if dtype.kind == "c" else ": turn texts, dates and objects into numbers by a TableEncoder first"
        raise ValueError(f"X must hold numbers, not values of type {dtype}{advice}.")
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def refuse_numpy_matrix(X: object) -> None:
    """A numpy.matrix stays two-dimensional whatever is done with it, so that sums and products mean something else.

    Of a masked array the values under the mask would be learned, too.
    """
    if isinstance(X, np.matrix):
        raise TypeError("X is a numpy.matrix: pass numpy.asarray(X) instead.")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError("X is a masked array, whose masked values are missing: fill them in, such as by X.filled(0).")


def as_csr(X: Any) -> Any:
    """A sparse matrix as CSR: each column at most once a row, and nothing stored beyond the rows.

    The columns of a row keep their order, because the core reads any order and sorting takes longer than some training.
    The caller's matrix stays as it is; one without repeats shares its arrays with the result. Stored zeros stay.
    """
    return csr_and_rows(X)[0]


def as_canonical_csr(X: Any) -> Any:
    """The same with the columns of every row in rising order, so that sums round alike however X was stored."""
    X = as_csr(X)
    return X if X.has_sorted_indices else X.sorted_indices()


def csr_and_rows(X: Any) -> tuple[Any, _core.Rows]:
    """A sparse X as CSR with each column at most once a row, and its rows for the core, which reads any order.

    The core looks for repeats: what X has noted of itself may be out of date.
    """
    X = any_csr(X)
    rows = csr_rows(X)
    X = _without_flags(X)
    if rows.repeats_columns:
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
        rows = _compressed(X, *X.shape)
    return X, rows


def csr_rows(X: Any) -> _core.Rows:
    """The rows of a CSR matrix as they are, for the core; `repeats_columns` says whether a row has a column twice."""
    with _named_as_broken():
        return _compressed(X, *X.shape)


def _without_flags(X: Any) -> Any:
    """A CSR matrix of the same arrays, as far as `indptr` reaches, without what X has noted of their order.

    The arrays are assigned: SciPy's constructor would look through indices of 64 bits and copy them.
    """
    from scipy.sparse import csr_array, csr_matrix, spmatrix

    stored = int(X.indptr[-1])
    values = _summable(X.data[:stored])
    new = (csr_matrix if isinstance(X, spmatrix) else csr_array)(X.shape, dtype=values.dtype)
    new.data, new.indices, new.indptr = values, X.indices[:stored], X.indptr
    return new


def _summable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """SciPy can sum neither float16 nor numbers of another byte order."""
    dtype = np.dtype(np.float32) if values.dtype.char == "e" else values.dtype.newbyteorder("=")
    return values.astype(dtype, copy=False)


def any_csr(X: Any) -> Any:
    """A sparse matrix in CSR form, whatever its order. Indices are checked before any library follows them."""
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, not {X.ndim}.")
    _float_of(X.dtype)
    with _named_as_broken():
        if X.format == "csc":
            _compressed(X, *X.shape[::-1])
        elif X.format == "bsr":
            X.check_format()
        elif X.format == "coo":
            _check_coordinates(X)
    return X if X.format == "csr" else X.tocsr()


@contextmanager
def _named_as_broken() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"The sparse X is broken: {error}. Build it again from its source.") from None


def _check_coordinates(X: Any) -> None:
    for at, size in zip(X.coords, X.shape, strict=True):
        if at.size and not (at.min() >= 0 and at.max() < size):
            raise ValueError(f"it has indices from {at.min()} to {at.max()} where 0 to {size - 1} are allowed")


def _compressed(X: Any, major: int, minor: int) -> _core.Rows:
    """The rows of a CSR matrix, or the columns of a CSC one, as rows; refused if the parts do not fit together."""
    if len(X.indptr) != major + 1:
        raise ValueError(f"indptr has {len(X.indptr)} entries instead of {major + 1}")
    values = X.data if X.data.dtype in NATIVE_FLOATS else X.data.astype(_float_of(X.data.dtype))
    index = np.int64 if np.int64 in (X.indices.dtype, X.indptr.dtype) else np.int32
    indices, starts = (np.ascontiguousarray(part, dtype=index) for part in (X.indices, X.indptr))
    return _core.Rows.csr(np.ascontiguousarray(values), indices, starts, minor, thread_count(None))


def check_finite(
    rows: _core.Rows,
    X: Any,
    names: Any = None,
    threads: int = 1,
    numbers: Sequence[int] | npt.NDArray[Any] | None = None,
    advice: str | None = None,
) -> None:
    """Refuse NaN and infinity, naming the column and row of the first. `numbers` are what the rows of X are called."""
    row = rows.first_not_finite(threads)
    if row == rows.count:
        return
    values = as_csr(X)[[row]].toarray()[0] if is_sparse(X) else np.asarray(X)[row].astype(np.float64)
    column = int(np.flatnonzero(~np.isfinite(values))[0])
    what = "NaN" if np.isnan(values[column]) else "infinity"
    row = row if numbers is None else int(numbers[row])
    where = f"{column_name(column, names)}, row {row}"
    raise ValueError(f"Input X contains {what} in {where}. {advice or FILL_IN}")


def refuse_text(table: npt.NDArray[Any], names: Any = None, advice: str = ENCODE) -> None:
    """Refuse texts that are not numbers, naming their column.

    >>> refuse_text(np.array([[1, "red"]], dtype=object))
    Traceback (most recent call last):
        ...
    ValueError: Input X contains text in column 1. Encode or drop such columns first.
    """
    for column, values in enumerate(table.T):
        try:
            values.astype(np.float64)
        except (ValueError, TypeError):
            where = column_name(column, names)
            raise ValueError(f"Input X contains text in {where}. {advice}") from None


def refuse_dates(X: Any, names: Any = None, advice: str = USE_FIT) -> None:
    """Refuse dates and times, naming their column: as numbers they would be nanoseconds, and NaT a huge one.

    >>> refuse_dates(np.array([["2024-01-01"]], dtype="M8[D]"))
    Traceback (most recent call last):
        ...
    ValueError: Input X contains dates in column 0. Turn them into numbers first, or give the table to rosenblatt.fit.
    """
    kinds: Any = getattr(X, "dtypes", None)  # of the columns of a data frame
    kinds = list(kinds) if hasattr(kinds, "__iter__") else [getattr(X, "dtype", None)]
    dates = [column for column, kind in enumerate(kinds) if getattr(kind, "kind", "") in ("m", "M")]
    if dates:
        where = column_name(dates[0], getattr(X, "columns", names))
        raise ValueError(f"Input X contains dates in {where}. {advice}")


def column_name(column: int, names: Any = None) -> str:
    return f"column {column}" if names is None else f"column {names[column]!r}"
