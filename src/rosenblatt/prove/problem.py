"""The rows a_i = y_i (x_i, 1), twice: as floats for speed, as whole numbers for truth.

Columns are scaled by powers of two, so that the largest number of each is between 1/2 and 1: that is exact, but for
numbers that fall below 1e-308, and what is lost there is in the bound of the error. "Scaled" means in these columns.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..labels import encode
from ..rows import as_csr, as_rows, check_finite, is_sparse
from .exact import Whole, dot, primitive

Floats = npt.NDArray[np.float64]
EXACT_IN_A_FLOAT = 2**53


class Signs(NamedTuple):
    """The exact sign of each margin, and its size as a float relative to the size of its terms."""

    sign: npt.NDArray[np.int8]
    depth: Floats


class Problem:
    """Two classes of rows. `numbers` are the rows of X that take part, `classes` the negative and the positive one."""

    def __init__(self, X: Any, y: Any, fit_intercept: bool, classes: Any = None) -> None:
        matrix = _exact_floats(X)
        self.total_rows, self.columns = matrix.shape
        self.fit_intercept = bool(fit_intercept)
        self.classes, self.numbers, self.labels = _two_classes(y, self.total_rows, classes)
        self._X = matrix if len(self.numbers) == self.total_rows else matrix[self.numbers]
        self.rows = len(self.numbers)
        self.size = self.columns + self.fit_intercept
        self._exponents = _column_exponents(self._X)
        self._scaled = _scale(self._X, -self._exponents)
        self._sizes = abs(self._scaled)
        self._known: dict[int, Whole] = {}

    def zero_rows(self) -> npt.NDArray[np.bool_]:
        """Which rows are all 0: their margin is 0 whatever w is."""
        if self.fit_intercept:
            return np.zeros(self.rows, dtype=np.bool_)
        stored: npt.NDArray[np.bool_] = np.asarray((self._X != 0).sum(axis=1)).reshape(-1) > 0
        return ~stored

    def whole_row(self, row: int) -> Whole:
        """a_i in scaled columns times a power of two: whole numbers."""
        if row not in self._known:
            columns, values = self._stored(row)
            self._known[row] = self._whole(columns, values, int(self.labels[row]))[0]
        return self._known[row]

    def row_exponent(self, row: int) -> int:
        """e with a_i = 2^e whole_row(i), in scaled columns."""
        return self._whole(*self._stored(row), int(self.labels[row]))[1]

    def _stored(self, row: int) -> tuple[Any, Floats]:
        """The columns and values of the numbers of one row of X that are not 0."""
        if is_sparse(self._X):
            part = slice(self._X.indptr[row], self._X.indptr[row + 1])
            return self._X.indices[part], self._X.data[part]
        columns = np.flatnonzero(self._X[row])
        return columns, self._X[row, columns]

    def _whole(self, columns: Any, values: Floats, label: int) -> tuple[Whole, int]:
        terms = []
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            numerator, denominator = value.as_integer_ratio()
            terms.append((column, numerator, 1 - denominator.bit_length() - int(self._exponents[column])))
        if self.fit_intercept:
            terms.append((self.columns, 1, 0))
        lowest = min((exponent for _, _, exponent in terms), default=0)
        whole = [0] * self.size
        for column, numerator, exponent in terms:
            whole[column] = label * numerator << (exponent - lowest)
        return whole, lowest

    def signs(self, w: Whole) -> Signs:
        """The sign of a_i . w for every row: floats where their error cannot matter, exact arithmetic elsewhere."""
        if not any(w):
            return Signs(np.zeros(self.rows, dtype=np.int8), np.zeros(self.rows))
        direction = scaled_floats(w)
        value = self.labels * self._product(self._scaled, direction)
        size = self._product(self._sizes, np.abs(direction))
        error = 2 * (self.size + 4) * np.finfo(np.float64).eps * size + self.size * 2.0**-1000
        sign = np.where(np.abs(value) > error, np.sign(value), 0).astype(np.int8)
        unclear = np.flatnonzero(np.abs(value) <= error)
        self._settle(w, unclear, sign)
        return Signs(sign, np.divide(value, size, out=np.zeros(self.rows), where=size > 0))

    def _product(self, matrix: Any, direction: Floats) -> Floats:
        product = matrix @ direction[: self.columns]
        return np.asarray(product + direction[-1] if self.fit_intercept else product, dtype=np.float64)

    def _settle(self, w: Whole, rows: npt.NDArray[np.intp], sign: npt.NDArray[np.int8]) -> None:
        """Exact signs of some rows; equal rows are worked out once."""
        first, same = self._distinct(rows)
        values = [dot(self._whole(*self._stored(row), 1)[0], w) for row in first]
        settled = np.array([(value > 0) - (value < 0) for value in values], dtype=np.int8)
        sign[rows] = settled[same] * self.labels[rows].astype(np.int8)

    def in_span(self, normals: Sequence[Whole], rows: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Which of the rows are at right angles to every normal, that is, in the space the normals leave."""
        if not normals:
            return np.ones(len(rows), dtype=np.bool_)
        first, same = self._distinct(rows)
        whole = (self._whole(*self._stored(row), 1)[0] for row in first)
        inside = np.array([not any(dot(row, normal) for normal in normals) for row in whole], dtype=np.bool_)
        return inside[same]

    def _distinct(self, rows: npt.NDArray[np.intp]) -> tuple[list[int], npt.NDArray[np.intp]]:
        """One of each kind of equal rows of X, and for every row the place of its kind."""
        if is_sparse(self._X):
            parts = [self._stored(row) for row in rows.tolist()]
            keys = [columns.tobytes() + b"|" + values.tobytes() for columns, values in parts]
            places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
            same = np.array([places[key] for key in keys], dtype=np.intp)
            _, index = np.unique(same, return_index=True)
        else:
            taken = self._X[rows] + 0.0  # -0.0 and 0.0 alike
            _, index, same = np.unique(_as_bytes(taken), return_index=True, return_inverse=True)
        return rows[index].tolist(), same.reshape(-1)

    def unscaled(self, w: Sequence[int | Fraction]) -> list[Fraction]:
        """Scaled weights as weights of the columns of X; the offset stays last."""
        powers = [Fraction(2) ** -int(exponent) for exponent in self._exponents] + [Fraction(1)] * self.fit_intercept
        return [weight * power for weight, power in zip(w, powers, strict=True)]

    def scaled(self, weights: Sequence[Fraction]) -> Whole:
        """Weights of the columns of X, the offset last, in scaled columns and whole."""
        powers = [Fraction(2) ** int(exponent) for exponent in self._exponents] + [Fraction(1)] * self.fit_intercept
        return primitive([weight * power for weight, power in zip(weights, powers, strict=True)])


