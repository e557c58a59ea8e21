"""Profiles with several minima: Jeffreys' penalty is not convex, and few rows may leave more than one."""

import numpy as np
import pytest

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
