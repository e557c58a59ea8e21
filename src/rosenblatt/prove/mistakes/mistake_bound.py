"""Novikoff's bound on the mistakes of a perceptron.

In the space of the algorithm, rows are a_i = c_i y_i (x_i, s): s is the constant coordinate of the offset, c_i the
weight of the row. R is the norm of the longest row, gamma the widest margin through the origin, and w* of length 1
attains it. Each mistake adds eta a_i to w, so

    w_k . w* >= k eta gamma    (every row adds at least eta gamma)
    ||w_k||^2 <= k eta^2 R^2   (a mistake has a_i . w <= 0, so the square grows by eta^2 ||a_i||^2 at most)

Together k eta gamma <= ||w_k|| <= sqrt(k) eta R, so there are at most (R / gamma)^2 mistakes, for every eta.

A perceptron that moves unless y_i w.x_i is larger than a margin m has a_i . w <= c_i m at an update. The square then
grows by 2 eta c_i m more, so R^2 becomes R^2 + 2 c m / eta, for the largest weight c, and updates take the place of
mistakes.
"""

from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from ...foundation.matrices import is_sparse
from ...foundation.notebook_html import ShownInNotebooks, clouds_picture
from ...foundation.rounding import count_at_most, float_above, float_below, text_above, text_below
from ...foundation.sample_weights import checked_weights
from ...foundation.types import Floats, Places
from ...parts.features import as_features
from ...parts.parameter_checks import check_positive
from ..exact.hyperplane import Hyperplane
from ..exact.row_norms import max_row_norm
from ..margin.class_hulls import HALF_ULP, ClassHulls
from ..margin.max_margin import max_margin
from ..margin.widest_margin import MaxMargin

MIN_FULL_PRECISION_MARGIN = 2.0**-960  # smaller margins may have fewer digits than other floats
ENLARGED_EXPONENT = 1000  # of the largest number after scaling up


@dataclass(frozen=True)
class MistakeBound(ShownInNotebooks):
    """The answer of `mistake_bound`. `hyperplane` attains `margin` in the space with the constant coordinate, last.

    If the rows cannot be separated, `bound` is infinite, `margin` is 0, the hyperplane is None and `why_not` is the
    reason. If they can be, but with a margin too small for floats, `margin` is 0 and there is a hyperplane. Then
    `bound` is infinite only if it is too large for floats. `slack` is what the margin of a perceptron adds to R^2.
    """

    radius: float
    margin: float
    bound: float
    hyperplane: Hyperplane | None
    why_not: str = ""
    slack: float = 0.0

    @property
    def squared_growth(self) -> Fraction:
        """The most that ||w / eta||^2 grows with an update."""
        return Fraction(self.radius) ** 2 + Fraction(self.slack)

    def __bool__(self) -> bool:
        return self.hyperplane is not None

    def _picture(self) -> str:
        return clouds_picture("complete", "separable") if self else clouds_picture("overlap", "not separable")

    def __str__(self) -> str:
        if not self:
            return f"no bound: {self.why_not}"
        sizes = f"radius {text_above(self.radius)}, margin {text_below(self.margin)}"
        if self.bound == inf:
            return f"no bound that floats can hold: {sizes}"
        return f"{count_at_most(self.bound)} {'updates' if self.slack else 'mistakes'}: {sizes}"


def mistake_bound(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    intercept_scaling: float = 1.0,
    sample_weight: Any = None,
    *,
    classes: Any = None,
    features: Any = "identity",
    margin: float = 0.0,
    eta0: float = 1.0,
) -> MistakeBound:
    """Novikoff's bound: a perceptron makes at most (R / gamma)^2 mistakes.

    It holds for updates by single rows, from w = 0, with a constant step, in any order. R and gamma are those of the
    rows with their constant coordinate `intercept_scaling`, multiplied by their weights. With `features` they are those
    of the lifted rows, so the bounds of two lifts can be compared. R is rounded up and gamma is a lower bound, so
    rounding never makes the bound too small. A perceptron with a `margin` and step `eta0` makes at most
    (R^2 + 2 c margin / eta0) / gamma^2 updates, c the largest weight.

    >>> print(mistake_bound([[3, 3], [4, 3], [1, 1]], [1, 1, -1]))
    at most 117 mistakes: radius 5.09902, margin 0.471404
    >>> mistake_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]).bound  # exclusive or
    inf
    >>> print(mistake_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], features="polynomial-2"))
    at most 126 mistakes: radius 2.44949, margin 0.218217
    >>> print(mistake_bound([[3, 3], [4, 3], [1, 1]], [1, 1, -1], margin=1.0))
    at most 126 updates: radius 5.09902, margin 0.471404
    """
    check_positive("margin", margin, or_zero=True)
    check_positive("eta0", eta0)
    X = as_features(features).transform(X)
    return novikoff_bound(PerceptronRows(X, y, fit_intercept, intercept_scaling, sample_weight, classes), margin, eta0)


