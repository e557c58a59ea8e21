"""Data frames of floats: `fit` skips scikit-learn's checks, which take several times as long as a small training."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.matrices import NATIVE_FLOATS


def named_array(X: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]] | None:
    """The numbers of a data frame of pandas or polars and the names of its columns, if it needs no further checks.

    >>> import pandas
    >>> named_array(pandas.DataFrame({"width": [1.5, 2.5]}))
    (array([[1.5],
           [2.5]]), array(['width'], dtype=object))
    >>> named_array(pandas.DataFrame({"width": ["narrow", "wide"]})) is None
    True
    """
    to_numpy, columns = getattr(X, "to_numpy", None), getattr(X, "columns", None)
    if to_numpy is None or columns is None or getattr(X, "ndim", 2) != 2:
        return None
    names = list(columns)
    if not names or any(type(name) is not str for name in names) or len(set(names)) != len(names):
        return None
    array = to_numpy()
    if type(array) is not np.ndarray or array.ndim != 2 or array.dtype not in NATIVE_FLOATS or not array.size:
        return None
    return array, np.array(names, dtype=object)
