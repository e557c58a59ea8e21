"""A fingerprint of data: the SHA-256 of the rows that take part in a proof.

The bytes are little-endian. For every row: its class (one byte: 0 for the negative class, 1 for the positive one) and
its number of nonzero numbers (8 bytes). Then for every nonzero number, row by row and from left to right, its column (8
bytes, counted from 0). Then, in the same order, the numbers as IEEE doubles (8 bytes each). So an array, a sparse
matrix and a table with the same numbers have the same fingerprint.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import is_sparse

NUMBERS_PER_BLOCK = 1 << 20
ROW_HEADER = np.dtype([("class", "u1"), ("numbers", "<u8")])


def fingerprint(X: Any, positive: npt.NDArray[np.bool_]) -> str:
    """The fingerprint of a dense array or canonical CSR matrix of floats.

    >>> fingerprint(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([True, False]))[:16]
    'ecfb9818c82ebd6f'
    """
    sha = hashlib.sha256()
    step = max(1, NUMBERS_PER_BLOCK // max(1, X.shape[1]))
    for first in range(0, X.shape[0], step):
        part = slice(first, first + step)
        rows = np.empty(len(positive[part]), dtype=ROW_HEADER)
        rows["class"] = positive[part]
        counts = np.diff(X.indptr[first : first + step + 1]) if is_sparse(X) else np.count_nonzero(X[part], axis=1)
        rows["numbers"] = counts
        sha.update(rows.tobytes())
    for columns, _ in _nonzero_blocks(X):
        sha.update(columns.astype("<u8").tobytes())
    for _, values in _nonzero_blocks(X):
        sha.update(values.astype("<f8").tobytes())
    return sha.hexdigest()


def _nonzero_blocks(X: Any) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """The columns and values of the nonzero numbers, block by block."""
    if is_sparse(X):
        for first in range(0, len(X.data), NUMBERS_PER_BLOCK):
            part = slice(first, first + NUMBERS_PER_BLOCK)
            yield X.indices[part], X.data[part]
        return
    step = max(1, NUMBERS_PER_BLOCK // max(1, X.shape[1]))
    for first in range(0, len(X), step):
        block = X[first : first + step]
        where = np.nonzero(block)
        yield where[1], block[where]
