"""Intervals for means of losses: those of SciPy where it has them, and as often right as they promise."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from rosenblatt.risk.intervals import Sample, bernstein, chernoff, clopper_pearson, hoeffding, wilson


@st.composite
def shares(draw):
    n = draw(st.integers(1, 5000))
    return draw(st.integers(0, n)), n


@given(shares(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_shares_have_the_intervals_of_scipy(share, level):
    k, n = share
    for ours, method in ((clopper_pearson, "exact"), (wilson, "wilson")):
        theirs = binomtest(k, n).proportion_ci(level, method)
        assert ours(k, n, level) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_a_hundred_million_rows():
    low, high = clopper_pearson(10**7, 10**8)
    half = 1.959964 * np.sqrt(0.09 / 10**8)
    assert (low, high) == pytest.approx((0.1 - half, 0.1 + half), abs=2e-8)


@pytest.mark.parametrize("n", [1, 2, 5, 30, 200])
@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("interval", [clopper_pearson, chernoff, hoeffding, bernstein])
def test_the_true_share_is_inside_as_often_as_promised(interval, n, level):
    """Exactly: the probabilities of all counts whose interval holds the share are added up."""
    k = np.arange(n + 1)
    ends = np.array([interval(i, n, level) if interval is clopper_pearson else interval(coins(i, n), level) for i in k])
    for p in np.linspace(0, 1, 101):
        inside = (ends[:, 0] <= p) & (p <= ends[:, 1])
        assert binom.pmf(k, n, p)[inside].sum() >= level - 1e-9


def coins(k, n):
    return Sample(n, k / n, k * (n - k) / n / max(n - 1, 1))


@given(st.integers(2, 10**6), st.floats(0, 1))
def test_chernoff_is_never_wider_than_hoeffding(n, mean):
    sample = Sample(n, mean, 0.0)
    (low, high), (lower, higher) = chernoff(sample), hoeffding(sample)
    assert lower - 1e-12 <= low <= mean <= high <= higher + 1e-12


def test_bernstein_is_the_shortest_where_losses_vary_little():
    losses = np.random.default_rng(0).uniform(0.4, 0.45, 10_000)
    sample = Sample(len(losses), float(losses.mean()), float(losses.var(ddof=1)))
    width = {f.__name__: np.ptp(f(sample)) for f in (bernstein, chernoff, hoeffding)}
    assert width["bernstein"] < width["chernoff"] / 5
    assert bernstein(sample)[0] < 0.425 < bernstein(sample)[1]


def test_means_of_losses_with_three_values_are_inside_as_often_as_promised():
    random = np.random.default_rng(0)
    values, share, n = np.array([0.0, 0.1, 1.0]), [0.7, 0.25, 0.05], 60
    true = float(values @ share)
    counts = random.multinomial(n, share, size=2000)
    for interval in (chernoff, bernstein, hoeffding):
        inside = 0
        for row in counts:
            mean = row @ values / n
            low, high = interval(Sample(n, mean, row @ (values - mean) ** 2 / (n - 1)), 0.9)
            inside += low <= true <= high
        assert inside >= 0.9 * 2000


def test_intervals_of_no_rows_and_of_too_many_successes():
    assert clopper_pearson(0, 0) == (0, 1)
    with pytest.raises(ValueError, match="k must be between 0 and n = 3, not 4"):
        clopper_pearson(4, 3)


# Ends on the outer side of the true ones, in exact arithmetic


def at_most(k, n, share):
    """The probability of k or fewer of n."""
    p, whole = share.numerator, share.denominator
    return Fraction(sum(comb(n, j) * p**j * (whole - p) ** (n - j) for j in range(k + 1)), whole**n)


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.9999))
def test_the_exact_interval_is_never_too_short(share, level):
    k, n = share
    low, high = clopper_pearson(k, n, level)
    tail = (1 - Fraction(level)) / 2
    assert k == n or at_most(k, n, Fraction(high)) <= tail
    assert k == 0 or at_most(n - k, n, 1 - Fraction(low)) <= tail


def exactly(value):
    value = Fraction(value)
    return arb(fmpq(value.numerator, value.denominator))


def divergence_of(q, p):
    """Of a coin of share p from one of share q, both between 0 and 1."""
    q, p = exactly(q), exactly(p)
    return q * (q / p).log() + (1 - q) * ((1 - q) / (1 - p)).log()


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(1, n), st.just(n))), st.floats(0.01, 0.9999))
def test_intervals_of_means_are_never_too_short(share, level):
    k, n = share
    mean, allowed = Fraction(k, n), (2 / (1 - exactly(level))).log() / n
    sample = Sample(n, k / n, 0.0)
    low, high = hoeffding(sample, level)
    half = (allowed / 2).sqrt()
    assert low == 0 or exactly(low) < exactly(mean) - half
    assert high == 1 or exactly(high) > exactly(mean) + half
    if k < n:
        low, high = chernoff(sample, level)
        assert low == 0 or divergence_of(mean, Fraction(low)) > allowed
        assert high == 1 or divergence_of(mean, Fraction(high)) > allowed
