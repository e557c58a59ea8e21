"""Inputs that plainly fit a model skip scikit-learn's checks, which take many times as long as learning from a row.

An input that is not plain goes through the checks, which decide and speak to the user.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.labels import LIST_SEARCH, codes_of_list
from ..foundation.matrices import NATIVE_FLOATS, is_sparse
from ..foundation.types import Labels


def is_plain_array(X: Any) -> bool:
    """Whether X is an array of floats with rows and columns, which has no names to look for."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype in NATIVE_FLOATS and X.size > 0


def plain_array(X: Any, columns: int, names: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
    """X as an array of floats, if it has the columns that a model knows, in the same order and by the same names."""
    if type(X) is not np.ndarray:
        X = _array_of_list(X) if type(X) is list else _array_of_frame(X, names)
        if X is None:
            return None
    elif names is not None:
        return None
    if X.ndim != 2 or X.dtype not in NATIVE_FLOATS or X.shape[1] != columns or not X.shape[0]:
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
    """Whole numbers as float64, as scikit-learn has them; other types as they are."""
    return array.astype(np.float64) if array.dtype.kind in "iu" else array


def is_plain_sparse(X: Any, columns: int) -> bool:
    """Whether X is a sparse matrix of floats with as many columns as a model knows."""
    if not is_sparse(X) or X.dtype not in NATIVE_FLOATS:
        return False
    return bool(X.ndim == 2 and X.shape[1] == columns and X.shape[0] > 0)


def plain_labels(y: Any, known: Labels) -> Labels | None:
    """The labels of a few rows, if all of them are among the classes that a model knows."""
    shape: tuple[int, ...] = (len(y),) if type(y) is list else getattr(y, "shape", ())
    if len(shape) != 1 or not 0 < shape[0] * len(known) < LIST_SEARCH:
        return None
    to_list = getattr(y, "tolist", None) or getattr(y, "to_list", None)
    codes = codes_of_list(y if type(y) is list else to_list() if to_list else [None], known)
    return None if codes is None else known[codes]
