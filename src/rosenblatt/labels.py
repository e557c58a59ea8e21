"""Labels to class numbers and back. `classes_` is sorted; of two classes the second is the positive one."""

from typing import Any

import numpy as np
import numpy.typing as npt

Codes = npt.NDArray[np.int32]


def encode(y: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Codes]:
    """The sorted classes of y, and the number of each row's class.

    >>> classes, codes = encode(np.array(["spam", "ham", "spam"]))
    >>> [str(c) for c in classes], codes.tolist()
    (['ham', 'spam'], [1, 0, 1])
    """
    if y.dtype.kind in "iub" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < max(256, y.size):  # counting beats sorting
            shifted = y.astype(np.int64) - low
            present = np.bincount(shifted, minlength=1) > 0
            numbers = np.cumsum(present, dtype=np.int32) - np.int32(1)
            return (np.flatnonzero(present) + low).astype(y.dtype), numbers[shifted]
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.astype(np.int32).reshape(-1)


def codes_of(y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    """The numbers of y's classes among known ones; -1 for a class not seen before."""
    at = np.minimum(np.searchsorted(classes, y), max(len(classes) - 1, 0))
    return np.where(classes[at] == y, at, -1).astype(np.int32) if len(classes) else np.full(len(y), -1, np.int32)


def balanced_weights(codes: Codes, classes: int) -> npt.NDArray[np.float64]:
    """n / (classes * rows of the class), so that every class weighs the same."""
    counts = np.bincount(codes, minlength=classes)
    return np.divide(len(codes), classes * counts, out=np.zeros(classes), where=counts > 0)
