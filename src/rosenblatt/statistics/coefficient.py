"""What is known about one coefficient: its estimate, its tests and its interval."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ..prove.separability.infinite_coefficients import ANY, FINITE, PLUS
from .likelihood import Likelihood
from .profile_interval import KnownProfile, finite_end, interval_end, known_profiles


@dataclass(frozen=True)
class Coefficient:
    """One line of a summary. Numbers that do not exist are NaN.

    An infinite estimate has neither a standard error nor a Wald test; its interval has one finite end. A coefficient
    that the rows say nothing about has the estimate NaN and an interval without ends. An end so far away that rounding
    hides the profile is NaN.
    """

    name: str
    estimate: float
    std_error: float
    likelihood_ratio: float  # chi-squared with one degree of freedom
    lower: float
    upper: float

    @property
    def z(self) -> float:
        """Wald's statistic."""
        return self.estimate / self.std_error if self.std_error > 0 else math.nan

    @property
    def p_wald(self) -> float:
        """The p-value of Wald's test."""
        return math.erfc(abs(self.z) / math.sqrt(2))

    @property
    def p_likelihood_ratio(self) -> float:
        """The p-value of the likelihood-ratio test."""
        return math.erfc(math.sqrt(self.likelihood_ratio / 2))

    @property
    def odds_ratio(self) -> float:
        return exp(self.estimate)

    def as_dict(self) -> dict[str, Any]:
        """All numbers by name."""
        return {
            "name": self.name,
            "estimate": self.estimate,
            "std_error": self.std_error,
            "z": self.z,
            "p_wald": self.p_wald,
            "likelihood_ratio": self.likelihood_ratio,
            "p_likelihood_ratio": self.p_likelihood_ratio,
            "lower": self.lower,
            "upper": self.upper,
            "odds_ratio": self.odds_ratio,
            "odds_ratio_lower": exp(self.lower),
            "odds_ratio_upper": exp(self.upper),
        }


def exp(value: float) -> float:
    """The exponential, infinite where it is too large for a float."""
    try:
        return math.exp(value)
    except OverflowError:
        return math.inf


def coefficients(likelihood: Likelihood, names: dict[int, str], level: float) -> list[Coefficient]:
    """What the likelihood says about its coefficients, in their order."""
    rise = NormalDist().inv_cdf(0.5 + level / 2) ** 2 / 2
    known = known_profiles(likelihood, rise)
    return [
        _coefficient(likelihood, place, names[place], rise, known.get(place, KnownProfile()))
        for place in likelihood.places
    ]


def _coefficient(likelihood: Likelihood, place: int, name: str, rise: float, known: KnownProfile) -> Coefficient:
    kind, best = likelihood.limits.kinds[place], likelihood.best
    least = likelihood.without(np.array([place])) if math.isnan(known.without) else known.without
    ratio = max(0.0, 2 * (least - best.value))
    if kind == ANY:
        return Coefficient(name, math.nan, math.nan, ratio, -math.inf, math.inf)
    if kind == FINITE:
        ends = [
            interval_end(likelihood, place, side, rise) if math.isnan(end) else end
            for side, end in ((-1, known.lower), (1, known.upper))
        ]
        error = math.sqrt(likelihood.covariance[place, place])
        return Coefficient(name, float(best.z[place]), error, ratio, *ends)
    if kind == PLUS:
        return Coefficient(name, math.inf, math.nan, ratio, finite_end(likelihood, place, -1, rise), math.inf)
    return Coefficient(name, -math.inf, math.nan, ratio, -math.inf, finite_end(likelihood, place, 1, rise))
