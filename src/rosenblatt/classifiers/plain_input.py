"""Inputs that plainly fit a model skip scikit-learn's checks, which take many times as long as learning from a row.

An input that is not plain goes through the checks, which decide and speak to the user.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.labels import LIST_SEARCH, codes_of_list
from ..foundation.matrices import NATIVE_FLOATS, PART_SIZE, as_csr, is_sparse
from ..foundation.threads import thread_count
from ..foundation.types import Labels


def plain_rows(X: Any, columns: int | None, names: npt.NDArray[Any] | None) -> _core.Rows | None:
    """X as rows, if it is an array, list, CSR or CSC matrix, or a data frame of known names, with as many columns.

    `columns` is None where any number will do. Large arrays whose rows do not lie in one piece are left to the caller.
    """
    return _core.plain_rows(X, columns or 0, names, np.ndarray, thread_count, PART_SIZE)


def plain_array(X: Any, columns: int | None, names: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
    """X as an array of floats, if it has the columns that a model knows, in the same order and by the same names."""
    if type(X) is not np.ndarray:
        X = _array_of_list(X) if type(X) is list else _array_of_frame(X, names)
        if X is None:
            return None
    elif names is not None:
        return None
    if X.ndim != 2 or X.dtype not in NATIVE_FLOATS or not X.size or X.shape[1] != (columns or X.shape[1]):
        return None
    array: npt.NDArray[Any] = X
    return array


def _array_of_list(X: list[Any]) -> npt.NDArray[Any] | None:
    try:
        return _floats(np.asarray(X))
    except ValueError:  # rows of different lengths
        return None


def _array_of_frame(X: Any, names: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
    """The numbers of a data frame of pandas or polars."""
    to_numpy, columns = getattr(X, "to_numpy", None), getattr(X, "columns", None)
    if names is None or to_numpy is None or columns is None or list(columns) != names.tolist():
        return None
    return _floats(to_numpy())


def _floats(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers and truth values as float64, as scikit-learn has them; other types as they are."""
    return array.astype(np.float64) if array.dtype.kind in "iub" else array


def as_matrix(X: Any) -> Any:
    """What `plain_rows` has seen as an array of floats or a CSR matrix.

    >>> as_matrix([[1, 2]])
    array([[1., 2.]])
    """
    if is_sparse(X):
        return as_csr(X)
    return _floats(X if type(X) is np.ndarray else X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(X))


def plain_labels(y: Any, known: Labels) -> Labels | None:
    """The labels of a few rows, if all of them are among the classes that a model knows."""
    shape: tuple[int, ...] = (len(y),) if type(y) is list else getattr(y, "shape", ())
    if len(shape) != 1 or not 0 < shape[0] * len(known) < LIST_SEARCH:
        return None
    to_list = getattr(y, "tolist", None) or getattr(y, "to_list", None)
    codes = codes_of_list(y if type(y) is list else to_list() if to_list else [None], known)
    return None if codes is None else known[codes]
