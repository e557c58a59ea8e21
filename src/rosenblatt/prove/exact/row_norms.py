"""An upper bound on the norms of rows, for numbers of any type and size.

Rows are squared as float64. If squares would overflow or underflow, rows are first divided by powers of two. A sum of k
squares, in any order, has an error of at most k + 1 half units in the last place. The root halves this error. The root
itself, the product with a weight and underflow add less than 7 units, so adding k + 8 units is enough.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import is_sparse
from ...foundation.rounding import float_above
from ...foundation.types import Floats
from .row_blocks import row_blocks, rows_per_block

Exponents = npt.NDArray[np.int32]
ULP = float(np.finfo(np.float64).eps)
MIN_SAFE_SQUARE, MAX_SAFE_SQUARE = 1e-240, 1e240  # of the longest row: no overflow, no harmful underflow
NUMBERS_PER_BLOCK = 131_072
ZERO_ROW_EXPONENT = -1_000_000  # below the exponent of every other row


def max_row_norm(X: Any, weights: Floats | None = None) -> float:
    """An upper bound on the norms of the rows of a dense array or CSR matrix, times their weights >= 0.

    >>> max_row_norm(np.array([[3, 4], [1, 1]], dtype=np.float32)) >= 5
    True
    >>> max_row_norm(np.array([[3e-200, 4e-200]])) > 4.99e-200
    True
    >>> max_row_norm(np.array([[1e-200], [1.0]]), np.array([1e300, 1.0])) >= 1e100
    True
    """
    return float_above(max((_max_norm_of_block(*part) for part in _blocks(X, weights)), default=Fraction(0)))


Block = tuple[Floats, npt.NDArray[np.intp] | None, Floats | None]


def _blocks(X: Any, weights: Floats | None) -> Iterator[Block]:
    """Blocks of rows as float64: their numbers, the row pointers of CSR, and the weights."""
    count = X.shape[0]
    for part in row_blocks(count, rows_per_block(count, X.size, NUMBERS_PER_BLOCK)):
        chosen = None if weights is None else weights[part]
        if is_sparse(X):
            ends = X.indptr[part.start : part.stop + 1].astype(np.intp)
            yield X.data[ends[0] : ends[-1]].astype(np.float64, copy=False), ends - ends[0], chosen
        else:
            yield X[part].astype(np.float64, copy=False), None, chosen


def _max_norm_of_block(numbers: Floats, ends: npt.NDArray[np.intp] | None, weights: Floats | None) -> Fraction:
    terms = int(numbers.shape[1] if ends is None else np.diff(ends).max(initial=0))
    with np.errstate(over="ignore", under="ignore"):
        largest = _squares(numbers, ends).max(initial=0.0) if weights is None else 0.0
    if MIN_SAFE_SQUARE < largest < MAX_SAFE_SQUARE:
        return _with_errors(float(np.sqrt(largest)), terms)
    powers = _scaling_exponents(numbers, ends)
    squares = _squares(_divide_rows(numbers, ends, powers), ends)
    norms = np.sqrt(squares)
    if weights is not None:
        parts, more = np.frexp(weights)
        norms, powers = norms * parts, powers + more
    powers = np.where(norms > 0, powers, ZERO_ROW_EXPONENT)
    top = int(powers.max(initial=ZERO_ROW_EXPONENT))
    with np.errstate(under="ignore"):
        most = float(np.ldexp(norms, powers - top).max(initial=0.0))
    return _with_errors(most, terms) * Fraction(2) ** top if most else Fraction(0)


def _with_errors(norm: float, terms: int) -> Fraction:
    return Fraction(norm * (1 + (terms + 8) * ULP))


def _scaling_exponents(numbers: Floats, ends: npt.NDArray[np.intp] | None) -> Exponents:
    """The powers of two that bring the largest number of each row near 1 when it is divided by them."""
    sizes = np.abs(numbers)
    largest = sizes.max(axis=1, initial=0.0) if ends is None else _reduce_rows(np.maximum, sizes, ends)
    return np.asarray(np.frexp(largest)[1], dtype=np.int32)


def _divide_rows(numbers: Floats, ends: npt.NDArray[np.intp] | None, powers: Exponents) -> Floats:
    with np.errstate(under="ignore"):
        shifts = -powers[:, None] if ends is None else -np.repeat(powers, np.diff(ends))
        return np.asarray(np.ldexp(numbers, shifts))


def _squares(numbers: Floats, ends: npt.NDArray[np.intp] | None) -> Floats:
    """The squared norms of the rows."""
    if ends is None:
        return np.asarray(np.einsum("ij,ij->i", numbers, numbers))
    with np.errstate(under="ignore"):
        return _reduce_rows(np.add, np.square(numbers), ends)


def _reduce_rows(operation: np.ufunc, values: Floats, ends: npt.NDArray[np.intp]) -> Floats:
    """Sums or maxima of the stored numbers of each row; 0 for an empty row."""
    found = np.asarray(operation.reduceat(np.append(values, 0.0), ends[:-1]), dtype=np.float64)
    found[np.diff(ends) == 0] = 0.0
    return found
