"""The objective of all planes, and one account of several one-vs-rest optima."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from rosenblatt.foundation.labels import encode
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers import objective
from rosenblatt.solvers.objective import Objective, to_optimum, value_of
from rosenblatt.solvers.optimum import Optimum

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
    found = value_of(aim, ROWS, CODES, 3, False, s, (coef, intercept), 1)
    expected = 0.0
    for k in range(3):
        margins = np.where(k == CODES, 1, -1) * (X @ coef[k] + intercept[k])
        weights = np.append(coef[k], intercept[k] / 2 if penalize_intercept else 0)
        losses = s @ np.logaddexp(0, -margins)
        expected += losses if np.inf == C else C * losses + 0.5 * weights @ weights
    assert found == pytest.approx(expected, rel=1e-12)


def told(reason, steps, **more):
    history = {"visits": np.full(steps, 10), "objective": np.arange(steps, 0.0, -1), "gradient": np.full(steps, 0.1)}
    fields = {"objective": 1.0, "gradient_norm": 1e-7, "gap": np.nan, "visits": 10 * steps, **more}
    return Optimum(
        np.zeros((1, 13)),
        np.zeros(1),
        reason=reason,
        steps=steps,
        history={**history, "seconds": np.ones(steps)},
        **fields,
    )


def several(monkeypatch, *endings):
    """What is told of one-vs-rest problems that end so."""
    left, asked = list(endings), []

    def optimise(*args, **parameters):
        asked.append(parameters)
        return left.pop(0)

    monkeypatch.setattr(objective, "optimise", optimise)
    return to_optimum(ROWS, CODES, 3, Objective("logistic"), max_seconds=100.0), asked


def test_several_optima_make_one_account(monkeypatch):
    trained, asked = several(
        monkeypatch, told("gradient", 3), told("gradient", 5, gradient_norm=3e-7), told("gradient", 2)
    )
    assert trained.objective == 3.0
    assert trained.gradient_norm == 3e-7
    assert (trained.n_iter, trained.n_visits) == (5, 100)
    assert trained.history["objective"].tolist() == [10.0, 7.0, 5.0, 4.0, 3.0]
    assert trained.history["visits"].tolist() == [30, 30, 20, 10, 10]
    assert trained.status.converged
    budgets = [parameters["max_seconds"] for parameters in asked]
    assert budgets == sorted(budgets, reverse=True)


def test_the_least_final_ending_is_told(monkeypatch):
    trained, _ = several(monkeypatch, told("gradient", 3), told("max_iter", 5), told("gradient", 2))
    assert trained.status.reason == "max_iter"
    assert trained.status.startswith("max_iter reached after 5 steps, with 178 of 178 rows misclassified")
    assert not trained.status.converged


def test_an_interruption_ends_them_all(monkeypatch):
    """Planes that were not trained keep the log odds of their class, and the objective counts them too."""
    trained, asked = several(monkeypatch, told("gradient", 3), told("interrupted", 0), told("gradient", 2))
    assert len(asked) == 2
    assert trained.interrupted
    assert trained.coef.shape == (3, 13)
    odds = [np.log(np.mean(k == Y) / np.mean(k != Y)) for k in range(3)]
    np.testing.assert_allclose(trained.intercept, [0.0, *odds[1:]])
    planes = trained.coef, trained.intercept
    assert trained.objective == value_of(Objective("logistic"), ROWS, CODES, 3, False, None, planes, 1)
    assert np.isnan(trained.gradient_norm)


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared-hinge"])
def test_offsets_alone_are_the_best_that_an_offset_can_do(loss):
    rows, s = as_rows(np.zeros((len(X), 1))), np.random.default_rng(0).uniform(size=len(X))
    aim = Objective(loss)
    best = objective.offsets_alone(aim, CODES, 3, s)
    least = value_of(aim, rows, CODES, 3, False, s, (np.zeros((3, 1)), best), 1)
    for k in range(3):
        for change in (-0.01, 0.01):
            other = best + change * np.eye(3)[k]
            assert value_of(aim, rows, CODES, 3, False, s, (np.zeros((3, 1)), other), 1) >= least
