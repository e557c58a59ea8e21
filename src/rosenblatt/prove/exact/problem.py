"""The rows a_i = y_i (x_i, 1), twice: as floats for speed, as whole numbers for truth.

"Scaled" means in columns that are multiplied by powers of two, so that the largest number of each is between 1/2 and 1.
A pass over all rows takes them as they are, with weights scaled the other way: that is the same, but for numbers that
fall below 1e-308, and what is lost there is in the bound of the error.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.labels import encode
from ...foundation.matrices import NATIVE_FLOATS, as_csr, as_rows, check_finite, is_sparse, refuse_numpy_matrix
from ...foundation.threads import threads_for
from ...foundation.types import Floats, Places
from ...parts.features import IDENTITY, Features
from ..certificates.fingerprint import fingerprint
from .limb_products import LimbMatrix, LimbWeights, SignedValues
from .linear_algebra import IntVector, dot, primitive_vector
from .short_sums import ShortIntegerRows

MAX_EXACT_INTEGER = 2**53
MAX_UNSCALED_EXPONENT = (
    400  # columns whose numbers are beyond 2^400 or all below 2^-400 are scaled before they are multiplied
)
UNDERFLOW_LOSS = 2.0**-600  # more than all numbers too small for floats can lose
NUMBERS_PER_PASS = 1 << 22  # numbers of rows that are looked at together
NUMBERS_PER_LIMB_BLOCK = 1 << 17  # numbers of rows that are worked out exactly together: as many as caches hold
MIN_ROWS_TO_DEDUPLICATE = 1000  # rows among which it pays to look for equal ones


class DyadicEntry(NamedTuple):
    """A number of a row: factor * 2^exponent, exactly."""

    column: int
    factor: int
    exponent: int


class NonPositiveRows(NamedTuple):
    """Some rows, in order, with the exact signs of their margins, and the margins as floats."""

    rows: Places
    sign: npt.NDArray[np.int8]
    value: Floats


class ExactProblem:
    """Two classes of rows. `numbers` are the rows of X that take part, `classes` the negative and the positive one.

    `view` is what passes over all rows read: X as it is or, if its numbers are out of all proportion, scaled. `inputs`
    are the columns of X, `columns` those of the rows of the problem, which may be lifted (`lifted.py`).
    """

    features: Features = IDENTITY
    _roundings = 0  # of each number of the view, in half units of its last place

    def __init__(self, X: Any, y: Any, fit_intercept: bool, classes: Any = None) -> None:
        self.names = column_names(X)
        matrix = as_exact_floats(X)
        self.total_rows, self.inputs = matrix.shape
        self.fit_intercept = bool(fit_intercept)
        self.classes, self.numbers, self.labels = select_two_classes(y, self.total_rows, classes)
        self.rows = len(self.numbers)
        if self.rows < self.total_rows:
            check_finite(as_rows(matrix), matrix)
            matrix = matrix[self.numbers]
        self._X, self._cache = matrix, dict[int, tuple[IntVector, int]]()
        self._measure_columns(as_rows(matrix))

    def _measure_columns(self, rows: _core.Rows) -> None:
        """Find the sizes of the columns, and the view."""
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
        """The largest size in each column of X; what is not finite is refused."""
        largest = self.view.largest(self.threads)
        if not np.isfinite(largest).all():
            check_finite(self.view, self._X, numbers=self.numbers)
        return largest

    def fingerprint(self) -> str:
        """SHA-256 of the rows that take part, as `rosenblatt.prove.certificates.fingerprint` says."""
        return fingerprint(self._X, self.labels > 0)

    def zero_rows(self) -> npt.NDArray[np.bool_]:
        """Which rows are all 0: their margin is 0 whatever w is."""
        if self.fit_intercept:
            return np.zeros(self.rows, dtype=np.bool_)
        parts = [self._X[part] for part in self._parts(self.numbers, NUMBERS_PER_PASS)]
        stored = [np.asarray((part != 0).sum(axis=1)).reshape(-1) > 0 for part in parts]
        return ~np.concatenate(stored)

    def row_groups(self) -> Places:
        """A number for each row, the same for equal rows of X, whatever their labels."""
        if is_sparse(self._X):
            numbers: dict[bytes, int] = {}
            columns, values = self._X.indices, self._X.data
            parts = [slice(first, end) for first, end in pairwise(self._X.indptr.tolist())]
            rows = [columns[part].tobytes() + values[part].tobytes() for part in parts]
            return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.intp)
        values = np.ascontiguousarray(self._X + 0.0)  # -0.0 becomes 0.0
        if not self.inputs:
            return np.zeros(self.rows, dtype=np.intp)
        keys = values.view(np.dtype((np.void, values.itemsize * self.inputs))).reshape(-1)
        return np.asarray(np.unique(keys, return_inverse=True)[1], dtype=np.intp).reshape(-1)

    def floats(self, rows: Sequence[int]) -> Floats:
        """Some a_i as floats, in scaled columns."""
        part = self._scaled_floats(rows)
        part = part.toarray() if is_sparse(part) else part
        ones = np.ones((len(part), int(self.fit_intercept)))
        return np.asarray(self.labels[rows][:, None] * np.hstack([part, ones]))

    def _scaled_floats(self, rows: Sequence[int]) -> Any:
        return scale_columns(self._X[rows], -self._exponents)

    def places(self, numbers: Sequence[int]) -> list[int] | None:
        """Where the rows with these numbers stand among those that take part; None if one does not take part."""
        wanted = np.array([number if 0 <= number < self.total_rows else -1 for number in numbers], dtype=np.intp)
        found = np.searchsorted(self.numbers, wanted)
        return found.tolist() if (self.numbers.take(found, mode="clip") == wanted).all() else None

    def integer_row(self, row: int) -> IntVector:
        """a_i in scaled columns times a power of two: whole numbers."""
        return self._integers_and_exponent(row)[0]

    def row_exponent(self, row: int) -> int:
        """e with a_i = 2^e whole_row(i), in scaled columns."""
        return self._integers_and_exponent(row)[1]

    def _integers_and_exponent(self, row: int) -> tuple[IntVector, int]:
        if row not in self._cache:
            self._cache[row] = self._to_integers(self._exact_entries(row), int(self.labels[row]))
        return self._cache[row]

    def _nonzero_entries(self, row: int) -> tuple[Any, Floats]:
        """The columns and values of the numbers of one row of X that are not 0."""
        if is_sparse(self._X):
            part = slice(self._X.indptr[row], self._X.indptr[row + 1])
            return self._X.indices[part], self._X.data[part]
        columns = np.flatnonzero(self._X[row])
        return columns, self._X[row, columns]

    def _exact_entries(self, row: int) -> list[DyadicEntry]:
        """The numbers of one row that are not 0, without rounding."""
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
        whole = [0] * self.size
        for column, numerator, exponent in terms:
            whole[column] = label * numerator << (exponent - lowest)
        return whole, lowest

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

    def _parts(self, rows: Places, numbers: int) -> Iterator[slice]:
        """Slices of rows that have about so many numbers each."""
        step = max(1, numbers * self.rows // max(1, self.view.stored_values))
        return (slice(start, start + step) for start in range(0, len(rows), step))

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
        for place in np.flatnonzero(~(precise.fits & _rows_equal(scale_columns(scaled, exponents), taken))):
            whole = self._to_integers(self._exact_entries(rows[place]), 1)[0]
            products = [dot(whole, w) for w in ws]
            sign[:, place] = [(product > 0) - (product < 0) for product in products]
        return sign, value

    def _original_rows(self, rows: Places) -> Any:
        """Some rows, every number as it is."""
        return self._X[rows]

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
        new = np.append(True, ~_rows_equal(taken[1:], taken[:-1]))
        same = np.empty(len(rows), dtype=np.intp)
        same[order] = np.cumsum(new) - 1
        return rows[order[new]], same

    def scale_view_weights(self, weights: Floats) -> list[Fraction]:
        """Weights of the view's columns, in scaled columns."""
        powers = [Fraction(2) ** int(exponent) for exponent in self._view_exponents]
        return [Fraction(weight) * power for weight, power in zip(weights.tolist(), powers, strict=True)]

    def unscale_weights(self, w: Sequence[int | Fraction]) -> list[Fraction]:
        """Scaled weights as weights of the columns of X; the offset stays last."""
        powers = [Fraction(2) ** -int(exponent) for exponent in self._exponents] + [Fraction(1)] * self.fit_intercept
        return [weight * power for weight, power in zip(w, powers, strict=True)]

    def simplify_weights(self, weights: list[Fraction]) -> list[Fraction]:
        """Weights of the columns of X that give every row the same margin, without those that are not needed."""
        return weights

    def scale_weights(self, weights: Sequence[Fraction]) -> IntVector:
        """Weights of the columns of X, the offset last, in scaled columns and whole."""
        powers = [Fraction(2) ** int(exponent) for exponent in self._exponents] + [Fraction(1)] * self.fit_intercept
        return primitive_vector([weight * power for weight, power in zip(weights, powers, strict=True)])


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


