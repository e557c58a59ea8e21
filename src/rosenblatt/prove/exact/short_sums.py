"""Dot products of short integers, which floats add without rounding: tables of zeros and ones, counts, categories.

Column j holds integers below 2^e_j and is divided by 2^e_j. Let e be the largest e_j. Then every term of x . w is a
multiple of 2^-e. If the sum of all |w_j| is below 2^(53 - e), every partial sum, in any order, is a float.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import is_sparse
from ...foundation.types import Floats
from .linear_algebra import IntVector

MAX_EXACT_SUM = 1 << 53


class ShortIntegerRows:
    """Rows of X, dense or CSR, with the exponents of their columns; `ones` says whether a constant 1 comes last.

    >>> rows = ShortIntegerRows(np.array([[3.0, 0.5], [0.0, 0.5]]), np.array([2, 0]), True)
    >>> rows.is_exact_for([4, 0, -3]), rows.is_exact_for([4, 1, -3]), rows.dot_products([[4, 0, -3]]).tolist()
    (True, False, [[0.0], [-3.0]])
    """

    def __init__(self, rows: Any, exponents: npt.NDArray[Any], ones: bool) -> None:
        self._rows, self._exponents, self._ones = rows, exponents, ones
        whole = _integer_columns(rows)
        self._others = np.flatnonzero(~whole).tolist()
        self._least = int(exponents[whole].max(initial=0))

    def is_exact_for(self, w: IntVector) -> bool:
        """Whether floats add x . w without rounding for every row x."""
        return self._bound(w) < MAX_EXACT_SUM and not any(w[column] for column in self._others)

    def dot_products(self, ws: Sequence[IntVector]) -> Floats:
        """x . w for every row x and every w for which sums are exact."""
        weights = np.array(ws, dtype=np.float64).T
        columns = np.ldexp(weights[: len(self._exponents)], -self._exponents[:, None])
        return np.asarray(self._rows @ columns) + (weights[-1] if self._ones else 0.0)

    def pack(self, ws: Sequence[IntVector]) -> list[IntVector]:
        """Fewer w with exact sums that are all 0 on the same rows.

        Each packed w is a sum of several w, each multiplied by more than the earlier ones can add up to.

        >>> ShortIntegerRows(np.array([[1.0, 1.0]]), np.array([1, 1]), False).pack([[1, -1], [1, 0], [0, 3]])
        [[9, 95]]
        """
        packs: list[IntVector] = []
        for w in ws:
            shift = self._bound(packs[-1]).bit_length() if packs else 0
            more = [low + (high << shift) for low, high in zip(packs[-1], w, strict=True)] if packs else w
            if packs and self._bound(packs[-1]) + (self._bound(w) << shift) < MAX_EXACT_SUM:
                packs[-1] = more
            else:
                packs.append(w)
        return packs

    def _bound(self, w: IntVector) -> int:
        """A bound on |x . w|, in multiples of 2^-e."""
        return sum(map(abs, w)) << self._least


def _integer_columns(rows: Any) -> npt.NDArray[np.bool_]:
    if not is_sparse(rows):
        return np.asarray((rows == np.rint(rows)).all(axis=0))
    whole = np.ones(rows.shape[1], dtype=np.bool_)
    whole[rows.indices[rows.data != np.rint(rows.data)]] = False
    return whole
