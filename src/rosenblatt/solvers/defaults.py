"""Solvers: three ways to the minimum of a penalised loss, and the parts that suit each."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.types import Floats
from ..parts.part import Part
from ..parts.recipe import Recipe

SOLVERS = {
    "optimum": Part(0, "to the optimum, with a proof of how near: Newton steps, for the hinge its dual"),
    "gd": Part(1, "gradient descent: all rows make one step"),
    "sgd": Part(2, "stochastic gradient descent: every row makes a step"),
}

SUITABLE: Mapping[str, Mapping[str, Any]] = {
    "gd": {"order": "batch", "keep": "last", "criterion": "gradient", "tol": 1e-4, "max_iter": 1000},
    "sgd": {"order": "shuffle", "keep": "average", "criterion": "weights", "tol": 1e-3, "max_iter": 1000},
}

# How fast a push grows. That of the hinge jumps; 0.25 gave the best steps for it, of 1/200 to 10 on two data sets.
BENDS = {"hinge": 0.25, "squared-hinge": 2.0, "logistic": 0.25}

# Of the step that makes up for one push on a row of mean length. Pushes of the hinge and the logistic loss are at most
# 1, so that a falling step may begin far above it: 50 was best of 0.1 to 50 on four data sets. Those of the squared
# hinge grow, and such steps would blow them up.
FIRST_STEPS = {"constant": 0.1, "1/t": 50.0, "1/sqrt(t)": 50.0, "pegasos": 1.0}


def suitable(solver: str, loss: str) -> dict[str, Any]:
    """Parts and limits of a descent where the user leaves them open; none for the optimum.

    >>> suitable("sgd", "logistic")["step"], suitable("sgd", "squared-hinge")["step"]
    ('1/sqrt(t)', 'constant')
    """
    if solver not in SUITABLE:
        return {}
    parts = {"step": "constant", **SUITABLE[solver]}
    if solver == "sgd":
        parts |= {"tol": 1e-4} if loss == "squared-hinge" else {"step": "1/sqrt(t)"}  # small constant steps creep
    return parts


def check_joint(loss: str, solver: str) -> None:
    """Refuse joint classes where a solver cannot train them: softmax is an optimum's, rivals' margins are a loop's."""
    smooth = loss == "logistic"
    if smooth != (solver == "optimum"):
        why = "softmax is found by 'optimum'" if smooth else "its joint margins are trained by 'sgd' or 'gd'"
        raise ValueError(
            f"multi_class='joint' does not go with solver={solver!r} for the {loss} loss: {why}; "
            "multi_class='ovr' goes with every solver."
        )


def batch_step(rows: _core.Rows, shares: Floats, recipe: Recipe, joint: bool, threads: int) -> float:
    """1 / L, L the largest curvature of the mean loss: gradient descent falls at every step below 2 / L.

    So an estimate of L within a factor of 2 is enough. The hinge has no such L; there it is a step of the right size.
    """
    bend = BENDS[recipe.loss] * (2.0 if joint else 1.0)
    curvature = bend * largest_eigenvalue(rows, shares, recipe, threads) + recipe.alpha
    return 1.0 / curvature if curvature else 1.0


def largest_eigenvalue(rows: _core.Rows, shares: Floats, recipe: Recipe, threads: int) -> float:
    """Of the sum of share * x x^T, the constant coordinate included; from below, by power iteration to about 1 %."""
    problem = _core.Problem(rows, np.ones(rows.count, np.int8), None, None, recipe.native(), threads)
    along, pulled = np.empty(rows.count), np.random.default_rng(0).standard_normal(rows.columns + 1)
    value = before = 0.0
    for _ in range(100):
        direction = pulled / np.linalg.norm(pulled)
        pulled = np.empty_like(direction)
        with np.errstate(over="ignore", invalid="ignore"):
            _core.curve(problem, shares, direction, along, pulled)
            before, value = value, float(np.linalg.norm(pulled))
        if not np.isfinite(value):
            raise TooLarge
        if value - before <= 1e-3 * value:
            break
    return value


def row_step(rows: _core.Rows, weights: Floats | None, recipe: Recipe, threads: int = 1) -> float:
    """A share of 1 / (mean of ||x||^2); less where the squared hinge has far longer or weightier rows.

    And no longer than 1 / alpha, where a step's penalty would turn w round.
    """
    constant = recipe.intercept_scaling if recipe.fit_intercept else 0.0
    mean, longest = rows.mean_and_longest(constant, weights, threads)
    if not np.isfinite(mean):
        raise TooLarge
    step = FIRST_STEPS[recipe.step] / mean if mean else 1.0
    if recipe.loss == "squared-hinge" and longest:
        step = min(step, 0.5 / longest)
    return min(step, 1 / recipe.alpha) if recipe.alpha else step
