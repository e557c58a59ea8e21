"""Exact hyperplanes as floats, and their weights in certificates."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.prove.certificates.certificate import centre_weights
from rosenblatt.prove.exact.hyperplane import Hyperplane

LARGEST = np.finfo(np.float64).max
HUGE = Fraction(10) ** 400


def test_weights_beyond_floats_keep_their_sign():
    plane = Hyperplane((HUGE, -HUGE, 1 / HUGE, -1 / HUGE), -HUGE)
    assert plane.coef.tolist() == [LARGEST, -LARGEST, 0.0, 0.0]
    assert plane.intercept == -LARGEST


def test_hyperplanes_are_equal_whatever_their_columns_are_called():
    weights, offset = (Fraction(1), Fraction(2)), Fraction(3)
    assert Hyperplane(weights, offset, ("a", "b")) == Hyperplane(weights, offset)
    assert Hyperplane(weights, offset) != Hyperplane(weights, Fraction(4))


@pytest.mark.parametrize("sizes", [(3000, 0), (0, 3000), (1200, -700, 5), (2000, 1999, 1998)])
def test_weights_beyond_floats_are_centred(sizes):
    """They keep their ratios, and the largest is as far above 1 as the smallest is below."""
    weights = [Fraction(3) * Fraction(2) ** size for size in sizes]
    centred = centre_weights(weights)
    assert len({a / b for a, b in zip(weights, centred, strict=True)}) == 1
    assert Fraction(1, 4) <= max(centred) * min(centred) <= 4


@settings(deadline=None)
@given(st.lists(st.fractions(-100, 100), min_size=1, max_size=4))
def test_weights_within_floats_become_whole_numbers_of_the_same_ratios(weights):
    centred = centre_weights(weights)
    assert all(value.denominator == 1 for value in centred)
    assert all(
        a * d == b * c for a, c in zip(weights, centred, strict=True) for b, d in zip(weights, centred, strict=True)
    )
    assert [value > 0 for value in centred] == [value > 0 for value in weights]
