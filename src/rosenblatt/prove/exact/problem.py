"""The side of a hyperplane that each row is on, exactly: floats decide only where their error cannot matter."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.types import Floats, Places
from .exact_matrix import rows_equal, scale_columns
from .limb_products import LimbMatrix, LimbWeights, SignedValues
from .linear_algebra import IntVector, dot
from .short_sums import ShortIntegerRows
from .two_class_rows import NUMBERS_PER_PASS, TwoClassRows

UNDERFLOW_LOSS = 2.0**-600  # more than all numbers too small for floats can lose
NUMBERS_PER_LIMB_BLOCK = 1 << 17  # numbers of rows that are worked out exactly together: as many as caches hold
MIN_ROWS_TO_DEDUPLICATE = 1000  # rows among which it pays to look for equal ones


class NonPositiveRows(NamedTuple):
    """Some rows, in order, with the exact signs of their margins, and the margins as floats."""

    rows: Places
    sign: npt.NDArray[np.int8]
    value: Floats


class ExactProblem(TwoClassRows):
    """Two classes of rows, and exact answers about their margins a_i . w for integer w in scaled columns."""

    _roundings = 0  # of each number of the view, in half units of its last place

    def nonpositive_rows(self, w: IntVector, known: npt.NDArray[np.bool_] | None = None) -> NonPositiveRows:
        """The rows with a_i . w <= 0, but for those known to have 0.

        Floats decide where their error cannot matter, exact arithmetic elsewhere.
        """
        if not any(w):
            rows = np.arange(self.rows) if known is None else np.flatnonzero(~known)
            return NonPositiveRows(rows, np.zeros(len(rows), dtype=np.int8), np.zeros(len(rows)))
        value, error = self.margins(w)
        rows = np.flatnonzero(value <= error)
        rows = rows if known is None else rows[~known[rows]]
        value = value[rows]
        sign = np.full(len(rows), -1, dtype=np.int8)
        unclear = np.flatnonzero(value >= -error)
        settled = self._exact_margins([w], rows[unclear])
        sign[unclear], value[unclear] = settled.sign[0], settled.value[0]
        stay = sign <= 0
        return NonPositiveRows(rows[stay], sign[stay], value[stay])

    def in_span(self, normals: Sequence[IntVector], rows: Places) -> npt.NDArray[np.bool_]:
        """Which of the rows are at right angles to every normal, that is, in the space the normals leave."""
        inside = np.ones(len(rows), dtype=np.bool_)
        if not normals:
            return inside
        long: dict[int, IntVector] = {}
        for part in self._parts(rows, NUMBERS_PER_PASS):
            short = self._short(rows[part])
            takes = [short is not None and short.is_exact_for(normal) for normal in normals]
            long.update((k, normal) for k, normal in enumerate(normals) if not takes[k])
            if short is not None and any(takes):
                packed = short.pack([normal for normal, taken in zip(normals, takes, strict=True) if taken])
                inside[part] = ~short.dot_products(packed).any(axis=1)
        if long:
            value, error = self.margins(_generic_combination(list(long.values())))
            inside &= np.abs(value[rows]) <= error
            inside[inside] = ~self._exact_margins(list(long.values()), rows[inside]).sign.any(axis=0)
        return inside

    def _short(self, rows: Places) -> ShortIntegerRows | None:
        """Some rows for sums without rounding, if they are taken as they are."""
        return (
            ShortIntegerRows(self._original_rows(rows), self._exponents, self.fit_intercept)
            if self._has_safe_exponents
            else None
        )

    def margins(self, w: IntVector) -> tuple[Floats, float]:
        """a_i . w of every row in floats, w times a power of two, and how far from the truth any of them can be."""
        direction = unit_floats(w)
        roundings = 2 * self.size + 8 + self._roundings
        error = roundings * np.finfo(np.float64).eps * float(np.abs(direction) @ self._reach)
        with np.errstate(under="ignore"):
            weights = np.ldexp(direction[: self.columns], -self._view_exponents)
        offset = direction[-1:] if self.fit_intercept else np.zeros(1)
        scores = _core.scores(self.view, weights.reshape(1, -1), offset, self.threads)[0].reshape(-1)
        scores *= self.labels
        return scores, error + self.size * UNDERFLOW_LOSS

    def _exact_margins(self, ws: Sequence[IntVector], rows: Places) -> SignedValues:
        """Exact signs of the margins of some rows for each w, and the margins as floats.

        Floats add short whole numbers without rounding; the others go by limbs.
        """
        sign, value = np.zeros((len(ws), len(rows)), dtype=np.int8), np.zeros((len(ws), len(rows)))
        for part in self._parts(rows, NUMBERS_PER_PASS):
            short = self._short(rows[part])
            if short is not None and all(map(short.is_exact_for, ws)):
                sums = short.dot_products(ws).T
                bits = [max(map(abs, w)).bit_length() for w in ws]
                sign[:, part], value[:, part] = np.sign(sums), np.ldexp(sums, -np.array(bits)[:, None])
            else:
                sign[:, part], value[:, part] = self._limb_margins(ws, rows[part])
        labels = self.labels[rows]
        return SignedValues(sign * labels.astype(np.int8), value * labels)

    def _limb_margins(self, ws: Sequence[IntVector], rows: Places) -> SignedValues:
        """The same, whatever the labels, for numbers of any kind."""
        used = [column for column in range(self.columns) if any(w[column] for w in ws)]
        first, same = self._distinct_rows(rows, used)
        sign, value = np.zeros((len(ws), len(first)), dtype=np.int8), np.zeros((len(ws), len(first)))
        weights = [LimbWeights([w[column] for column in used], w[-1] if self.fit_intercept else 0) for w in ws]
        for part in self._parts(first, NUMBERS_PER_LIMB_BLOCK):
            sign[:, part], value[:, part] = self._limb_margins_of_block(ws, weights, first[part], used)
        return SignedValues(sign[:, same], value[:, same])

    def _limb_margins_of_block(
        self, ws: Sequence[IntVector], weights: Sequence[LimbWeights], rows: Places, used: list[int]
    ) -> tuple[Any, Any]:
        """The same for few rows, of which only the columns in use matter."""
        taken, exponents = self._used(rows, used), self._exponents[used]
        scaled = scale_columns(taken, -exponents)
        precise = LimbMatrix(scaled)
        exact = [precise.dot(limbs) for limbs in weights]
        sign, value = np.array([found.sign for found in exact]), np.array([found.value for found in exact])
        for place in np.flatnonzero(~(precise.fits & rows_equal(scale_columns(scaled, exponents), taken))):
            whole = self._to_integers(self._exact_entries(rows[place]), 1)[0]
            products = [dot(whole, w) for w in ws]
            sign[:, place] = [(product > 0) - (product < 0) for product in products]
        return sign, value

    def _used(self, rows: Places, used: list[int]) -> Any:
        taken = self._original_rows(rows)
        return taken if len(used) == self.columns else taken[:, used]

    def _distinct_rows(self, rows: Places, used: list[int]) -> tuple[Places, Places]:
        """Rows one of each kind in the columns in use, as far as equal ones stand together when sorted, and the place
        of each row's."""
        if len(rows) < MIN_ROWS_TO_DEDUPLICATE:
            return rows, np.arange(len(rows))
        mixed = np.random.default_rng(0).uniform(1.0, 2.0, len(used))
        taken = self._used(rows, used)
        with np.errstate(over="ignore", under="ignore"):
            order = np.argsort(taken @ np.ldexp(mixed, -self._exponents[used]), kind="stable")
        taken = taken[order]
        new = np.append(True, ~rows_equal(taken[1:], taken[:-1]))
        same = np.empty(len(rows), dtype=np.intp)
        same[order] = np.cumsum(new) - 1
        return rows[order[new]], same


def _generic_combination(vectors: Sequence[IntVector]) -> IntVector:
    """A combination that is 0 for few rows but those at right angles to all of the vectors."""
    shares = [7 + 3 * k * k for k in range(len(vectors))]
    return [
        sum(share * value for share, value in zip(shares, column, strict=True)) for column in zip(*vectors, strict=True)
    ]


def unit_floats(w: IntVector) -> Floats:
    """The nearest floats of w times a power of two that brings the largest between 1/2 and 1.

    >>> unit_floats([3, -10]).tolist(), unit_floats([2**2000, 1]).tolist()
    ([0.1875, -0.625], [0.5, 0.0])
    """
    shift = max(abs(value) for value in w).bit_length()
    return np.array([value / (1 << shift) for value in w])