def column_names(X: Any) -> list[str] | None:
    """The names of the columns of a data frame, if all of them are text."""
    names = getattr(X, "columns", None)
    names = None if names is None else list(names)
    return names if names and all(isinstance(name, str) for name in names) else None


def as_exact_floats(X: Any) -> Any:
    """X as an array of floats or CSR matrix, without rounding any number of it and without a copy if it is one."""
    if not is_sparse(X):
        refuse_numpy_matrix(X)
        X = np.asarray(X)
        return X if X.ndim == 2 and X.dtype in NATIVE_FLOATS else _convert_exactly(X, X)
    X = as_csr(X)
    if X.dtype not in NATIVE_FLOATS:
        _convert_exactly(X.data, X)
        X = X.astype(np.float64)
    if not X.data.all():
        X = X.copy()
        X.eliminate_zeros()
    return X


def _convert_exactly(values: npt.NDArray[Any], X: Any) -> Floats:
    check_finite(as_rows(X), X)
    converted = values.astype(np.float64)
    if values.dtype.kind in "iu" and values.size:
        same = max(-int(values.min()), int(values.max())) <= MAX_EXACT_INTEGER
    else:
        same = bool((converted == values).all())
    if not same:
        raise ValueError(f"X has numbers of type {values.dtype} that no float64 equals: round or rescale them first.")
    return converted


