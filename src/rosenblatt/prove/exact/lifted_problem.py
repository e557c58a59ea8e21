"""Two classes of rows, lifted to products of columns, every product without rounding.

Passes over all rows use lifted rows in floats, and the error bound counts their rounding. Exact arithmetic multiplies
the floats of X as fractions. If the numbers of X have few bits (counts, float32, short binary fractions), the products
are floats too, and limbs add them.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.matrices import as_rows, is_sparse
from ...foundation.types import Places
from ...parts.features import Identity, Polynomial, as_features
from .exact_matrix import scale_columns
from .limb_products import SignedValues
from .linear_algebra import IntVector, dot
from .problem import ExactProblem
from .row_blocks import NUMBERS_PER_BLOCK, row_blocks
from .two_class_rows import MAX_UNSCALED_EXPONENT, DyadicEntry

FLOAT_BITS = 53
MAX_SAFE_EXPONENT = 900  # of products, so that they neither overflow nor lose bits


def make_problem(X: Any, y: Any, fit_intercept: bool, classes: Any, features: object) -> ExactProblem:
    """The exact problem of separating rows in the space of the features."""
    part = as_features(features)
    if isinstance(part, Identity):
        return ExactProblem(X, y, fit_intercept, classes)
    if not isinstance(part, Polynomial):
        raise ValueError(
            f"Whether {part} separates cannot be decided exactly: cosines are no fractions. Ask about the floats that "
            "training sees instead: separability(features.transform(X), y)."
        )
    return LiftedProblem(X, y, fit_intercept, classes, part)


class LiftedProblem(ExactProblem):
    """A problem whose rows are all products of up to `degree` columns of X."""

    def __init__(self, X: Any, y: Any, fit_intercept: bool, classes: Any, features: Polynomial) -> None:
        self.features: Polynomial = features
        self.degree = int(features.degree)
        self._roundings = 2 * self.degree
        super().__init__(X, y, fit_intercept, classes)

    def _measure_columns(self, rows: _core.Rows) -> None:
        super()._measure_columns(rows)
        self.columns = self.features.columns(self.inputs)
        self.size = self.columns + self.fit_intercept
        self._starts = monomial_starts(self.inputs, self.degree)
        own = self._exponents.astype(np.int64)
        self.view = self.features.lifted(as_rows(scale_columns(self._X, -self._exponents)))
        reach, exponents = np.frexp(self.view.largest(self.threads))
        self._view_exponents = np.maximum(exponents, -MAX_UNSCALED_EXPONENT)
        self._reach = np.append(np.ldexp(reach, exponents - self._view_exponents), 1.0)[: self.size]
        self._exponents = monomial_sums(own, self.degree) + self._view_exponents
        self._exact = products_are_exact(self._X, self.degree)
        self._has_safe_exponents = self._exact and bool((np.abs(self._exponents) <= MAX_UNSCALED_EXPONENT).all())

    def _scaled_floats(self, rows: Sequence[int]) -> Any:
        return scale_columns(self._write_out(self.view, rows), -self._view_exponents)

    def _original_rows(self, rows: Places) -> Any:
        return self.features.transform(self._X[rows])

    def _write_out(self, view: _core.Rows, rows: Sequence[int]) -> Any:
        written = view.written_out(np.asarray(rows, dtype=np.int64))
        if not isinstance(written, tuple):
            return written
        from scipy.sparse import csr_matrix

        return csr_matrix(written, shape=(len(rows), self.columns))

    def _exact_entries(self, row: int) -> list[DyadicEntry]:
        return monomials(super()._exact_entries(row), self.degree, self._starts)

    def simplify_weights(self, weights: list[Fraction]) -> list[Fraction]:
        """Move the weights of powers of 0-1 columns to the first power, which is the same column."""
        flags = _binary_columns(self._X)
        places = {term: place for place, term in enumerate(self.features.terms(range(self.inputs)))}
        plain = list(weights)
        for term, place in places.items():
            lowest = tuple(
                column for k, column in enumerate(term) if not (flags[column] and k and term[k - 1] == column)
            )
            if lowest != term and plain[place]:
                plain[places[lowest]] += plain[place]
                plain[place] = Fraction(0)
        return plain

    def _exact_margins(self, ws: Sequence[IntVector], rows: Places) -> SignedValues:
        if self._exact:
            return super()._exact_margins(ws, rows)
        sign, value = np.zeros((len(ws), len(rows)), dtype=np.int8), np.zeros((len(ws), len(rows)))
        sizes = [max(map(abs, w)).bit_length() for w in ws]
        for place, row in enumerate(rows.tolist()):
            whole, exponent = self._to_integers(self._exact_entries(row), int(self.labels[row]))
            for k, w in enumerate(ws):
                total = dot(whole, w)
                sign[k, place] = (total > 0) - (total < 0)
                value[k, place] = _to_float(total, exponent - sizes[k])
        return SignedValues(sign, value)


def _binary_columns(X: Any) -> list[bool]:
    """For each column, whether it contains only 0 and 1."""
    if not is_sparse(X):
        return [bool(flag) for flag in ((X == 0) | (X == 1)).all(axis=0)]
    others = set(X.indices[X.data != 1].tolist())  # no stored number is 0
    return [column not in others for column in range(X.shape[1])]


def monomials(factors: Sequence[DyadicEntry], degree: int, begin: list[list[int]]) -> list[DyadicEntry]:
    """All products of up to `degree` numbers of a row, in the order of the lifted columns.

    >>> row = [DyadicEntry(0, 3, 0), DyadicEntry(2, 5, -1)]
    >>> [(term.column, term.factor, term.exponent) for term in monomials(row, 2, monomial_starts(3, 2))]
    [(0, 3, 0), (2, 5, -1), (3, 9, 0), (5, 15, -1), (8, 25, -2)]
    """
    found, first = list(factors), list(range(len(factors)))
    for d in range(2, degree + 1):
        end = len(found)
        for k, (column, factor, exponent) in enumerate(factors):
            before, first[k] = found[first[k] : end], len(found)
            shift = begin[d][column] - begin[d - 1][column]
            found += [
                DyadicEntry(term.column + shift, factor * term.factor, exponent + term.exponent) for term in before
            ]
    return found


def monomial_starts(inputs: int, degree: int) -> list[list[int]]:
    """For each degree and column, the first monomial whose first factor is that column or a later one.

    >>> monomial_starts(3, 2)[1:]
    [[0, 1, 2, 3], [3, 6, 8, 9]]
    """
    found: list[list[int]] = [[]]  # nothing is of degree 0
    after, place = [1] * inputs + [0], 0
    for _ in range(degree):
        line = []
        for count in after:
            line.append(place)
            place += count
        found.append(line)
        for i in reversed(range(inputs)):
            after[i] += after[i + 1]
    return found


def monomial_sums(own: npt.NDArray[np.int64], degree: int) -> npt.NDArray[np.int64]:
    """For each monomial, the sum of one number per column over its factors.

    >>> monomial_sums(np.array([1, 10]), 2).tolist()
    [1, 10, 2, 11, 20]
    """
    blocks, begin = [own], monomial_starts(len(own), degree)
    for d in range(2, degree + 1):
        last, offset = blocks[-1], begin[d - 1][0]
        blocks.append(np.concatenate([value + last[begin[d - 1][i] - offset :] for i, value in enumerate(own)]))
    return np.concatenate(blocks)


def products_are_exact(X: Any, degree: int) -> bool:
    """Whether floats hold every product of `degree` numbers of X without rounding.

    >>> products_are_exact(np.array([[3.0, 0.25]]), 3), products_are_exact(np.array([[0.1]]), 2)
    (True, False)
    """
    numbers = X.data if is_sparse(X) else X.ravel()
    most, far = 0, 0
    for part in row_blocks(len(numbers), NUMBERS_PER_BLOCK):
        fractions, exponents = np.frexp(numbers[part].astype(np.float64))
        whole = np.abs(np.ldexp(fractions, FLOAT_BITS)).astype(np.int64)
        lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1
        most = max(most, int((FLOAT_BITS - lowest[whole != 0]).max(initial=0)))
        far = max(far, int(np.abs(exponents).max(initial=0)))
    return degree * most <= FLOAT_BITS and degree * far < MAX_SAFE_EXPONENT


def _to_float(integer: int, exponent: int) -> float:
    """integer * 2^exponent as a float, at most 1e300 in size."""
    size = integer.bit_length()
    short = integer >> (size - 64) if size > 64 else integer
    with np.errstate(over="ignore", under="ignore"):
        return float(np.clip(np.ldexp(float(short), exponent + max(0, size - 64)), -1e300, 1e300))
