"""The solvers of a penalised loss, and the parts and steps that they use by default."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.types import Floats
from ..parts.losses import LOSSES
from ..parts.part import Part, choose
from ..parts.recipe import Recipe
from ..parts.sklearn_names import our_value
from ..parts.steps import STEPS

SOLVERS = {
    "optimum": Part(0, "to the optimum, with a proof of how near: Newton steps, for the hinge its dual"),
    "gd": Part(1, "gradient descent: all rows make one step"),
    "sgd": Part(2, "stochastic gradient descent: every row makes a step"),
}

MULTI_CLASS = {
    "ovr": Part(0, "one plane a class, each trained against the rest"),
    "joint": Part(1, "one plane a class, trained together: the true class must win"),
    "auto": Part(2, "joint where the loss and the solver allow it, else one-vs-rest"),
}

DEFAULT_PARTS: Mapping[str, Mapping[str, Any]] = {
    "gd": {"order": "batch", "keep": "last", "criterion": "gradient", "tol": 1e-4, "max_iter": 1000},
    "sgd": {"order": "shuffle", "keep": "average", "criterion": "weights", "tol": 1e-3, "max_iter": 1000},
}


def default_parts(solver: str, loss: str) -> dict[str, Any]:
    """The default parts and limits of gradient descent; empty for the optimum.

    >>> default_parts("sgd", "logistic")["step"], default_parts("sgd", "squared-hinge")["step"]
    ('1/sqrt(t)', 'constant')
    """
    if solver not in DEFAULT_PARTS:
        return {}
    parts = {"step": "constant", **DEFAULT_PARTS[solver]}
    if solver == "sgd":
        grows = LOSSES[loss].push_grows
        parts |= {"tol": 1e-4} if grows else {"step": "1/sqrt(t)"}  # small constant steps change w little
    return parts


def trains_jointly(loss: str, solver: str | None) -> bool:
    """Whether a solver trains joint classes with a loss. The training loop alone (None) always does."""
    facts = LOSSES[loss]
    return solver is None or (facts.joint_optimum if solver == "optimum" else facts.joint_descent)


def resolve_multi_class(multi_class: str, loss: str, solver: str | None = None) -> str:
    """ "ovr" or "joint", with "auto" decided; "joint" is refused where the solver cannot train it.

    Joint classes predict better on most data: docs/decisions/0022-several-classes.md has the figures.

    >>> [resolve_multi_class("auto", "logistic", solver) for solver in ("optimum", "sgd")]
    ['joint', 'ovr']
    """
    multi_class, loss = our_value("multi_class", multi_class), our_value("loss", loss)
    solver = our_value("solver", solver)
    choose("multi_class", multi_class, MULTI_CLASS)
    possible = trains_jointly(loss, solver)
    if multi_class == "joint" and not possible:
        why = "'sgd' and 'gd' train its joint margins" if solver == "optimum" else "'optimum' trains softmax"
        raise ValueError(
            f"multi_class='joint' does not go with solver={solver!r} for the {loss} loss: {why}; "
            "multi_class='ovr' goes with every solver."
        )
    if multi_class == "auto":
        return "joint" if possible else "ovr"
    return multi_class


def batch_step(rows: _core.Rows, shares: Floats, recipe: Recipe, joint: bool, threads: int) -> float:
    """1 / L, where L is the largest curvature of the mean loss. Steps below 2 / L always decrease the objective.

    So an estimate of L within a factor of 2 is enough. The hinge has no curvature; its L gives a step of a good size.
    """
    bound = LOSSES[recipe.loss].curvature
    assert bound is not None
    curvature = bound * (2.0 if joint else 1.0) * largest_eigenvalue(rows, shares, recipe, threads) + recipe.alpha
    return 1.0 / curvature if curvature else 1.0


def largest_eigenvalue(rows: _core.Rows, shares: Floats, recipe: Recipe, threads: int) -> float:
    """The largest eigenvalue of sum share x x^T, offset coordinate included, by power iteration to about 1 %."""
    problem = _core.Problem(rows, np.ones(rows.count, np.int8), None, None, recipe.native(), threads)
    along, pulled = np.empty(rows.count), np.random.default_rng(0).standard_normal(rows.columns + 1)
    value = before = 0.0
    for _ in range(100):
        direction = pulled / np.linalg.norm(pulled)
        pulled = np.empty_like(direction)
        with np.errstate(over="ignore", invalid="ignore"):
            _core.hessian_product(problem, shares, direction, along, pulled)
            before, value = value, float(np.linalg.norm(pulled))
        if not np.isfinite(value):
            raise TooLarge
        if value - before <= 1e-3 * value:
            break
    return value


def row_step(rows: _core.Rows, weights: Floats | None, recipe: Recipe, threads: int = 1) -> float:
    """The first step of stochastic gradient descent on these rows."""
    constant = recipe.intercept_scaling if recipe.fit_intercept else 0.0
    return first_step(recipe, *rows.mean_and_longest(constant, weights, threads))


def first_step(recipe: Recipe, mean: float, longest: float) -> float:
    """The first step, a multiple of 1 / mean, given the mean of ||x||^2 and the largest, times its weight.

    It is smaller for losses whose push grows, if some rows are far longer or heavier than the mean. It is at most
    1 / alpha, because the penalty of a longer step would reverse w.
    """
    if not np.isfinite(mean):
        raise TooLarge
    step = STEPS[recipe.step].first_step / mean if mean else 1.0
    if LOSSES[recipe.loss].push_grows and longest:
        step = min(step, 0.5 / longest)
    return min(step, 1 / recipe.alpha) if recipe.alpha else step
