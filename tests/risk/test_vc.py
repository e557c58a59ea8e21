"""The inequality of Vapnik and Chervonenkis: it holds in simulations, and its inverse is one."""

from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import vc_bound, vc_dimension, vc_sample_size
from rosenblatt.risk.vc import vc_confidence

DRAWS = 10_000


def mistakes_above(y):
    """Mistakes of the classifiers x -> [x > t], for rows of labels in the order of their x: one column for each number
    of points below t. Their VC dimension is 1: a point cannot be out while a smaller one is in."""
    missed = np.pad(np.cumsum(y, axis=1), ((0, 0), (1, 0)))  # ones below the threshold
    false = np.pad(np.cumsum(~y[:, ::-1], axis=1)[:, ::-1], ((0, 0), (0, 1)))  # zeros above it
    return missed + false


def true_risk(t):
    """x is uniform on [0, 1], and y is [x > 0.3], flipped with probability 0.2."""
    return 0.2 + 0.6 * np.abs(t - 0.3)


@pytest.mark.parametrize("n", [1, 5, 20, 200])
def test_bound_fails_in_at_most_a_share_eta_of_draws(n):
    """For every threshold at once: the worst is looked for, and found at an end of the gap between two points."""
    random = np.random.default_rng(n)
    x = np.sort(random.random((DRAWS, n)), axis=1)
    mistakes = mistakes_above((x > 0.3) ^ (random.random((DRAWS, n)) < 0.2))
    ends = np.pad(x, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1)))
    risk = np.maximum(true_risk(ends[:, :-1]), true_risk(ends[:, 1:]))
    for eta in (0.01, 0.05, 0.5, 0.9):
        bounds = np.array([vc_bound(k / n, n, vc_dim=1, eta=eta).bound for k in range(n + 1)])
        assert (risk > bounds[mistakes]).any(axis=1).mean() <= eta
    chosen = mistakes.argmin(axis=1)[:, None]  # while the training risk of the best alone is mostly too low
    assert (np.take_along_axis(risk, chosen, 1) > np.take_along_axis(mistakes, chosen, 1) / n).mean() > 0.5


def test_bound_holds_for_all_lines_through_the_origin():
    """Rows on a circle, y is the side of one line, flipped with probability 0.2; a line turned by t has the risk
    0.2 + 0.6 |t| / pi. What a line says changes only where it meets a point, so the worst of an arc between two such
    places is at one of its ends, or at a half turn."""
    random, n = np.random.default_rng(0), 25
    angle = random.uniform(-np.pi, np.pi, (DRAWS, n))
    y = (np.cos(angle) > 0) ^ (random.random((DRAWS, n)) < 0.2)
    meets = np.sort(np.concatenate([angle - np.pi / 2, angle + np.pi / 2], axis=1) % (2 * np.pi), axis=1)
    after = np.concatenate([meets[:, 1:], meets[:, :1] + 2 * np.pi], axis=1)
    says = np.cos(angle[:, None, :] - (meets + after)[:, :, None] / 2) > 0
    training = (says != y[:, None, :]).mean(axis=2)
    turned = [np.abs((end + np.pi) % (2 * np.pi) - np.pi) for end in (meets, after)]
    half_turn = ((meets <= np.pi) & (after >= np.pi)) | (after >= 3 * np.pi)
    excess = (0.2 + 0.6 * np.where(half_turn, np.pi, np.maximum(*turned)) / np.pi - training).max(axis=1)
    assert (excess > 0).mean() > 0.99
    for eta in (0.05, 0.5, 0.9):
        assert (excess > vc_confidence(n, vc_dimension(2, fit_intercept=False), eta)).mean() <= eta


def test_a_term_six_times_smaller_would_fail():
    """The simulation sees a broken bound: it is not passed by every formula."""
    random = np.random.default_rng(0)
    mistakes = mistakes_above(random.random((DRAWS, 20)) < 0.5).min(axis=1)  # nothing to learn: the true risk is 1 / 2
    assert (mistakes / 20 + vc_confidence(20, 1, 0.05) / 6 < 0.5).mean() > 0.05


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(1e-9, 0.999))
def test_the_term_is_the_formula_and_falls_with_every_row(vc_dim, more, eta):
    n = vc_dim + more
    assert vc_confidence(n, vc_dim, eta) == pytest.approx(sqrt((vc_dim * (log(2 * n / vc_dim) + 1) - log(eta / 4)) / n))
    assert vc_confidence(n, vc_dim, eta) < vc_confidence(n - 1, vc_dim, eta)
    assert vc_confidence(n, vc_dim, eta) > vc_confidence(n, vc_dim, min(2 * eta, 0.9999))


@given(st.integers(1, 1000), st.floats(1e-3, 1.5), st.floats(1e-6, 0.99), st.sampled_from([1.0, 7.5]))
def test_sample_size_is_the_inverse(vc_dim, confidence, eta, scale):
    losses = (0, scale)
    n = vc_sample_size(confidence * scale, vc_dim, eta, losses=losses)
    assert vc_bound(0, n, vc_dim, eta, losses=losses).confidence <= confidence * scale
    assert n == vc_dim or vc_bound(0, n - 1, vc_dim, eta, losses=losses).confidence > confidence * scale


