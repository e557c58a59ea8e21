"""Dense and sparse matrices of floats without rounding."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import (
    NATIVE_FLOATS,
    as_canonical_csr,
    as_rows,
    check_finite,
    is_sparse,
    refuse_numpy_matrix,
)
from ...foundation.types import Floats
from .row_blocks import NUMBERS_PER_BLOCK, row_blocks, rows_per_block

MAX_EXACT_INTEGER = 2**53  # float64 holds every integer up to this


def column_names(X: Any) -> list[str] | None:
    """The names of the columns of a data frame, if all of them are text."""
    names = getattr(X, "columns", None)
    names = None if names is None else list(names)
    return names if names and all(isinstance(name, str) for name in names) else None


def as_exact_floats(X: Any) -> Any:
    """X as an array or CSR matrix of floats. No number is rounded; an array of floats is not copied."""
    if not is_sparse(X):
        refuse_numpy_matrix(X)
        X = np.asarray(X)
        return X if X.ndim == 2 and X.dtype in NATIVE_FLOATS else _convert_exactly(X, X)
    X = as_canonical_csr(X)
    if X.dtype not in NATIVE_FLOATS:
        _convert_exactly(X.data, X)
        X = X.astype(np.float64)
    if not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    return X


def _convert_exactly(values: npt.NDArray[Any], X: Any) -> Floats:
    check_finite(as_rows(X), X)
    converted = values.astype(np.float64)
    if values.dtype.kind in "iu" and values.size:
        same = max(-int(values.min()), int(values.max())) <= MAX_EXACT_INTEGER
    else:
        same = bool((converted == values).all())
    if not same:
        raise ValueError(f"X has numbers of type {values.dtype} that no float64 equals: round or rescale them first.")
    return converted


def scale_columns(X: Any, exponents: npt.NDArray[np.int32]) -> Any:
    """Columns times powers of two, as float64."""
    with np.errstate(under="ignore"):
        if not is_sparse(X):
            return np.ldexp(X.astype(np.float64, copy=False), exponents)
        scaled = X.astype(np.float64)
        scaled.data = np.ldexp(scaled.data, exponents[X.indices])
        return scaled


def rows_equal(left: Any, right: Any) -> npt.NDArray[np.bool_]:
    """Which rows of two matrices hold the same numbers."""
    equal: npt.NDArray[np.bool_] = np.asarray((left != right).sum(axis=1)).ravel() == 0
    return equal


def row_bytes(X: Any) -> Iterator[bytes]:
    """The bytes of each row of an array or canonical CSR matrix: the same for equal rows only.

    >>> len(set(row_bytes(np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0]]))))
    2
    """
    if is_sparse(X):
        for first, end in pairwise(X.indptr.tolist()):
            yield X.indices[first:end].tobytes() + X.data[first:end].tobytes()
        return
    for part in row_blocks(len(X), rows_per_block(len(X), X.size, NUMBERS_PER_BLOCK)):
        for row in np.ascontiguousarray(X[part] + 0.0):  # -0.0 becomes 0.0
            yield row.tobytes()
