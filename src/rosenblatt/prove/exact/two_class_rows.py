"""The rows a_i = y_i (x_i, 1) of two classes, twice: as floats for speed, as integers for exact arithmetic.

"Scaled" means that each column is multiplied by a power of two that brings its largest number between 1/2 and 1. A pass
over all rows reads them unscaled, with weights scaled the other way. That is the same, except that numbers below 1e-308
are lost, and the error bound counts this loss.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.matrices import as_rows, check_finite, is_sparse
from ...foundation.threads import threads_for
from ...foundation.types import Floats, Places
from ...parts.features import IDENTITY, Features
from ..certificates.fingerprint import fingerprint
from .exact_matrix import as_exact_floats, column_names, row_bytes, scale_columns
from .linear_algebra import IntVector, primitive_vector
from .row_blocks import row_blocks, rows_per_block
from .two_classes import TwoClassLabels, select_two_classes

MAX_UNSCALED_EXPONENT = 400  # columns with larger numbers, or all below 2^-400, are scaled before they are multiplied
ROWS_PER_LOOK = 4096  # at their signs
NUMBERS_PER_PASS = 4_000_000  # that a pass over rows reads at once


class DyadicEntry(NamedTuple):
    """A number of a row: factor * 2^exponent, exactly."""

    column: int
    factor: int
    exponent: int


class SignedEntries(NamedTuple):
    """Nonzero numbers of the rows a_i: their places, their signs, and exponents f with 2^f <= |a_ij| when scaled."""

    rows: Places
    columns: Places
    signs: npt.NDArray[np.int8]
    floors: npt.NDArray[np.int32]


class TwoClassRows:
    """Two classes of rows. `numbers` are the rows of X that take part, `classes` the negative and the positive one.

    Passes over all rows read `view`: X itself, or X scaled if its numbers are too large or too small to multiply.
    `inputs` is the number of columns of X, `columns` that of the rows, which may be lifted (`lifted_problem.py`), and
    `size` counts the offset too.

    `y` may be labels that are already selected. Rows that are a part of larger data take the `largest` absolute value
    of each column from these, so that all parts are scaled alike.
    """

    features: Features = IDENTITY

    def __init__(self, X: Any, y: Any, fit_intercept: bool, classes: Any = None, largest: Floats | None = None) -> None:
        self.names = column_names(X)
        matrix = as_exact_floats(X)
        self.total_rows, self.inputs = matrix.shape
        self.fit_intercept = bool(fit_intercept)
        selected = y if isinstance(y, TwoClassLabels) else select_two_classes(y, self.total_rows, classes)
        self.classes, self.numbers, self.labels = selected
        self._given_largest = largest
        self.rows = len(self.numbers)
        if self.rows < self.total_rows:
            check_finite(as_rows(matrix), matrix)
            matrix = matrix[self.numbers]
        self._X, self._cache = matrix, dict[int, tuple[IntVector, int]]()
        self._measure_columns(as_rows(matrix))

    def _measure_columns(self, rows: _core.Rows) -> None:
        """Find the largest number of each column, the exponents that scale the columns, and the view."""
        self.view, self.threads = rows, threads_for(rows, None)
        largest = self._largest()
        self.columns, self.size = self.inputs, self.inputs + self.fit_intercept
        reach, self._exponents = np.frexp(largest)
        self._reach = np.append(reach, 1.0)[: self.size]
        self._has_safe_exponents = bool((np.abs(self._exponents) <= MAX_UNSCALED_EXPONENT).all())
        self._view_exponents = self._exponents
        if not self._has_safe_exponents:
            self.view = as_rows(scale_columns(self._X, -self._exponents))
            self._view_exponents = np.zeros_like(self._exponents)

    def _largest(self) -> Floats:
        """The largest absolute value in each column of X. Numbers that are not finite are refused."""
        if self._given_largest is not None:
            return self._given_largest
        largest = self.view.largest(self.threads)
        if not np.isfinite(largest).all():
            check_finite(self.view, self._X, numbers=self.numbers)
        return largest

    def fingerprint(self) -> str:
        """The SHA-256 of the rows that take part (see `rosenblatt.prove.certificates.fingerprint`)."""
        return fingerprint(self._X, self.labels == 1)

    def zero_rows(self) -> npt.NDArray[np.bool_]:
        """A mask of the rows that are all 0. Their margin is 0 for every w."""
        if self.fit_intercept:
            return np.zeros(self.rows, dtype=np.bool_)
        parts = [self._X[part] for part in self._parts(self.numbers, NUMBERS_PER_PASS)]
        stored = [np.asarray((part != 0).sum(axis=1)).ravel() > 0 for part in parts]
        return ~np.concatenate(stored)

    def has_one_sided_columns(self) -> bool:
        """Whether a column, or the offset, has numbers of one sign only in the rows a_i. Reads no more than it must."""
        above, below = np.zeros((2, self.columns), dtype=np.bool_)
        for part in row_blocks(self.rows, ROWS_PER_LOOK):
            seen, positive = self._X[part], self.labels[part] == 1
            for rows, own, other in ((seen[positive], above, below), (seen[~positive], below, above)):
                own |= np.asarray((rows > 0).sum(axis=0)).ravel() > 0
                other |= np.asarray((rows < 0).sum(axis=0)).ravel() > 0
            if (above & below).all():
                break
        return bool((above != below).any()) or (self.fit_intercept and len(np.unique(self.labels)) < 2)

    def signed_entries(self) -> SignedEntries:
        """The nonzero numbers of the rows a_i, the offset's included."""
        if is_sparse(self._X):
            rows, columns = np.repeat(np.arange(self.rows), np.diff(self._X.indptr)), self._X.indices.astype(np.intp)
            values = self._X.data
        else:
            rows, columns = np.nonzero(self._X)
            values = self._X[rows, columns]
        signs = np.sign(values).astype(np.int8) * self.labels[rows].astype(np.int8)
        found = SignedEntries(rows, columns, signs, np.frexp(values)[1] - 1 - self._exponents[columns])
        if not self.fit_intercept:
            return found
        every = np.arange(self.rows)
        return SignedEntries(
            np.append(found.rows, every),
            np.append(found.columns, np.full_like(every, self.columns)),
            np.append(found.signs, self.labels.astype(np.int8)),
            np.append(found.floors, np.zeros(self.rows, dtype=np.int32)),
        )

    def row_groups(self) -> Places:
        """A group number for each row. Equal rows of X have the same number, whatever their labels."""
        numbers: dict[bytes, int] = {}
        return np.array([numbers.setdefault(row, len(numbers)) for row in row_bytes(self._X)], dtype=np.intp)

    def floats(self, rows: Sequence[int]) -> Floats:
        """Some rows a_i as floats, in scaled columns."""
        part = self._scaled_floats(rows)
        part = part.toarray() if is_sparse(part) else part
        ones = np.ones((len(part), int(self.fit_intercept)))
        return np.asarray(self.labels[rows][:, None] * np.hstack([part, ones]))

    def _scaled_floats(self, rows: Sequence[int]) -> Any:
        return scale_columns(self._X[rows], -self._exponents)

    def sparse_floats(self) -> Any:
        """All rows a_i as a CSR matrix of floats, in scaled columns."""
        from scipy import sparse

        scaled = sparse.csr_matrix(scale_columns(self._X, -self._exponents))
        ones = sparse.csr_matrix(np.ones((self.rows, int(self.fit_intercept))))
        return sparse.diags(self.labels) @ sparse.hstack([scaled, ones], format="csr")

    def places(self, numbers: Sequence[int]) -> list[int] | None:
        """The positions of rows of X among the rows that take part; None if one of them does not."""
        wanted = np.array([number if 0 <= number < self.total_rows else -1 for number in numbers], dtype=np.intp)
        found = np.searchsorted(self.numbers, wanted)
        return found.tolist() if (self.numbers.take(found, mode="clip") == wanted).all() else None

    def integer_row(self, row: int) -> IntVector:
        """a_i in scaled columns, times a power of two that makes all its numbers integers."""
        return self._integers_and_exponent(row)[0]

    def row_exponent(self, row: int) -> int:
        """The exponent e with a_i = 2^e integer_row(i), in scaled columns."""
        return self._integers_and_exponent(row)[1]

    def _integers_and_exponent(self, row: int) -> tuple[IntVector, int]:
        if row not in self._cache:
            self._cache[row] = self._to_integers(self._exact_entries(row), int(self.labels[row]))
        return self._cache[row]

    def _nonzero_entries(self, row: int) -> tuple[Any, Floats]:
        """The columns and values of the nonzero numbers in one row of X."""
        if is_sparse(self._X):
            part = slice(self._X.indptr[row], self._X.indptr[row + 1])
            return self._X.indices[part], self._X.data[part]
        columns = np.flatnonzero(self._X[row])
        return columns, self._X[row, columns]

    def _exact_entries(self, row: int) -> list[DyadicEntry]:
        """The nonzero numbers of one row, exactly."""
        columns, values = self._nonzero_entries(row)
        ratios = [value.as_integer_ratio() for value in values.tolist()]
        exponents = [1 - denominator.bit_length() for _, denominator in ratios]
        return [
            DyadicEntry(column, ratio[0], exponent)
            for column, ratio, exponent in zip(columns.tolist(), ratios, exponents, strict=True)
        ]

    def _to_integers(self, stored: Sequence[DyadicEntry], label: int) -> tuple[IntVector, int]:
        terms = [(term.column, term.factor, term.exponent - int(self._exponents[term.column])) for term in stored]
        if self.fit_intercept:
            terms.append((self.columns, 1, 0))
        lowest = min((exponent for _, _, exponent in terms), default=0)
        integers = [0] * self.size
        for column, numerator, exponent in terms:
            integers[column] = label * numerator << (exponent - lowest)
        return integers, lowest

    def _parts(self, rows: Places, numbers: int) -> Iterator[slice]:
        """Slices of rows with about this many numbers each."""
        return row_blocks(len(rows), rows_per_block(self.rows, self.view.stored_values, numbers))

    def _original_rows(self, rows: Places) -> Any:
        """Some rows, unscaled and without rounding."""
        return self._X[rows]

    def scale_view_weights(self, weights: Floats) -> list[Fraction]:
        """Convert weights of the columns of the view to scaled columns."""
        powers = [Fraction(2) ** int(exponent) for exponent in self._view_exponents]
        return [Fraction(weight) * power for weight, power in zip(weights.tolist(), powers, strict=True)]

    def unscale_weights(self, w: Sequence[int | Fraction]) -> list[Fraction]:
        """Convert weights of scaled columns to weights of the columns of X. The offset stays last."""
        powers = [Fraction(2) ** -int(exponent) for exponent in self._exponents] + [Fraction(1)] * self.fit_intercept
        return [weight * power for weight, power in zip(w, powers, strict=True)]

    def simplify_weights(self, weights: list[Fraction]) -> list[Fraction]:
        """Weights with fewer terms that give every row the same margin; here, the weights themselves."""
        return weights

    def scale_weights(self, weights: Sequence[Fraction]) -> IntVector:
        """Convert weights of the columns of X, the offset last, to integer weights of scaled columns."""
        powers = [Fraction(2) ** int(exponent) for exponent in self._exponents] + [Fraction(1)] * self.fit_intercept
        return primitive_vector([weight * power for weight, power in zip(weights, powers, strict=True)])
