"""Sums of short whole numbers, which floats add without rounding: tables of zeros and ones, counts, categories.

Column j holds whole numbers below 2^e_j and is divided by 2^e_j. With e the largest e_j, every term of x . w is then a
multiple of 2^-e, and if the sizes of all w_j add up to less than 2^(53 - e), so is every sum of terms, in whatever
order, and floats hold it as it is.
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
    """Some rows of X, dense or CSR, with the exponents of its columns; `ones` says whether a constant 1 comes last.

    >>> rows = ShortIntegerRows(np.array([[3.0, 0.5], [0.0, 0.5]]), np.array([2, 0]), True)
    >>> rows.is_exact_for([4, 0, -3]), rows.is_exact_for([4, 1, -3]), rows.dot_products([[4, 0, -3]]).tolist()
    (True, False, [[0.0], [-3.0]])
    """

    def __init__(self, rows: Any, exponents: npt.NDArray[Any], ones: bool) -> None:
        self._rows, self._exponents, self._ones = rows, exponents, ones
        whole = _integer_columns(rows)
        self._others = np.flatnonzero(~whole).tolist()
        self._least = max(0, int(exponents[whole].max(initial=0)))

    def is_exact_for(self, w: IntVector) -> bool:
        """Whether floats add x . w without rounding for every row x."""
        return self._bound(w) < MAX_EXACT_SUM and not any(w[column] for column in self._others)

    def dot_products(self, ws: Sequence[IntVector]) -> Floats:
        """x . w for every row x and each w that it takes."""
        weights = np.array(ws, dtype=np.float64).T
        columns = np.ldexp(weights[: len(self._exponents)], -self._exponents[:, None])
        return np.asarray(self._rows @ columns) + (weights[-1] if self._ones else 0.0)

    def pack(self, ws: Sequence[IntVector]) -> list[IntVector]:
        """Fewer w that it takes, 0 on the same rows: each of several times more than those before it can add up to.

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
        """|x . w| is at most so many times the number that divides it."""
        return sum(map(abs, w)) << self._least


def _integer_columns(rows: Any) -> npt.NDArray[np.bool_]:
    if not is_sparse(rows):
        return np.asarray((rows == np.rint(rows)).all(axis=0))
    whole = np.ones(rows.shape[1], dtype=np.bool_)
    whole[rows.indices[rows.data != np.rint(rows.data)]] = False
    return whole