class PerceptronRows:
    """Rows with the constant coordinate, their labels -1 and 1 and their weights, without the rows of weight 0."""

    def __init__(
        self, X: Any, y: Any, fit_intercept: bool, intercept_scaling: float, sample_weight: Any, classes: Any
    ) -> None:
        if not (np.isfinite(intercept_scaling) and intercept_scaling != 0):
            raise ValueError(f"intercept_scaling must be a finite number other than 0, not {intercept_scaling!r}.")
        plain = ClassHulls(X, y, False, classes)
        self.numbers, self.labels = plain.numbers, plain.labels
        self.X = _append_constant(plain.X, float(intercept_scaling)) if fit_intercept else plain.X
        self.weights = np.ones(len(self.labels))
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64)
            if weights.shape != np.shape(y):
                raise ValueError(f"sample_weight must have one weight a row: {np.shape(y)}, not {weights.shape}.")
            self.weights = checked_weights(weights, len(weights))[self.numbers]
            kept = np.flatnonzero(self.weights)
            self.numbers, self.labels, self.weights = self.numbers[kept], self.labels[kept], self.weights[kept]
            self.X = self.X[kept]
            if len(set(self.labels.tolist())) < 2:
                raise ValueError("sample_weight is 0 for all rows of one class: there is nothing to separate.")

    @property
    def is_weighted(self) -> bool:
        return bool((self.weights != 1).any())

    def radius(self) -> float:
        """An upper bound on the norms of the weighted rows."""
        return max_row_norm(self.X, self.weights if self.is_weighted else None)

    def scale_up(self) -> "PerceptronRows | None":
        """The rows times a power of two, so that much smaller margins do not underflow; None if they are too large.

        No number is rounded, and the mistake bound stays the same.
        """
        values = self.X.data if is_sparse(self.X) else self.X
        power = ENLARGED_EXPONENT - int(np.frexp(np.abs(values).max(initial=0.0))[1])
        if power <= 0:
            return None
        larger = copy(self)
        larger.X = self.X.astype(np.float64)
        if is_sparse(self.X):
            larger.X.data = np.ldexp(larger.X.data, power)
        else:
            larger.X = np.ldexp(larger.X, power)
        return larger


def _append_constant(X: Any, value: float) -> Any:
    column = np.full((X.shape[0], 1), value)
    if not is_sparse(X):
        return np.hstack([X, column])
    from scipy.sparse import csr_matrix, hstack

    return csr_matrix(hstack([X, csr_matrix(column)]))


def novikoff_bound(rows: PerceptronRows, required: float = 0.0, eta: float = 1.0) -> MistakeBound:
    """The bound for rows with their constant coordinate and weights. Updates are made unless a margin is `required`."""
    radius = rows.radius()
    slack = float_above(2 * Fraction(float(rows.weights.max())) * Fraction(float(required)) / Fraction(float(eta)))
    best, margin = _widest_weighted_margin(rows)
    if not best:
        return MistakeBound(radius, 0.0, inf, None, best.why_not, slack)
    bound = squared_ratio(radius, margin, slack)
    larger = rows.scale_up() if margin < MIN_FULL_PRECISION_MARGIN and not required else None
    if larger is not None:
        bound = min(bound, squared_ratio(larger.radius(), _widest_weighted_margin(larger)[1]))
    return MistakeBound(radius, margin, bound, best.hyperplane, slack=slack)


def squared_ratio(radius: float, margin: float, slack: float = 0.0) -> float:
    """An upper bound on (R^2 + slack) / gamma^2; infinite if gamma is 0 or the bound is too large for floats."""
    if inf in (radius, slack) or margin == 0:
        return inf
    return float_above((Fraction(radius) ** 2 + Fraction(slack)) / Fraction(margin) ** 2)


def _widest_weighted_margin(rows: PerceptronRows) -> tuple[MaxMargin, float]:
    """The hyperplane of widest margin through the origin, and a lower bound on its margin on the weighted rows.

    Multiplying rows by weights rounds, so the products only propose a hyperplane. Weights do not change whether rows
    can be separated.
    """
    if not rows.is_weighted:
        best = max_margin(rows.X, rows.labels, False)
        return best, best.margin
    multiplied = _multiply_by_weights(rows)
    if multiplied is not None and (found := max_margin(multiplied, rows.labels, False)):
        margin = _least_weighted_margin(rows, found)
        if margin > 0:
            return found, margin
    plain = max_margin(rows.X, rows.labels, False)
    return plain, float_below(Fraction(plain.margin) * Fraction(float(rows.weights.min())))


def _multiply_by_weights(rows: PerceptronRows) -> Any:
    """The rows times their weights in float64; None if a product is too large for floats."""
    with np.errstate(over="ignore", under="ignore"):
        sparse = is_sparse(rows.X)
        product = rows.X.multiply(rows.weights[:, None]).tocsr() if sparse else rows.X * rows.weights[:, None]
    return product if np.isfinite(product.data if sparse else product).all() else None


def _least_weighted_margin(rows: PerceptronRows, found: MaxMargin) -> float:
    """A lower bound on the margin of a hyperplane on the weighted rows, with every rounding counted.

    The difference, the product and the two operations of the last line each have an error of half a unit in the last
    place, or of less than 2^-1074 if that is more.
    """
    assert found.hyperplane is not None
    values, error = progress_of_rows(rows, found.hyperplane, np.arange(len(rows.labels)))
    with np.errstate(all="ignore"):
        least = float((rows.weights * (values - error)).min())
    return max(0.0, least * (1 - 8 * HALF_ULP) - 2e-323) if least < inf else 0.0


def progress_of_rows(rows: PerceptronRows, plane: Hyperplane, places: Places) -> tuple[Floats, float]:
    """y_i w*.(x_i, s) of some rows, with w* of length 1, and a bound on the errors."""
    w = plane.coef
    size = float(np.linalg.norm(w))
    chosen = rows.X[places]
    with np.errstate(all="ignore"):
        values = rows.labels[places] * np.asarray(chosen @ w).ravel() / size
    return values, dot_rounding(len(w)) * max_row_norm(chosen) + len(w) * 1e-300


def dot_rounding(columns: int) -> float:
    """A bound on the rounding error of w.x relative to ||x||, for w of length 1 in so many columns."""
    return (2 * columns + 16) * 2 * HALF_ULP
