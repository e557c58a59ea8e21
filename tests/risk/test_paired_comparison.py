"""Two classifiers on the same rows: the interval of their difference and McNemar's test, against slow definitions."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import chi2

from rosenblatt.risk.paired_comparison import compare_right, mcnemar, paired_interval, score_statistic


@pytest.mark.parametrize(("first", "second"), [(0, 5), (2, 10), (7, 7), (31, 12), (400, 420)])
def test_mcnemar_compares_with_chi_squared(first, second):
    assert mcnemar(first, second) == pytest.approx(chi2.sf((first - second) ** 2 / (first + second), df=1), rel=1e-9)


def test_mcnemar_of_classifiers_that_are_right_in_the_same_rows():
    assert mcnemar(0, 0) == 1.0


@pytest.mark.parametrize("rows", [12, 40, 1000])
def test_the_interval_and_the_test_agree(rows):
    """For all outcomes of few rows, and for many of more."""
    counts = range(min(rows, 30) + 1)
    for first, second in product(counts, counts):
        if first + second <= rows:
            low, high = paired_interval(first, second, rows)
            assert (low <= 0 <= high) == (mcnemar(first, second) >= 0.05), (first, second)


@pytest.mark.parametrize("rows", [10, 25, 50])
def test_equal_classifiers_seem_to_differ_in_about_one_of_twenty_samples(rows):
    """The exact probability, over all outcomes, for every share of rows that tell the classifiers apart."""
    wrong = [
        sum(comb(tosses, first) for first in range(tosses + 1) if mcnemar(first, tosses - first) < 0.05) / 2**tosses
        for tosses in range(rows + 1)
    ]
    for share in np.linspace(0.02, 1.0, 50):
        chances = [comb(rows, k) * share**k * (1 - share) ** (rows - k) for k in range(rows + 1)]
        assert np.dot(chances, wrong) < 0.065


def slow_score_statistic(only_first, only_second, rows, difference):
    """The same with the likelihood maximised numerically over the share that only the first gets right."""
    counts = np.array([only_second, only_first, rows - only_first - only_second])

    def loss(share):
        shares = np.array([share + difference, share, 1 - 2 * share - difference])
        return -sum(n * np.log(p) for n, p in zip(counts, shares, strict=True) if n)

    bounds = max(0.0, -difference) + 1e-13, (1 - difference) / 2 - 1e-13
    share = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
    return (only_second - only_first - rows * difference) / np.sqrt(
        rows * (2 * share + difference - difference * difference)
    )


@pytest.mark.parametrize("difference", [-0.4, -0.07, 0.05, 0.3])
@pytest.mark.parametrize("counts", [(2, 12, 50), (5, 5, 100), (0, 7, 30), (3, 0, 20)])
def test_the_score_statistic_maximises_the_likelihood(counts, difference):
    assert score_statistic(*counts, difference) == pytest.approx(slow_score_statistic(*counts, difference), rel=1e-5)


def test_the_interval_covers_the_true_difference():
    """The exact probability of covering, over all outcomes of 25 rows, is near 95 % for very different truths."""
    rows = 25
    outcomes = [(b, c) for b, c in product(range(rows + 1), repeat=2) if b + c <= rows]
    intervals = {(b, c): paired_interval(c, b, rows) for b, c in outcomes}
    covered = []
    for only_second, only_first in [(0.1, 0.1), (0.3, 0.1), (0.05, 0.02), (0.4, 0.4), (0.2, 0.0)]:
        truth, rest = only_second - only_first, 1 - only_second - only_first
        covered.append(
            sum(
                comb(rows, b) * comb(rows - b, c) * only_second**b * only_first**c * rest ** (rows - b - c)
                for (b, c), (low, high) in intervals.items()
                if low <= truth <= high
            )
        )
    assert min(covered) > 0.92
    assert np.mean(covered) > 0.94


def test_swapping_the_classifiers_turns_the_difference_round():
    rng = np.random.default_rng(0)
    first, second = rng.random(200) < 0.8, rng.random(200) < 0.7
    one, other = compare_right(first, second), compare_right(second, first)
    assert one.difference == -other.difference == pytest.approx(second.mean() - first.mean())
    assert one.interval == pytest.approx([-end for end in reversed(other.interval)])
    assert one.p_value == other.p_value
    assert one.both_right + one.only_first_right == first.sum()
    assert one.both_right + one.only_second_right == second.sum()


def test_equal_classifiers_have_an_interval_around_zero():
    low, high = compare_right(np.ones(100, bool), np.ones(100, bool)).interval
    assert low < 0 < high
    assert -low == pytest.approx(high)
