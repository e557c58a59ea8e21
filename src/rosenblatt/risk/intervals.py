"""Confidence intervals for the mean of losses between 0 and 1, from n independent held-out rows.

Each interval contains the true mean with probability at least `level`, whatever the distribution of the losses. Only
"wilson" is approximate. Ends are rounded outwards by more than the rounding errors of logarithms and sums. This module
does not import SciPy, which would slow down the command line.
"""

from collections.abc import Callable
from math import erf, inf, lgamma, log, log1p, nextafter, sqrt
from typing import NamedTuple

BISECTIONS = 60  # leave less than the spacing of floats near 1
MAX_ERROR = 2.0**-49  # relative, of a logarithm or of a few operations: eight units in the last place
MAX_MEAN_ERROR = 2.0**-47  # relative, of the mean of losses between 0 and 1

Interval = tuple[float, float]


class Sample(NamedTuple):
    """The number of losses between 0 and 1, their mean and their variance (divided by n - 1)."""

    n: int
    mean: float
    variance: float


def clopper_pearson(k: int, n: int, level: float = 0.95) -> Interval:
    """The exact interval of a share, given k of n: it inverts two binomial tests. Often wider than necessary.

    >>> low, high = clopper_pearson(3, 40)
    >>> round(low, 4), round(high, 4)
    (0.0157, 0.2039)
    """
    if not 0 <= k <= n:
        raise ValueError(f"k must be between 0 and n = {n}, not {k}.")
    if n == 0:
        return 0.0, 1.0  # nothing is known
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else max(0.0, nextafter(1 - _share_with_tail(n - k, n, tail), 0.0))
    return low, 1.0 if k == n else _share_with_tail(k, n, tail)


def _share_with_tail(k: int, n: int, tail: float) -> float:
    """A share p above k / n for which P(at most k of n) is at most `tail`, and hardly less."""
    allowed = log(tail) - MAX_ERROR * (1 - log(tail))
    return _bisect(lambda p: _log_binomial_tail(k, n, p) - allowed, k / n, 1.0)


def _log_binomial_tail(k: int, n: int, p: float) -> float:
    """An upper bound of ln P(at most k of n) for a share p above k / n, where the terms fall from k downwards.

    Each part of the first term may be wrong by MAX_ERROR of its size, and each later term by four half units in the
    last place per step. A geometric series bounds the terms that are left out.
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
    return sum(parts) + log(total) + MAX_ERROR * (sum(map(abs, parts)) + steps + 1)


def normal_deviations(level: float) -> float:
    """The number of standard deviations around the mean that contain this share of a normal distribution.

    >>> round(normal_deviations(0.95), 6)
    1.959964
    """
    low, high = 0.0, 40.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if erf(middle / sqrt(2)) < level else (low, middle)
    return low


def wilson(k: int, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share, given k of n. Short, and correct only on average.

    >>> low, high = wilson(3, 40)
    >>> round(low, 4), round(high, 4)
    (0.0258, 0.1986)
    """
    z2 = normal_deviations(level) ** 2
    middle = (k + z2 / 2) / (n + z2)
    half = sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    return max(0.0, middle - half) if k else 0.0, min(1.0, middle + half) if k < n else 1.0


def chernoff(sample: Sample, level: float = 0.95) -> Interval:
    """The Chernoff interval, n kl(mean, p) <= ln(2 / (1 - level)), which holds for losses by Hoeffding's first theorem.

    It is never wider than `hoeffding`, and far shorter near 0 and 1.

    >>> low, high = chernoff(Sample(40, 0.075, 0.0))
    >>> round(low, 4), round(high, 4)
    (0.0094, 0.2375)
    """
    allowed = log(2 / (1 - level)) / sample.n + MAX_ERROR

    def end_from(start: float, end: float) -> float:
        return _bisect(
            lambda p: allowed + MAX_ERROR * (allowed + 1) - _bernoulli_divergence(start, p) * (1 - MAX_ERROR),
            start,
            end,
        )

    return end_from(sample.mean * (1 - MAX_MEAN_ERROR), 0.0), end_from(
        min(1.0, sample.mean * (1 + MAX_MEAN_ERROR)), 1.0
    )


def _bernoulli_divergence(q: float, p: float) -> float:
    """The Kullback-Leibler divergence of Bernoulli(q) from Bernoulli(p)."""
    if q == p:
        return 0.0
    if p <= 0 or p >= 1:
        return inf
    return (q * log(q / p) if q > 0 else 0.0) + ((1 - q) * (log1p(-q) - log1p(-p)) if q < 1 else 0.0)


def hoeffding(sample: Sample, level: float = 0.95) -> Interval:
    """Hoeffding's interval, mean -+ sqrt(ln(2 / (1 - level)) / (2 n)). Its width does not depend on the mean.

    >>> low, high = hoeffding(Sample(40, 0.075, 0.0))
    >>> round(low, 4), round(high, 4)
    (0.0, 0.2897)
    """
    return _interval_around(sample.mean, sqrt(log(2 / (1 - level)) / (2 * sample.n)))


def bernstein(sample: Sample, level: float = 0.95) -> Interval:
    """The empirical Bernstein interval of Maurer and Pontil. Short if the losses vary little and n is large.

    mean -+ sqrt(2 V ln(4 / (1 - level)) / n) + 7 ln(4 / (1 - level)) / (3 (n - 1)), V the variance of the sample.

    >>> low, high = bernstein(Sample(4000, 0.075, 0.0001))
    >>> round(low, 4), round(high, 4)
    (0.072, 0.078)
    """
    if sample.n < 2:
        return 0.0, 1.0
    rare = log(4 / (1 - level))
    return _interval_around(sample.mean, sqrt(2 * sample.variance * rare / sample.n) + 7 * rare / (3 * (sample.n - 1)))


def _interval_around(middle: float, half: float) -> Interval:
    half = half * (1 + MAX_ERROR) + MAX_MEAN_ERROR
    return max(0.0, middle - half), min(1.0, middle + half)


def _bisect(value: Callable[[float], float], start: float, end: float) -> float:
    """The root of a function that falls from start to end, by bisection. The last point on the side of `end`."""
    inner, outer = start, end
    for _ in range(BISECTIONS):
        middle = (inner + outer) / 2
        inner, outer = (middle, outer) if value(middle) >= 0 else (inner, middle)
    return outer


SHARE_INTERVALS = {"clopper-pearson": clopper_pearson, "wilson": wilson}  # of losses with two values
MEAN_INTERVALS = {"chernoff": chernoff, "bernstein": bernstein, "hoeffding": hoeffding}
