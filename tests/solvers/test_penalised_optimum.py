"""One result for the optima of several one-vs-rest problems."""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from rosenblatt.foundation.labels import encode
from rosenblatt.foundation.matrices import as_rows
from rosenblatt.solvers import penalised_optimum
from rosenblatt.solvers.objective import Objective, objective_of_planes
from rosenblatt.solvers.optimum import Optimum
from rosenblatt.solvers.penalised_optimum import train_to_optimum

X, Y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
CODES = encode(Y)[1]
ROWS = as_rows(X)


def optimum(reason, steps, **more):
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
    """The result of one-vs-rest problems that end like this, and what each was asked."""
    left, asked = list(endings), []

    def find_optimum(*args, **parameters):
        asked.append(parameters)
        return left.pop(0)

    monkeypatch.setattr(penalised_optimum, "find_optimum", find_optimum)
    return train_to_optimum(ROWS, CODES, 3, Objective("logistic"), max_seconds=100.0), asked


def test_several_optima_make_one_result(monkeypatch):
    trained, asked = several(
        monkeypatch, optimum("gradient", 3), optimum("gradient", 5, gradient_norm=3e-7), optimum("gradient", 2)
    )
    assert trained.objective == 3.0
    assert trained.gradient_norm == 3e-7
    assert (trained.n_iter, trained.n_visits) == (5, 100)
    assert trained.history["objective"].tolist() == [10.0, 7.0, 5.0, 4.0, 3.0]
    assert trained.history["visits"].tolist() == [30, 30, 20, 10, 10]
    assert trained.status.converged
    budgets = [parameters["max_seconds"] for parameters in asked]
    assert budgets == sorted(budgets, reverse=True)


def test_the_least_final_ending_is_optimum(monkeypatch):
    trained, _ = several(monkeypatch, optimum("gradient", 3), optimum("max_iter", 5), optimum("gradient", 2))
    assert trained.status.reason == "max_iter"
    assert trained.status.startswith("max_iter reached after 5 steps, with 178 of 178 rows misclassified")
    assert not trained.status.converged


def test_an_interruption_ends_them_all(monkeypatch):
    """Planes that were not trained keep the log odds of their class, and the objective counts them too."""
    trained, asked = several(monkeypatch, optimum("gradient", 3), optimum("interrupted", 0), optimum("gradient", 2))
    assert len(asked) == 2
    assert trained.interrupted
    assert trained.coef.shape == (3, 13)
    odds = [np.log(np.mean(k == Y) / np.mean(k != Y)) for k in range(3)]
    np.testing.assert_allclose(trained.intercept, [0.0, *odds[1:]])
    planes = trained.coef, trained.intercept
    assert trained.objective == objective_of_planes(Objective("logistic"), ROWS, CODES, 3, False, None, planes, 1)
    assert np.isnan(trained.gradient_norm)
