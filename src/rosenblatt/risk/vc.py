"""The inequality of Vapnik and Chervonenkis: how far the true risk can be above the risk seen in training.

For N rows drawn independently, a class of classifiers of VC dimension h that was fixed before the rows were seen, and
losses between 0 and 1, with probability at least 1 - eta *every* classifier q of the class has

    R(q) <= R_emp(q) + sqrt((h (ln(2 N / h) + 1) - ln(eta / 4)) / N).

The root is the confidence term. It is useful only if N is many times h. At N = h it is above 1, which no risk exceeds.
Confidence terms and bounds are rounded up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, log, sqrt
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.notebook_html import ShownInNotebooks, interval_picture
from ..foundation.rounding import float_above, text_above

MAX_ROWS = 1e300
ROUND_UP = 1 + 2.0**-48  # the parts of the term are positive; their errors add up to under 16 units in the last place


@dataclass(frozen=True)
class VCBound(ShownInNotebooks):
    """The result of `vc_bound`: with probability at least 1 - eta the true risk is at most `bound`.

    `bound` is `risk` + `confidence`. It is `vacuous` if it is not below `greatest`, the greatest loss of a row.
    """

    risk: float
    confidence: float
    bound: float
    n: int
    vc_dim: int
    eta: float
    greatest: float = 1.0

    @property
    def vacuous(self) -> bool:
        return self.bound >= self.greatest

    def __float__(self) -> float:
        return self.bound

    def __str__(self) -> str:
        said = f"true risk at most {text_above(self.bound, 4)} with probability {1 - self.eta:.6g}"
        sum_ = f"training risk {self.risk:.4g} + confidence {text_above(self.confidence, 4)}"
        rows = f"{self.n:,} rows, VC dimension {self.vc_dim:,}"
        if self.vacuous:
            return f"{said}: {sum_}; {rows}; this is vacuous, because no risk is above {self.greatest:.4g}"
        return f"{said}: {sum_}; {rows}"

    def _picture(self) -> str:
        upper = min(self.bound, self.greatest)
        return interval_picture(self.risk, self.risk, upper, "The risk on the training rows, and what is added to it")


def vc_dimension(columns: int, fit_intercept: bool = True) -> int:
    """The VC dimension of hyperplanes: columns + 1 with an offset, columns without.

    It is for two classes. For several classes trained one against the rest, the inequality holds for each of these
    problems, not for the combined decision.

    >>> vc_dimension(2), vc_dimension(2, fit_intercept=False)
    (3, 2)
    """
    return _check_whole_number("columns", columns) + bool(fit_intercept)


def vc_confidence(n: int, vc_dim: int, eta: float = 0.05) -> float:
    """sqrt((h (ln(2 N / h) + 1) - ln(eta / 4)) / N), for losses between 0 and 1.

    >>> round(vc_confidence(1000, 3, eta=0.05), 4)
    0.164
    """
    n, vc_dim, eta = _check_whole_number("n", n), _check_whole_number("vc_dim", vc_dim), check_share("eta", eta)
    if n > MAX_ROWS:
        raise ValueError(f"n must be at most {MAX_ROWS:g}.")
    if n < vc_dim:
        raise ValueError(f"The inequality needs n >= vc_dim: {n} rows are too few for a VC dimension of {vc_dim}.")
    return sqrt((vc_dim * (log(2 * n / vc_dim) + 1) + log(4) - log(eta)) / n) * ROUND_UP


def vc_bound(risk: float, n: int, vc_dim: int, eta: float = 0.05, *, losses: npt.ArrayLike = (0.0, 1.0)) -> VCBound:
    """The upper bound of the true risk by Vapnik and Chervonenkis, with probability at least 1 - eta.

    `risk` is the mean loss of the `n` training rows, `vc_dim` the VC dimension of the class that the classifier was
    chosen from (see `vc_dimension`). The class must have been fixed before the rows were seen. To choose the best of K
    nested classes, use eta / K for each. `losses` are those that a row can have: the least and the greatest, or a whole
    loss matrix. The confidence term is multiplied by their range. With `losses` of more than two values `vc_dim` must
    be that of all sets {loss > c} together; for two classes whose two mistakes cost differently and whose right
    decisions cost nothing, eta / 2 with the usual `vc_dim` will do.

    >>> print(vc_bound(0.1, n=1000, vc_dim=3))
    true risk at most 0.264 with probability 0.95: training risk 0.1 + confidence 0.164; 1,000 rows, VC dimension 3
    >>> vc_bound(0.1, n=10, vc_dim=3).vacuous
    True
    >>> vc_bound(1.0, n=1000, vc_dim=3, losses=[[0, 10], [10, 0]]).confidence > 1.639
    True
    """
    least, greatest = _loss_range(losses)
    if not (_is_number(risk) and isfinite(risk) and least <= risk <= greatest):
        raise ValueError(f"risk must be a mean of losses between {least:g} and {greatest:g}, not {risk!r}.")
    confidence = _scale_confidence(least, greatest, vc_confidence(n, vc_dim, eta))
    bound = float_above(Fraction(float(risk)) + Fraction(confidence))
    return VCBound(float(risk), confidence, bound, int(n), int(vc_dim), float(eta), greatest)


def _scale_confidence(least: float, greatest: float, confidence: float) -> float:
    """A confidence term times the range of the losses, rounded up."""
    return float_above((Fraction(greatest) - Fraction(least)) * Fraction(confidence))


def vc_sample_size(confidence: float, vc_dim: int, eta: float = 0.05, *, losses: npt.ArrayLike = (0.0, 1.0)) -> int:
    """The least number of rows for which the confidence term of `vc_bound` is at most `confidence`.

    The term falls with every row from n = vc_dim on, so bisection finds it.

    >>> vc_sample_size(0.05, vc_dim=3)
    13916
    >>> vc_bound(0.1, 13916, vc_dim=3).bound <= 0.15 < vc_bound(0.1, 13915, vc_dim=3).bound
    True
    """
    least, greatest = _loss_range(losses)
    if not (_is_number(confidence) and isfinite(confidence) and confidence > 0):
        raise ValueError(f"confidence must be a finite number above 0, not {confidence!r}.")
    h = _check_whole_number("vc_dim", vc_dim)
    if _scale_confidence(least, greatest, vc_confidence(max(int(MAX_ROWS), h), h, eta)) > confidence:
        raise ValueError(f"confidence={confidence!r} would take more than {MAX_ROWS:g} rows.")
    return _least_number(lambda n: _scale_confidence(least, greatest, vc_confidence(n, h, eta)) <= confidence, h)


def _least_number(holds: Callable[[int], bool], start: int) -> int:
    """The least number from `start` on for which `holds`, which must stay true from there on."""
    if holds(start):
        return start
    below, above = start, 2 * start
    while not holds(above):
        below, above = above, min(2 * above, int(MAX_ROWS))
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above


def _loss_range(losses: npt.ArrayLike) -> tuple[float, float]:
    """The least and the greatest loss. Refused if the losses cannot be scaled to lie between 0 and 1."""
    try:
        values = np.asarray(losses, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([])
    if values.size < 2 or not np.isfinite(values).all():
        raise ValueError(f"losses must be at least two finite numbers, or they cannot be scaled: not {losses!r}.")
    least, greatest = float(values.min()), float(values.max())
    if not (least < greatest and isfinite(greatest - least)):
        raise ValueError(f"losses from {least:g} to {greatest:g} cannot be scaled to lie between 0 and 1.")
    return least, greatest


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _check_whole_number(name: str, value: Any) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} must be a whole number above 0, not {value!r}.")
    return int(value)


def check_share(name: str, value: Any) -> float:
    """The value as a float. Refused if it is not between 0 and 1, both excluded."""
    if not (_is_number(value) and 0 < value < 1):
        raise ValueError(f"{name} must be between 0 and 1, both excluded, not {value!r}.")
    return float(value)