def select_two_classes(y: Any, rows: int, wanted: Any) -> tuple[list[Any], npt.NDArray[np.intp], Floats]:
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
    negative, positive = chosen = _check_classes(known, wanted)
    if len(known) == 2 or negative is None:
        numbers = np.arange(rows)
    else:
        numbers = np.flatnonzero(np.isin(codes, [known.index(label) for label in chosen]))
        codes = codes[numbers]
    return chosen, numbers, np.where(codes == known.index(positive), 1.0, -1.0)


def _check_classes(known: list[Any], wanted: Any) -> list[Any]:
    """The negative and the positive class; None as the negative one stands for all labels but the positive one."""
    if len(known) < 2:
        raise ValueError(f"y must have two classes, but all its labels are {known}.")
    if wanted is None:
        if len(known) == 2:
            return known
        raise ValueError(
            f"y has {len(known)} classes, {known[:5]}: choose two with classes=(a, b), or one against the rest with "
            "classes=(None, a); separability takes all of them with multi_class='ovr' or 'ovo'."
        )
    chosen = list(wanted)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise ValueError(f"classes must be two different labels, not {wanted!r}.")
    missing = [label for place, label in enumerate(chosen) if label not in known and (place or label is not None)]
    if missing:
        raise ValueError(f"classes names {missing[0]!r}, which is not among the labels of y, {known[:5]}.")
    return [None if label is None else known[known.index(label)] for label in chosen]


def _rows_equal(left: Any, right: Any) -> npt.NDArray[np.bool_]:
    """Which rows of two matrices hold the same numbers."""
    equal: npt.NDArray[np.bool_] = np.asarray((left != right).sum(axis=1)).reshape(-1) == 0
    return equal


def scale_columns(X: Any, exponents: npt.NDArray[np.int32]) -> Any:
    """Columns times powers of two, as float64."""
    with np.errstate(under="ignore"):
        if not is_sparse(X):
            return np.ldexp(X.astype(np.float64, copy=False), exponents)
        scaled = X.astype(np.float64)
        scaled.data = np.ldexp(scaled.data, exponents[X.indices])
        return scaled
