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
from ..exact.row_blocks import NUMBERS_PER_BLOCK, row_blocks, rows_per_block

ROW_HEADER = np.dtype([("class", "u1"), ("numbers", "<u8")])


def fingerprint(X: Any, positive: npt.NDArray[np.bool_]) -> str:
    """The fingerprint of a dense array or canonical CSR matrix of floats.

    >>> fingerprint(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([True, False]))[:16]
    'ecfb9818c82ebd6f'
    """
    sha = hashlib.sha256()
    for part in _parts(X):
        rows = np.empty(len(positive[part]), dtype=ROW_HEADER)
        rows["class"] = positive[part]
        rows["numbers"] = np.diff(X[part].indptr) if is_sparse(X) else np.count_nonzero(X[part], axis=1)
        sha.update(rows.tobytes())
    for columns, _ in _nonzero_blocks(X):
        sha.update(columns.astype("<u8").tobytes())
    for _, values in _nonzero_blocks(X):
        sha.update(values.astype("<f8").tobytes())
    return sha.hexdigest()


def _nonzero_blocks(X: Any) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """The columns and values of the nonzero numbers, block by block."""
    for part in _parts(X):
        block = X[part]
        if is_sparse(X):
            yield block.indices, block.data
        else:
            where = np.nonzero(block)
            yield where[1], block[where]


def _parts(X: Any) -> Iterator[slice]:
    rows: int = X.shape[0]
    return row_blocks(rows, rows_per_block(rows, X.size, NUMBERS_PER_BLOCK))
