"""Exact dot products of many rows at once, with numbers cut into limbs of 21 bits.

A float is a sum of limbs: integers below 2^21 times powers of 2^21. So is an integer of any size. The product of two
limbs is below 2^42, and 2^11 such products sum to less than 2^53, so a matrix product of limbs in floats is exact. Then
carries are propagated.
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
    """Exact signs of sums, and the sums as floats."""

    sign: npt.NDArray[np.int8]
    value: Floats


class LimbWeights:
    """Integer weights of the columns, and a constant, cut into limbs."""

    def __init__(self, w: IntVector, constant: int = 0) -> None:
        self.bits = max(abs(value).bit_length() for value in (*w, constant))
        self.width = self.bits // LIMB_BITS + 1
        self.constant = np.array(_split_into_limbs(constant, self.width), dtype=np.int64)
        limbs = [_split_into_limbs(value, self.width) for value in w]
        self.limbs = np.array(limbs, dtype=np.float64).reshape(len(w), self.width)


class LimbMatrix:
    """A dense array or CSR matrix of floats below 1 in size, cut into limbs for exact dot products.

    `fits` is a mask of the rows whose dot products are exact. Rows that mix numbers near 1 with very small ones are
    not.

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
        self.fits: npt.NDArray[np.bool_] = np.asarray(abs(rest).sum(axis=1)).ravel() == 0

    def dot(self, w: LimbWeights) -> SignedValues:
        """x . w + constant for every row x. The signs are exact for the rows that fit."""
        depth = len(self._parts)
        sums = np.zeros((depth + w.width + 2, self._count), dtype=np.int64)  # the last two hold carries
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
    """A matrix with new numbers in the same places."""
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
    """Bring every limb except the last between 0 and 2^21. The last one keeps the sign."""
    for place in range(len(sums) - 1):
        sums[place + 1] += sums[place] >> LIMB_BITS
        sums[place] &= 2**LIMB_BITS - 1
