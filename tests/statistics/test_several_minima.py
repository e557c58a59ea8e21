"""Profiles with several minima: Jeffreys' penalty is not convex, and few rows may leave more than one."""

import numpy as np
import pytest
from multinomial import Multinomial

from evidence.firth import designs
from evidence.firth_intervals import QUANTILE, PenalisedProfile
from rosenblatt import LogisticRegression, summary


def test_an_interval_goes_on_where_another_minimum_is_lower():
    """A search that follows one minimum ended at 3.195, where another one, of deviance 3.563, is below the quantile."""
    X, y = next(rows for number, rows in enumerate(designs(109)) if number == 108)
    found = summary(LogisticRegression(penalty="jeffreys").fit(X, y), X, y)
    best = np.array([one.estimate for one in [*found.coefficients[1:], found.coefficients[0]]])
    profile = PenalisedProfile(np.column_stack([X, np.ones(len(X))]), 2 * y - 1)
    lowest = profile.minimum(best, 4, found["x5"].upper)[0]
    assert 2 * (lowest - profile.objective(best)[0]) == pytest.approx(QUANTILE, abs=1e-5)


def test_an_end_beyond_a_fold_of_the_profile_is_found():
    """Near a fold hundreds of minima along the profile are not found; a search that gave up after 30 lost both ends."""
    X, y = next(rows for number, rows in enumerate(designs(148)) if number == 147)
    found = summary(LogisticRegression(penalty="jeffreys").fit(X, y), X, y)
    best = np.array([one.estimate for one in [*found.coefficients[1:], found.coefficients[0]]])
    profile = PenalisedProfile(np.column_stack([X, np.ones(len(X))]), 2 * y - 1)
    for place, name in ((0, "x1"), (3, "x4")):
        for end in (found[name].lower, found[name].upper):
            assert profile.deviances(best, place, end).min() == pytest.approx(QUANTILE, abs=1e-5)


@pytest.mark.parametrize(("seed", "place", "side"), [(19, 4, "lower"), (51, 0, "lower"), (27, 0, "upper")])
def test_an_end_of_several_classes_is_inside_no_lower_minimum(seed, place, side):
    """A search from three starts ended here where another minimum's deviance was 0.8 to 2 below the quantile."""
    dice = np.random.default_rng(seed)
    columns, rows = 2, int(dice.integers(14, 26))
    X, y = dice.integers(-3, 4, (rows, columns)).astype(float), dice.integers(0, 3, rows)
    if dice.random() < 0.7:
        y = np.clip((X @ dice.integers(-2, 3, columns) + dice.integers(-1, 2, rows)) // 2 + 1, 0, 2).astype(int)
    truth = Multinomial(X, y, jeffreys=True)
    found = summary(LogisticRegression(penalty="jeffreys").fit(X, y), X, y).coefficients
    best = np.array([one.estimate for one in found])
    starts = best + 2 * np.abs(best) * np.random.default_rng(0).normal(size=(15, len(best)))
    lowest = min(truth.minimum({place: getattr(found[place], side)}, start)[0] for start in starts)
    assert 2 * (lowest - truth.objective(best)) > QUANTILE - 1e-4
