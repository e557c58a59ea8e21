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

UNDERFLOW_LOSS = 1e-180  # more than all underflows of a dot product add up to
NUMBERS_PER_LIMB_BLOCK = 131_072  # as many as the caches hold
MIN_ROWS_TO_DEDUPLICATE = 1000  # with fewer rows the search for equal ones costs more than it saves


class NonPositiveRows(NamedTuple):
    """Rows whose margin is at most 0, in order, with the exact signs of the margins and the margins as floats."""

    rows: Places
    sign: npt.NDArray[np.int8]
    value: Floats


class ExactProblem(TwoClassRows):
    """Two classes of rows, and exact answers about their margins a_i . w for integer w in scaled columns."""

    _roundings = 0  # of each number of the view, in half units of its last place

    def nonpositive_rows(self, w: IntVector, known: npt.NDArray[np.bool_] | None = None) -> NonPositiveRows:
        """The rows with a_i . w <= 0, except those in `known`, whose margin is known to be 0."""
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

    def part(self, rows: Places, columns: Places) -> "ExactProblem":
        """The problem of some rows, of both classes, in some columns."""
        return ExactProblem(self._X[rows][:, columns], self.labels[rows], self.fit_intercept)

    def in_span(self, normals: Sequence[IntVector], rows: Places) -> npt.NDArray[np.bool_]:
        """A mask of the rows that are orthogonal to every normal."""
        inside = np.ones(len(rows), dtype=np.bool_)
        long: dict[int, IntVector] = {}
        for part in self._parts(rows, NUMBERS_PER_PASS):
            short = self._short_rows(rows[part])
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

    def _short_rows(self, rows: Places) -> ShortIntegerRows | None:
        """Some rows for exact sums in floats; None if the columns must be scaled first."""
        return (
            ShortIntegerRows(self._original_rows(rows), self._exponents, self.fit_intercept)
            if self._has_safe_exponents
            else None
        )

    def margins(self, w: IntVector) -> tuple[Floats, float]:
        """a_i . w of every row in floats, for w times a power of two, and a bound on their errors."""
        direction = unit_floats(w)
        roundings = 2 * self.size + 8 + self._roundings
        error = roundings * np.finfo(np.float64).eps * float(np.abs(direction) @ self._reach)
        with np.errstate(under="ignore"):
            weights = np.ldexp(direction[: self.columns], -self._view_exponents)
        offset = direction[-1:] if self.fit_intercept else np.zeros(1)
        scores = _core.scores(self.view, weights[None, :], offset, self.threads)[0].ravel()
        scores *= self.labels
        return scores, error + self.size * UNDERFLOW_LOSS

    def _exact_margins(self, ws: Sequence[IntVector], rows: Places) -> SignedValues:
        """Exact signs of the margins of some rows for each w, and the margins as floats.

        Floats add short integers without rounding. Other numbers are multiplied in limbs.
        """
        sign, value = np.zeros((len(ws), len(rows)), dtype=np.int8), np.zeros((len(ws), len(rows)))
        for part in self._parts(rows, NUMBERS_PER_PASS):
            short = self._short_rows(rows[part])
            if short is not None and all(map(short.is_exact_for, ws)):
                sums = short.dot_products(ws).T
                bits = [max(map(abs, w)).bit_length() for w in ws]
                sign[:, part], value[:, part] = np.sign(sums), np.ldexp(sums, -np.array(bits)[:, None])
            else:
                sign[:, part], value[:, part] = self._limb_margins(ws, rows[part])
        labels = self.labels[rows]
        return SignedValues(sign * labels.astype(np.int8), value * labels)

    def _limb_margins(self, ws: Sequence[IntVector], rows: Places) -> SignedValues:
        """Exact margins without the labels, for numbers of any size. Equal rows are multiplied once."""
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
        """Exact margins of a few rows, from the columns in which some w is not 0."""
        original, exponents = self._select_columns(rows, used), self._exponents[used]
        scaled = scale_columns(original, -exponents)
        limb_matrix = LimbMatrix(scaled)
        exact = [limb_matrix.dot(limbs) for limbs in weights]
        sign, value = np.array([found.sign for found in exact]), np.array([found.value for found in exact])
        for place in np.flatnonzero(~(limb_matrix.fits & rows_equal(scale_columns(scaled, exponents), original))):
            integers = self._to_integers(self._exact_entries(rows[place]), 1)[0]
            products = [dot(integers, w) for w in ws]
            sign[:, place] = [(product > 0) - (product < 0) for product in products]
        return sign, value

    def _select_columns(self, rows: Places, used: list[int]) -> Any:
        original = self._original_rows(rows)
        return original if len(used) == self.columns else original[:, used]

    def _distinct_rows(self, rows: Places, used: list[int]) -> tuple[Places, Places]:
        """One row of each group that is equal in the used columns, and the group of each row.

        Rows are sorted by a random projection, and equal neighbours form a group. Equal rows that are not neighbours
        are in different groups, which costs time only.
        """
        if len(rows) < MIN_ROWS_TO_DEDUPLICATE:
            return rows, np.arange(len(rows))
        projection = np.random.default_rng(0).random(len(used))
        chosen = self._select_columns(rows, used)
        with np.errstate(over="ignore", under="ignore"):
            order = np.argsort(chosen @ np.ldexp(projection, -self._exponents[used]), kind="stable")
        chosen = chosen[order]
        new = np.append(True, ~rows_equal(chosen[1:], chosen[:-1]))
        same = np.empty(len(rows), dtype=np.intp)
        same[order] = np.cumsum(new) - 1
        return rows[order[new]], same


def _generic_combination(vectors: Sequence[IntVector]) -> IntVector:
    """A combination of the vectors that few rows are orthogonal to, except those orthogonal to every vector."""
    shares = [7 + 3 * k * k for k in range(len(vectors))]
    return [
        sum(share * value for share, value in zip(shares, column, strict=True)) for column in zip(*vectors, strict=True)
    ]


def unit_floats(w: IntVector) -> Floats:
    """w as floats, times a power of two that brings the largest between 1/2 and 1.

    >>> unit_floats([3, -10]).tolist(), unit_floats([2**2000, 1]).tolist()
    ([0.1875, -0.625], [0.5, 0.0])
    """
    shift = max(abs(value) for value in w).bit_length()
    return np.array([value / (1 << shift) for value in w])
