"""Many dot products at once, without rounding: numbers in limbs of 21 bits.

A float is a sum of limbs, whole numbers below 2^21 times powers of 2^21, and so is a whole number of any size. The
product of two limbs is below 2^42, and 2^11 such products add up to less than 2^53: a matrix product in floats makes
no error. What is left is to carry.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import is_sparse
from ...foundation.types import Floats
from .linear_algebra import IntVector

Limbs = npt.NDArray[np.int64]

LIMB_BITS = 21
MAX_TERMS = 2 ** (53 - 2 * LIMB_BITS)
MAX_LIMBS = 8  # limbs of a float: 168 bits reach from 1 to 2^-115 with all 53 bits


class SignedValues(NamedTuple):
    """Exact signs, and the sums they belong to as floats."""

    sign: npt.NDArray[np.int8]
    value: Floats


class LimbWeights:
    """Whole numbers for the columns, and a constant that is added, cut into limbs."""

    def __init__(self, w: IntVector, constant: int = 0) -> None:
        self.bits = max(1, *(abs(value).bit_length() for value in (*w, constant)))
        self.width = self.bits // LIMB_BITS + 1
        self.constant = np.array(_split_into_limbs(constant, self.width), dtype=np.int64)
        limbs = [_split_into_limbs(value, self.width) for value in w]
        self.limbs = np.array(limbs, dtype=np.float64).reshape(len(w), self.width)


class LimbMatrix:
    """A dense array or CSR matrix of floats below 1 in size, ready for exact dot products.

    `fits` says for which rows: a row has its place here unless it mixes numbers near 1 with very small ones.

    >>> rows = LimbMatrix(np.array([[0.1, 0.2, -0.3], [0.5, 0.25, -0.75]]))
    >>> rows.dot(LimbWeights([1, 1, 1])).sign.tolist(), np.array([0.1 + 0.2 - 0.3, 0.0]).tolist()
    ([1, 0], [5.551115123125783e-17, 0.0])
    """

    def __init__(self, matrix: Any) -> None:
        self._parts: list[Any] = []
        rest = matrix
        while len(self._parts) < MAX_LIMBS and _stored_numbers(rest).any():
            raised = _stored_numbers(rest) * 2.0**LIMB_BITS
            whole = np.trunc(raised)
            self._parts.append(_replace_numbers(matrix, whole))
            rest = _replace_numbers(matrix, raised - whole)
        self._count, self._columns = matrix.shape
        self.fits: npt.NDArray[np.bool_] = np.asarray(abs(rest).sum(axis=1)).reshape(-1) == 0

    def dot(self, w: LimbWeights) -> SignedValues:
        """The signs of x . w + constant for every row x, right where the row fits."""
        depth = len(self._parts)
        sums = np.zeros((depth + w.width + 2, self._count), dtype=np.int64)  # the last two hold what is carried
        sums[depth : depth + w.width] = w.constant[:, None]
        _carry(sums)
        for first in range(0, self._columns, MAX_TERMS):
            columns = slice(first, first + MAX_TERMS)
            for a, part in enumerate(self._parts, 1):
                part = part if self._columns <= MAX_TERMS else part[:, columns]
                sums[depth - a : depth - a + w.width] += (part @ w.limbs[columns]).T.astype(np.int64)
            _carry(sums)
        sign = np.where(sums[-1] < 0, -1, sums.any(axis=0)).astype(np.int8)
        sums *= sign
        _carry(sums)
        powers = LIMB_BITS * (np.arange(len(sums)) - depth) - w.bits
        with np.errstate(under="ignore"):
            value = sign * np.ldexp(sums.astype(np.float64), powers[:, None]).sum(axis=0)
        return SignedValues(sign, value)


def _stored_numbers(matrix: Any) -> Any:
    return matrix.data if is_sparse(matrix) else matrix


def _replace_numbers(matrix: Any, numbers: Floats) -> Any:
    """A matrix with other numbers in the same places."""
    if not is_sparse(matrix):
        return numbers
    return type(matrix)((numbers, matrix.indices, matrix.indptr), shape=matrix.shape)


def _split_into_limbs(value: int, width: int) -> list[int]:
    """
    >>> _split_into_limbs(-(2**21) - 5, 3)
    [-5, -1, 0]
    """
    sign, size = (-1, -value) if value < 0 else (1, value)
    return [sign * (size >> (LIMB_BITS * place) & (2**LIMB_BITS - 1)) for place in range(width)]


def _carry(sums: Limbs) -> None:
    """Bring every limb but the last between 0 and 2^21, the last has the sign."""
    for place in range(len(sums) - 1):
        sums[place + 1] += sums[place] >> LIMB_BITS
        sums[place] &= 2**LIMB_BITS - 1
