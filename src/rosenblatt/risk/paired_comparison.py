"""Compare two classifiers on the same rows. Rows that both get right or both get wrong do not tell them apart."""

from dataclasses import dataclass
from math import exp, inf, lgamma, log, sqrt

import numpy as np
import numpy.typing as npt

from .intervals import Interval, normal_deviations

Flags = npt.NDArray[np.bool_]

BISECTIONS = 60  # leave less than the spacing of floats near 1


@dataclass(frozen=True)
class PairedComparison:
    """How the second of two classifiers differs from the first on the same rows.

    `difference` is the accuracy of the second minus that of the first, `interval` its 95 % interval (Tango's score
    interval for paired shares), `p_value` that of the exact McNemar test.
    """

    rows: int
    both_right: int
    only_first_right: int
    only_second_right: int
    difference: float
    interval: Interval
    p_value: float


def compare_right(first: Flags, second: Flags, level: float = 0.95) -> PairedComparison:
    """Compare two classifiers by the rows that each gets right.

    >>> compare_right(np.array([True, False, True, False]), np.array([True, True, True, False])).only_second_right
    1
    """
    rows, only_first, only_second = len(first), int((first & ~second).sum()), int((second & ~first).sum())
    return PairedComparison(
        rows=rows,
        both_right=int((first & second).sum()),
        only_first_right=only_first,
        only_second_right=only_second,
        difference=(only_second - only_first) / rows,
        interval=paired_interval(only_first, only_second, rows, level),
        p_value=mcnemar(only_first, only_second),
    )


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of the exact McNemar test: a fair coin for each row that only one classifier gets right.

    >>> mcnemar(2, 10), mcnemar(3, 3)
    (0.03857421875, 1.0)
    """
    tosses, fewer = only_first + only_second, min(only_first, only_second)
    if 2 * fewer == tosses:
        return 1.0
    logs = [lgamma(tosses + 1) - lgamma(k + 1) - lgamma(tosses - k + 1) - tosses * log(2) for k in range(fewer + 1)]
    return min(1.0, round(2 * sum(map(exp, logs)), 15))


def paired_interval(only_first: int, only_second: int, rows: int, level: float = 0.95) -> Interval:
    """Tango's score interval for the difference of two paired shares (Statistics in Medicine 17, 1998).

    It holds the differences that a score test does not reject. It keeps its level for few rows and for equal
    classifiers, where the interval of Wald has no width.

    >>> low, high = paired_interval(2, 12, 50)
    >>> round(low, 3), round(high, 3)
    (0.061, 0.345)
    """
    z = normal_deviations(level)
    observed = (only_second - only_first) / rows

    def end_towards(limit: float) -> float:
        inner, outer = observed, limit
        for _ in range(BISECTIONS):
            middle = (inner + outer) / 2
            accepted = abs(score_statistic(only_first, only_second, rows, middle)) <= z
            inner, outer = (middle, outer) if accepted else (inner, middle)
        return outer

    return end_towards(-1.0), end_towards(1.0)


def score_statistic(only_first: int, only_second: int, rows: int, difference: float) -> float:
    """The deviation of the observed difference from this one, in standard deviations under it.

    The share of rows that only the first gets right is then estimated by maximum likelihood, a root of a quadratic.
    """
    distance = only_second - only_first - rows * difference
    if distance == 0:
        return 0.0
    linear = (2 * rows - only_second + only_first) * difference - only_second - only_first
    constant = -only_first * difference * (1 - difference)
    share = (sqrt(max(0.0, linear * linear - 8 * rows * constant)) - linear) / (4 * rows)
    variance = rows * (2 * share + difference * (1 - difference))
    return distance / sqrt(variance) if variance > 0 else inf * distance
