"""What exact conditional inference says about one coefficient."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..coefficient import exp
from .conditional_inference import ConditionalInference


@dataclass(frozen=True)
class ExactCoefficient:
    """One line of an exact summary. Numbers that do not exist are NaN.

    `p_value` and `mid_p` are twice the smaller tail. Where the time was over before all outcomes were counted
    (`complete` is False) they are upper bounds, `p_value_at_least` is a lower bound, the interval contains the exact
    one, and there are no estimates.
    """

    name: str
    statistic: float  # the sum of the column over the rows of the positive class
    estimate: float  # conditional maximum likelihood; infinite where the statistic is an extreme one
    median_unbiased: float  # finite even then
    p_value: float
    mid_p: float
    p_score: float
    p_probability: float
    lower: float
    upper: float
    mid_lower: float
    mid_upper: float
    p_value_at_least: float
    complete: bool

    @property
    def odds_ratio(self) -> float:
        return exp(self.estimate)

    def as_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        odds = {
            "odds_ratio": self.odds_ratio,
            "odds_ratio_lower": exp(self.lower),
            "odds_ratio_upper": exp(self.upper),
        }
        return self.__dict__ | odds


def exact_coefficient(
    inference: ConditionalInference, name: str, statistic: float, unit: float, level: float
) -> ExactCoefficient:
    """The answers about one column, whose integers are multiples of `unit`."""
    share = (1 - Fraction(str(level))) / 2  # a float stands for the decimal that it prints as
    complete = inference.complete
    p_value = inference.p_value()
    return ExactCoefficient(
        name,
        statistic,
        estimate=inference.estimate() / unit,
        median_unbiased=inference.median_unbiased() / unit,
        p_value=float(p_value.most),
        mid_p=float(inference.p_value(mid=True).most),
        p_score=float(inference.p_score()) if complete else math.nan,
        p_probability=float(inference.p_probability()) if complete else math.nan,
        lower=inference.end(-1, share) / unit,
        upper=inference.end(1, share) / unit,
        mid_lower=inference.end(-1, share, mid=True) / unit,
        mid_upper=inference.end(1, share, mid=True) / unit,
        p_value_at_least=float(p_value.least),
        complete=complete,
    )