def test_sample_size_of_a_term_is_the_size_it_belongs_to():
    for n in (10, 99, 12_345, 10**250):
        assert vc_sample_size(vc_confidence(n, 10, 0.1), 10, 0.1) == pytest.approx(n, rel=1e-12, abs=0.1)


@given(st.integers(1, 10**9), st.integers(0, 10**18), st.floats(1e-300, 0.999), st.floats(0, 1))
def test_terms_and_bounds_are_rounded_up(vc_dim, more, eta, risk):
    n = vc_dim + more
    share = Fraction(eta)
    logs = vc_dim * ((arb(2 * n) / vc_dim).log() + 1) - (arb(fmpq(share.numerator, share.denominator)) / 4).log()
    term = (logs / n).sqrt()
    found = vc_bound(risk, n, vc_dim, eta)
    assert arb(found.confidence) > term
    assert arb(found.confidence) < term * (1 + arb(2) ** -46)
    assert Fraction(found.bound) >= Fraction(risk) + Fraction(found.confidence)
    printed = str(found).removeprefix("true risk at most ").split(" with")[0]
    assert Fraction(printed) >= Fraction(found.bound)


def test_losses_are_scaled():
    plain, scaled = vc_bound(0.2, 500, 4), vc_bound(1.0, 500, 4, losses=[[0, 5], [5, 0]])
    assert scaled.confidence == pytest.approx(5 * plain.confidence)
    assert scaled.bound == pytest.approx(5 * plain.bound)
    gains = vc_bound(-4.0, 500, 4, losses=(-5, 0))
    assert gains.bound == pytest.approx(5 * plain.bound - 5)


def test_a_bound_that_says_nothing_says_so():
    few, many = vc_bound(0.3, 30, 11), vc_bound(0.3, 30_000, 11)
    assert few.vacuous
    assert not many.vacuous
    assert "vacuous" in str(few)
    assert "vacuous" not in str(many)
    assert float(many) == many.bound == pytest.approx(0.3 + many.confidence)
    assert vc_bound(0, 10**6, 10**6).vacuous  # at n = h it always is
    assert not vc_bound(1.5, 30_000, 11, losses=(0, 5)).vacuous


def test_dimension_of_hyperplanes():
    assert vc_dimension(7) == 8
    assert vc_dimension(7, fit_intercept=False) == 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n": 4, "vc_dim": 5}, r"4 rows are too few for a VC dimension of 5"),
        ({"n": 0}, "n must be a whole number above 0, not 0"),
        ({"n": 10.5}, "n must be a whole number above 0, not 10.5"),
        ({"vc_dim": 0}, "vc_dim must be a whole number above 0, not 0"),
        ({"vc_dim": True}, "vc_dim must be a whole number above 0, not True"),
        ({"eta": 0}, "eta must be between 0 and 1, both excluded, not 0"),
        ({"eta": 1.0}, "eta must be between 0 and 1"),
        ({"eta": -0.1}, "eta must be between 0 and 1"),
        ({"eta": float("nan")}, "eta must be between 0 and 1"),
        ({"eta": "0.1"}, "eta must be between 0 and 1"),
        ({"risk": 1.2}, "risk must be a mean of losses between 0 and 1, not 1.2"),
        ({"risk": -0.1}, "risk must be a mean of losses between 0 and 1"),
        ({"risk": float("nan")}, "risk must be a mean of losses between 0 and 1"),
        ({"losses": (0, float("inf"))}, "at least two finite numbers, or they cannot be scaled"),
        ({"losses": (0, float("nan"))}, "cannot be scaled"),
        ({"losses": (0.1, 0.1)}, "losses from 0.1 to 0.1 cannot be scaled"),
        ({"losses": [0.1]}, "cannot be scaled"),
        ({"losses": (-1.7e308, 1.7e308)}, "cannot be scaled"),
        ({"losses": "all"}, "cannot be scaled"),
        ({"n": 10**400}, "n must be at most 1e\\+300"),
    ],
)
def test_refusals(arguments, said):
    with pytest.raises(ValueError, match=said):
        vc_bound(**{"risk": 0.1, "n": 100, "vc_dim": 3, "eta": 0.05, **arguments})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"confidence": 0}, "confidence must be a finite number above 0, not 0"),
        ({"confidence": float("nan")}, "confidence must be a finite number above 0"),
        ({"confidence": 1e-200}, r"would take more than 1e\+300 rows"),
        ({"vc_dim": 0}, "vc_dim must be a whole number above 0"),
        ({"eta": 1}, "eta must be between 0 and 1"),
        ({"losses": (0, float("inf"))}, "cannot be scaled"),
    ],
)
def test_refusals_of_sample_size(arguments, said):
    with pytest.raises(ValueError, match=said):
        vc_sample_size(**{"confidence": 0.1, "vc_dim": 3, "eta": 0.05, **arguments})


def test_tiny_eta_costs_only_its_logarithm():
    assert vc_confidence(1000, 1, 5e-324) == pytest.approx(sqrt((log(2000) + 1 + log(4) - log(5e-324)) / 1000))
    assert vc_confidence(1000, 1, exp(-1)) < vc_confidence(1000, 1, 5e-324)
