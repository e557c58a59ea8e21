"""Confidence intervals for a mean of losses between 0 and 1, from n independent rows that training did not see.

Each interval holds the true mean with probability at least `level`, whatever the losses' distribution is, but for
"wilson", which promises it only about. Ends are rounded outwards: what logarithms and sums can be off by is added to
what an interval allows. Nothing here needs SciPy: the command line has no time to load it.
"""

from collections.abc import Callable
from math import erf, inf, lgamma, log, log1p, nextafter, sqrt
from typing import NamedTuple

HALVINGS = 60  # of the distance to an end: below the spacing of floats near 1
OFF = 2.0**-49  # eight units in the last place: more than a logarithm, or a few steps, can be off by
MEAN_OFF = 2.0**-47  # a mean of losses between 0 and 1 is nearer than this to the true one

Interval = tuple[float, float]


class Sample(NamedTuple):
    """How many losses there are, between 0 and 1, their mean and their variance (divided by n - 1)."""

    n: int
    mean: float
    variance: float


def clopper_pearson(k: int, n: int, level: float = 0.95) -> Interval:
    """The shares under which k or more, and k or fewer, of n are not too unlikely. Exact; often wider than it must be.

    >>> low, high = clopper_pearson(3, 40)
    >>> round(low, 4), round(high, 4)
    (0.0157, 0.2039)
    """
    if not 0 <= k <= n:
        raise ValueError(f"k must be between 0 and n = {n}, not {k}.")
    if n == 0:
        return 0.0, 1.0  # nothing is known
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else max(0.0, nextafter(1 - _share_of(n - k, n, tail), 0.0))
    return low, 1.0 if k == n else _share_of(k, n, tail)


def _share_of(k: int, n: int, tail: float) -> float:
    """A share p above k / n for which k or fewer of n have at most the probability `tail`, and hardly less."""
    allowed = log(tail) - OFF * (1 - log(tail))
    return _first_below(lambda p: _log_at_most(k, n, p) - allowed, k / n, 1.0)


def _log_at_most(k: int, n: int, p: float) -> float:
    """At least ln P(at most k of n), for a share p above k / n: there the terms fall from k downwards.

    Each part of the first term may be off by OFF of its size, and each later term by four half units a step. What is
    left out is less than a geometric series.
    """
    if p >= 1:
        return -inf
    parts = lgamma(n + 1), -lgamma(k + 1), -lgamma(n - k + 1), k * log(p), (n - k) * log1p(-p)
    total = term = 1.0
    odds, steps = (1 - p) / p, 0
    for j in range(k, 0, -1):
        ratio = j / (n - j + 1) * odds
        term *= ratio
        total += term
        steps += 1
        if term < 1e-17 * total:
            total += term * ratio / (1 - ratio)
            break
    return sum(parts) + log(total) + OFF * (sum(map(abs, parts)) + steps + 1)


def normal_deviations(level: float) -> float:
    """How many standard deviations around the mean hold this share of a normal distribution.

    >>> round(normal_deviations(0.95), 6)
    1.959964
    """
    low, high = 0.0, 40.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if erf(middle / sqrt(2)) < level else (low, middle)
    return low


def wilson(k: int, n: int, level: float = 0.95) -> Interval:
    """The shares from which k / n is not further than so many standard deviations. Short, and right only on average.

    >>> low, high = wilson(3, 40)
    >>> round(low, 4), round(high, 4)
    (0.0258, 0.1986)
    """
    z2 = normal_deviations(level) ** 2
    middle = (k + z2 / 2) / (n + z2)
    half = sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    return max(0.0, middle - half) if k else 0.0, min(1.0, middle + half) if k < n else 1.0


def chernoff(sample: Sample, level: float = 0.95) -> Interval:
    """Hoeffding's first inequality: n kl(mean, p) <= ln(2 / (1 - level)). Never wider than `hoeffding`, and far shorter
    near 0 and 1.

    >>> low, high = chernoff(Sample(40, 0.075, 0.0))
    >>> round(low, 4), round(high, 4)
    (0.0094, 0.2375)
    """
    allowed = log(2 / (1 - level)) / sample.n + OFF

    def reached(start: float, end: float) -> float:
        return _first_below(lambda p: allowed + OFF * (allowed + 1) - _kl(start, p) * (1 - OFF), start, end)

    return reached(sample.mean * (1 - MEAN_OFF), 0.0), reached(min(1.0, sample.mean * (1 + MEAN_OFF)), 1.0)


def _kl(q: float, p: float) -> float:
    """The divergence of a coin of share p from one of share q."""
    if q == p:
        return 0.0
    if p <= 0 or p >= 1:
        return inf
    return (q * log(q / p) if q > 0 else 0.0) + ((1 - q) * (log1p(-q) - log1p(-p)) if q < 1 else 0.0)


def hoeffding(sample: Sample, level: float = 0.95) -> Interval:
    """mean -+ sqrt(ln(2 / (1 - level)) / (2 n)): the simplest, the same width for every mean.

    >>> low, high = hoeffding(Sample(40, 0.075, 0.0))
    >>> round(low, 4), round(high, 4)
    (0.0, 0.2897)
    """
    return _clipped(sample.mean, sqrt(log(2 / (1 - level)) / (2 * sample.n)))


def bernstein(sample: Sample, level: float = 0.95) -> Interval:
    """The empirical Bernstein inequality of Maurer and Pontil: short where the losses vary little and n is large.

    mean -+ sqrt(2 V ln(4 / (1 - level)) / n) + 7 ln(4 / (1 - level)) / (3 (n - 1)), V the variance of the sample.

    >>> low, high = bernstein(Sample(4000, 0.075, 0.0001))
    >>> round(low, 4), round(high, 4)
    (0.072, 0.078)
    """
    if sample.n < 2:
        return 0.0, 1.0
    rare = log(4 / (1 - level))
    return _clipped(sample.mean, sqrt(2 * sample.variance * rare / sample.n) + 7 * rare / (3 * (sample.n - 1)))


def _clipped(middle: float, half: float) -> Interval:
    half = half * (1 + OFF) + MEAN_OFF
    return max(0.0, middle - half), min(1.0, middle + half)


def _first_below(value: Callable[[float], float], start: float, end: float) -> float:
    """Where a falling function has fallen to 0 on the way from start to end; the outer of two neighbours."""
    inner, outer = start, end
    for _ in range(HALVINGS):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if value(middle) >= 0 else (inner, middle)
    return outer


SHARES = {"clopper-pearson": clopper_pearson, "wilson": wilson}  # of losses that have two values
MEANS = {"chernoff": chernoff, "bernstein": bernstein, "hoeffding": hoeffding}
