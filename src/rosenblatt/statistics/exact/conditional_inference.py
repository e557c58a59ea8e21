"""Tests, estimates and intervals from the conditional distribution of a sufficient statistic T.

With the coefficient b the probability of T = t is proportional to count(t) exp(b t). Tails at b = 0 are fractions of
integers. Ends of intervals and estimates are roots of functions of b that rise or fall everywhere; whether such a root
is 0 is decided in integers, where a search in floats would leave its rounding.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp

from ...foundation.types import Floats
from .conditional_distribution import ConditionalDistribution

MAX_DOUBLINGS = 60
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Bounds:
    """A probability between two fractions, which are equal if every outcome was counted."""

    least: Fraction
    most: Fraction

    def doubled(self) -> "Bounds":
        return Bounds(min(Fraction(1), 2 * self.least), min(Fraction(1), 2 * self.most))


@dataclass(frozen=True)
class ConditionalInference:
    """Questions to a conditional distribution. Coefficients are those of the integers that it counts."""

    found: ConditionalDistribution

    @property
    def complete(self) -> bool:
        return not self.found.missed

    # Tests of b = 0

    @cached_property
    def total(self) -> int:
        return sum(self.found.counts)

    def tail(self, side: int, mid: bool = False) -> Bounds:
        """The probability of T <= t (side -1) or T >= t (side 1); with `mid`, T = t counts half."""
        pairs = zip(self.found.values, self.found.counts, strict=True)
        weights = {0: Fraction(1, 2) if mid else Fraction(1)}
        inside = sum(
            weights.get(value - self.found.observed, 1) * count
            for value, count in pairs
            if side * (value - self.found.observed) >= 0
        )
        every = self.total + self.found.missed
        return Bounds(Fraction(inside, every), Fraction(inside + self.found.missed, every))

    def p_value(self, mid: bool = False) -> Bounds:
        """Twice the smaller tail, at most 1."""
        below, above = self.tail(-1, mid), self.tail(1, mid)
        return Bounds(min(below.least, above.least), min(below.most, above.most)).doubled()

    def p_probability(self) -> Fraction:
        """The probability of all values that are at most as likely as the observed one, as in Fisher's exact test."""
        known = dict(zip(self.found.values, self.found.counts, strict=True))
        return Fraction(sum(n for n in known.values() if n <= known[self.found.observed]), self.total)

    def p_score(self) -> Fraction:
        """The probability of all values that are at least as far from the mean as the observed one."""
        pairs = list(zip(self.found.values, self.found.counts, strict=True))
        mean = Fraction(sum(value * count for value, count in pairs), self.total)
        far = abs(self.found.observed - mean)
        return Fraction(sum(count for value, count in pairs if abs(value - mean) >= far), self.total)

    # Estimates and intervals

    @cached_property
    def _distances(self) -> tuple[Floats, Floats, float]:
        """Distances of values from the observed one as shares of the longest, log counts, and the longest."""
        distances = [value - self.found.observed for value in self.found.values]
        ends = self.found.low - self.found.observed, self.found.high - self.found.observed
        longest = max(1, *map(abs, distances), *(map(abs, ends) if self.found.missed else ()))
        return (
            np.array([float(Fraction(each, longest)) for each in distances]),
            np.array([math.log(count) for count in self.found.counts]),
            float(longest),
        )

    @property
    def extreme(self) -> int:
        """1 if no outcome has a larger value than the observed one, -1 if none has a smaller one, else 0."""
        distances = self._distances[0]
        return int(not (distances > 0).any()) - int(not (distances < 0).any())

    @property
    def degenerate(self) -> bool:
        """Whether only one value is possible, so that nothing can be said about the coefficient."""
        return self.complete and len(self.found.values) == 1

    def estimate(self) -> float:
        """The conditional maximum-likelihood estimate; infinite where the observed value is an extreme one."""
        if self.degenerate or not self.complete:
            return math.nan
        if self.extreme:
            return self.extreme * math.inf
        if self._balance() == 0:
            return 0.0
        shares, logs, _ = self._distances
        return self._root(lambda b: float(shares @ np.exp(logs + b * shares - logsumexp(logs + b * shares))))

    def median_unbiased(self) -> float:
        """Halfway between the values of b at which either tail is 1/2; of an extreme value, where its tail is 1/2."""
        if self.degenerate or not self.complete:
            return math.nan
        if self._is_symmetric():
            return 0.0
        ends = [end for end in (self.end(-1, HALF), self.end(1, HALF)) if math.isfinite(end)]
        return sum(ends) / len(ends)

    def _balance(self) -> int:
        """The sum of the distances from the observed value, as often as they are counted."""
        pairs = zip(self.found.values, self.found.counts, strict=True)
        return sum((value - self.found.observed) * count for value, count in pairs)

    def _is_symmetric(self) -> bool:
        """Whether every distance from the observed value is as frequent on either side."""
        known = {
            value - self.found.observed: count
            for value, count in zip(self.found.values, self.found.counts, strict=True)
        }
        return all(known.get(-distance) == count for distance, count in known.items())

    def end(self, side: int, share: Fraction, mid: bool = False) -> float:
        """The lower (side -1) or upper (1) end: where the tail that looks away from it has this probability.

        Outcomes that were not counted are put where they make the interval longest.
        """
        if (self.complete and self.extreme == side) or self.degenerate:
            return side * math.inf
        if self.tail(-side, mid).most == share:
            return 0.0
        return self._root(lambda b: -side * (self._log_tail(-side, b, mid) - math.log(share)))

    def _log_tail(self, side: int, b: float, mid: bool) -> float:
        """The log probability of values at or beyond the observed one on a side, at most."""
        shares, logs, longest = self._distances
        sizes = logs + b * shares
        inside = np.where(side * shares >= 0, sizes, -np.inf) - mid * math.log(2) * (shares == 0)
        if not self.found.missed:
            return float(logsumexp(inside) - logsumexp(sizes))
        end = self.found.high if side > 0 else self.found.low
        farthest = float(Fraction(end - self.found.observed) / Fraction(longest))
        missed = math.log(self.found.missed) + max(0.0, b * farthest)
        return float(np.logaddexp(logsumexp(inside), missed) - np.logaddexp(logsumexp(sizes), missed))

    def _root(self, rising: Callable[[float], float]) -> float:
        """Where a function that rises is 0; infinite where it has one sign."""
        low, high = -1.0, 1.0
        for _ in range(MAX_DOUBLINGS):
            if rising(low) <= 0 <= rising(high):
                return float(brentq(rising, low, high, xtol=1e-14, rtol=1e-14, maxiter=500)) / self._distances[2]
            low, high = (low, 2 * high) if rising(high) < 0 else (2 * low, high)
        return math.copysign(math.inf, high + low)
