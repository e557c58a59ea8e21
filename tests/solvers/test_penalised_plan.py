"""The plan of a penalised classifier is made once for the same parameters, and refused whenever it is asked for."""

import numpy as np
import pytest

from rosenblatt.parts.features import Polynomial
from rosenblatt.solvers.penalised_plan import penalised_plan


def plan(**parameters):
    return penalised_plan("logistic", loss="logistic", **parameters)


def test_the_same_parameters_give_the_same_plan():
    assert plan(C=2.0) is plan(C=2.0)
    assert plan(C=2.0) != plan(C=3.0)


def test_values_that_are_equal_but_of_another_type_are_checked_again():
    assert plan(fit_intercept=True).recipe.fit_intercept is True
    with pytest.raises(ValueError, match="fit_intercept"):
        plan(fit_intercept="yes")
    plan(max_iter=1)
    with pytest.raises(ValueError, match="max_iter"):
        plan(max_iter=True)


@pytest.mark.parametrize("value", [[1.0], np.ones(2), {}])
def test_a_parameter_that_cannot_be_looked_up_is_refused_by_name(value):
    for _ in range(2):
        with pytest.raises((ValueError, TypeError), match="C"):
            plan(C=value)


def test_bounds_and_features_are_those_given():
    assert plan(bounds=(0, None)).bounds == (0.0, np.inf)
    assert plan(bounds=(0, [1.0, 2.0])).bounds == (0.0, (1.0, 2.0))
    assert plan(features=Polynomial(2)).recipe.features == Polynomial(2)
