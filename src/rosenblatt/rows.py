"""Matrices to rows the core can read: dense or CSR, float32 or float64, without a copy where there can be none.

Everything the core's loops trust is checked here and in its boundary: shapes, types, indices, finite numbers.
"""

import os
from typing import Any

import numpy as np

from . import _core


def as_rows(X: Any) -> _core.Rows:
    """Wrap a two-dimensional array or a SciPy sparse matrix; other types of number become float64."""
    if hasattr(X, "indptr"):
        return _sparse_rows(X)
    if type(X) is not np.ndarray or X.dtype not in (np.float64, np.float32):
        X = np.asarray(X)
        X = X.astype(_float_of(X.dtype), copy=False)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, not {X.ndim}.")
    if not X.dtype.isnative:
        X = X.astype(X.dtype.newbyteorder("="))
    itemsize = X.itemsize
    rows_apart = X.strides[0] >= X.shape[1] * itemsize and X.strides[0] % itemsize == 0
    if not (X.strides[1] == itemsize and (rows_apart or X.shape[0] <= 1) and X.ctypes.data % itemsize == 0):
        X = np.ascontiguousarray(X)
    return _core.Rows.dense(X)


def _float_of(dtype: np.dtype[Any]) -> type:
    if dtype.kind in "fiub":
        return np.float32 if dtype == np.float16 else np.float64
    raise ValueError(f"X must hold numbers, not values of type {dtype}.")


def _sparse_rows(X: Any) -> _core.Rows:
    if X.format != "csr":
        X = X.tocsr()
    values = X.data
    if values.dtype not in (np.float64, np.float32):
        values = values.astype(_float_of(values.dtype))
    indices, starts = X.indices, X.indptr
    wide = np.int64 if np.int64 in (indices.dtype, starts.dtype) else np.int32
    columns = int(X.shape[1])
    if len(starts) != X.shape[0] + 1:
        raise ValueError(f"The sparse X has {X.shape[0]} rows but {len(starts)} entries in indptr instead of one more.")
    try:
        rows = _core.Rows.csr(
            np.ascontiguousarray(values),
            np.ascontiguousarray(indices, dtype=wide),
            np.ascontiguousarray(starts, dtype=wide),
            columns,
        )
    except ValueError as error:
        raise ValueError(f"The sparse X is broken: {error}. Build it again from its source.") from None
    if rows.may_repeat_columns():
        X = X.copy()
        X.has_canonical_format = False
        X.sum_duplicates()
        return _sparse_rows(X)
    return rows


def check_finite(rows: _core.Rows, X: Any, names: Any = None, threads: int = 1) -> None:
    """Refuse NaN and infinity, naming the column and row of the first."""
    row = rows.first_bad(threads)
    if row == rows.count:
        return
    if hasattr(X, "indptr"):
        values = X.tocsr()[[row]].toarray()[0]
    else:
        values = np.asarray(X[row : row + 1], dtype=np.float64)[0]
    column = int(np.flatnonzero(~np.isfinite(values))[0])
    what = "NaN" if np.isnan(values[column]) else "infinity"
    name = f"column {column}" if names is None else f"column {names[column]!r}"
    raise ValueError(f"Input X contains {what} in {name}, row {row}. Fill in or drop such values first.")


def thread_count(n_jobs: int | None) -> int:
    """Threads to use. None: every core this process may run on, within OMP_NUM_THREADS; results do not depend on it."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return max(1, min(cores, int(limit))) if limit.isdigit() else cores
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, -1 for all cores, or None.")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
