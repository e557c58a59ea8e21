"""The objective of all planes, and the best offsets of planes without weights."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from rosenblatt.foundation.labels import encode
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers.objective import Objective, best_constant_offsets, objective_of_planes

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
CODES = encode(Y)[1]
ROWS = as_rows(X)


@pytest.mark.parametrize("penalize_intercept", [False, True])
@pytest.mark.parametrize("C", [0.3, np.inf])
def test_the_value_is_that_of_the_definition(C, penalize_intercept):
    random = np.random.default_rng(0)
    coef, intercept, s = random.normal(size=(3, 13)), random.normal(size=3), random.uniform(size=len(X))
    aim = Objective("logistic", C, intercept_scaling=2.0, penalize_intercept=penalize_intercept)
    found = objective_of_planes(aim, ROWS, CODES, 3, False, s, (coef, intercept), 1)
    expected = 0.0
    for k in range(3):
        margins = np.where(k == CODES, 1, -1) * (X @ coef[k] + intercept[k])
        weights = np.append(coef[k], intercept[k] / 2 if penalize_intercept else 0)
        losses = s @ np.logaddexp(0, -margins)
        expected += losses if np.inf == C else C * losses + 0.5 * weights @ weights
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared-hinge"])
def test_best_constant_offsets_minimise_the_objective(loss):
    rows, s = as_rows(np.zeros((len(X), 1))), np.random.default_rng(0).uniform(size=len(X))
    aim = Objective(loss)
    best = best_constant_offsets(aim, CODES, 3, s)
    least = objective_of_planes(aim, rows, CODES, 3, False, s, (np.zeros((3, 1)), best), 1)
    for k in range(3):
        for change in (-0.01, 0.01):
            other = best + change * np.eye(3)[k]
            assert objective_of_planes(aim, rows, CODES, 3, False, s, (np.zeros((3, 1)), other), 1) >= least
