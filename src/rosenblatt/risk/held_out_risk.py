"""The risk on held-out rows, with an interval for the true risk."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ..foundation.notebook_html import ShownInNotebooks, interval_picture
from ..foundation.rounding import float_above, float_below, text_above, text_below
from ..foundation.types import Floats
from .empirical_risk import count_losses
from .intervals import MEAN_INTERVALS, SHARE_INTERVALS, Sample
from .vc import check_share

Method = Literal["clopper-pearson", "wilson", "chernoff", "bernstein", "hoeffding"]


@dataclass(frozen=True)
class RiskEstimate(ShownInNotebooks):
    """The result of `held_out_risk`. `lower` and `upper` are the interval of `method` at confidence `level`."""

    risk: float
    lower: float
    upper: float
    n: int
    level: float
    method: str

    def __float__(self) -> float:
        return self.risk

    def __str__(self) -> str:
        return (
            f"risk {self.risk:.4g}, {self.level:.6g} sure between {text_below(self.lower, 4)} and "
            f"{text_above(self.upper, 4)} "
            f"({self.method}, {self.n:,} rows held out)"
        )

    def _picture(self) -> str:
        return interval_picture(self.risk, self.lower, self.upper, "The risk and its interval")


def held_out_risk(
    y: Any,
    decision: Any,
    loss_matrix: Any = None,
    *,
    classes: Any = None,
    level: float = 0.95,
    method: Method | None = None,
) -> RiskEstimate:
    """The mean loss of decisions on rows held out, and an interval for the true risk of the classifier that made them.

    The rows must be independent, and neither training nor model selection may have used them. Losses with only two
    values, such as right and wrong, get the exact interval of Clopper and Pearson (or "wilson": shorter, and correct
    only on average). Others get "chernoff", which holds for every distribution of losses between the least and the
    greatest of the matrix. "bernstein" (empirical) is shorter if losses vary little and rows are many. "hoeffding" is
    the textbook's. Choose the method before you see the rows. `classes` and `loss_matrix` are as in `empirical_risk`.

    >>> truth, decision = [0] * 60 + [1] * 40, [0] * 55 + [1] * 45
    >>> print(held_out_risk(truth, decision))
    risk 0.05, 0.95 sure between 0.01643 and 0.1129 (clopper-pearson, 100 rows held out)
    >>> print(held_out_risk(truth, decision, [[0, 1], [10, 0]]))
    risk 0.5, 0.95 sure between 0.1116 and 1.316 (chernoff, 100 rows held out)
    """
    losses, counts = count_losses(y, decision, loss_matrix, classes)
    return estimate_risk(losses, counts, level, method, zero_one=loss_matrix is None)


def estimate_risk(losses: Floats, counts: Floats, level: float, method: str | None, zero_one: bool) -> RiskEstimate:
    """The risk and its interval, from the loss of each outcome and the number of rows that meet it."""
    level = check_share("level", level)
    n = int(counts.sum())
    risk = float((losses * counts).sum() / n)
    least, greatest = (0.0, 1.0) if zero_one else (float(losses.min()), float(losses.max()))
    two_values = bool(np.isin(losses, (least, greatest)).all())
    chosen = method or ("clopper-pearson" if two_values else "chernoff")
    if chosen not in SHARE_INTERVALS and chosen not in MEAN_INTERVALS:
        raise ValueError(f"method must be one of {', '.join([*SHARE_INTERVALS, *MEAN_INTERVALS])}, not {method!r}.")
    width = greatest - least
    if width == 0:
        low, high = 0.0, 0.0
    elif chosen in MEAN_INTERVALS:
        low, high = MEAN_INTERVALS[chosen](_scaled_sample((losses - least) / width, counts, n), level)
    elif two_values:
        low, high = SHARE_INTERVALS[chosen](int(counts[losses == greatest].sum()), n, level)
    else:
        raise ValueError(
            f"method={method!r} is for losses that have two values, and this loss_matrix has more: use one of "
            f"{', '.join(MEAN_INTERVALS)}."
        )
    lower, upper = (Fraction(least) + (Fraction(greatest) - Fraction(least)) * Fraction(end) for end in (low, high))
    return RiskEstimate(risk, float_below(lower), float_above(upper), n, level, chosen)


def _scaled_sample(scaled: Floats, counts: Floats, n: int) -> Sample:
    mean = float((scaled * counts).sum() / n)
    squares = float(((scaled - mean) ** 2 * counts).sum())
    return Sample(n, min(max(mean, 0.0), 1.0), squares / max(n - 1, 1))