def scaled_floats(w: Whole) -> Floats:
    """The nearest floats of w times a power of two that brings the largest between 1/2 and 1.

    >>> scaled_floats([3, -10]).tolist(), scaled_floats([2**2000, 1]).tolist()
    ([0.1875, -0.625], [0.5, 0.0])
    """
    shift = max(abs(value) for value in w).bit_length()
    return np.array([value / (1 << shift) for value in w])


def _as_bytes(values: Floats) -> npt.NDArray[np.void]:
    """Each row as one value, to be compared as a whole."""
    return np.ascontiguousarray(values).view(np.dtype((np.void, values.itemsize * values.shape[1]))).reshape(-1)


def _exact_floats(X: Any) -> Any:
    """X as a float64 array or CSR matrix without rounding any number of it."""
    X = as_csr(X) if is_sparse(X) else np.asarray(X)
    check_finite(as_rows(X), X)
    values = X.data if is_sparse(X) else X
    converted = values.astype(np.float64)
    if values.dtype.kind in "iu" and values.size:
        same = max(-int(values.min()), int(values.max())) <= EXACT_IN_A_FLOAT
    else:
        same = bool((converted == values).all())
    if not same:
        raise ValueError(f"X has numbers of type {values.dtype} that no float64 equals: round or rescale them first.")
    if not is_sparse(X):
        return converted
    X = X.astype(np.float64, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def _two_classes(y: Any, rows: int, wanted: Any) -> tuple[list[Any], npt.NDArray[np.intp], Floats]:
    """The two classes, the rows that belong to them, and their labels -1 and 1."""
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y must have one dimension, not {y.ndim}.")
    if len(y) != rows:
        raise ValueError(f"X and y have inconsistent lengths: {rows} rows in X, {len(y)} labels in y.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"Row {int(np.flatnonzero(~np.isfinite(y))[0])} of y has no label: drop such rows first.")
    present, codes = encode(y)
    known = present.tolist()
    chosen = _chosen(known, wanted)
    numbers = np.flatnonzero(np.isin(codes, [known.index(label) for label in chosen]))
    return chosen, numbers, np.where(codes[numbers] == known.index(chosen[1]), 1.0, -1.0)


def _chosen(known: list[Any], wanted: Any) -> list[Any]:
    if wanted is None:
        if len(known) == 2:
            return known
        if len(known) < 2:
            raise ValueError(f"y must have two classes, but all its labels are {known}.")
        raise ValueError(
            f"y has {len(known)} classes, {known[:5]}: say which two with classes=(a, b), "
            "or pass y == a to set one class against the rest."
        )
    chosen = list(wanted)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise ValueError(f"classes must be two different labels, not {wanted!r}.")
    missing = [label for label in chosen if label not in known]
    if missing:
        raise ValueError(f"classes names {missing[0]!r}, which is not among the labels of y, {known[:5]}.")
    return [known[known.index(label)] for label in chosen]


def _column_exponents(X: Any) -> npt.NDArray[np.int64]:
    """For each column the e with 2^(e-1) <= its largest size < 2^e; 0 for a column of zeros."""
    largest = np.zeros(X.shape[1])
    if is_sparse(X):
        np.maximum.at(largest, X.indices, np.abs(X.data))
    elif X.size:
        largest = np.abs(X).max(axis=0)
    return np.frexp(largest)[1].astype(np.int64)


def _scale(X: Any, exponents: npt.NDArray[np.int64]) -> Any:
    with np.errstate(under="ignore"):
        if not is_sparse(X):
            return np.ldexp(X, exponents)
        scaled = X.copy()
        scaled.data = np.ldexp(X.data, exponents[X.indices])
        return scaled
