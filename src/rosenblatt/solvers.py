"""Solvers: three ways to the minimum of a penalised loss, and the parts that suit each."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from .engine import Floats
from .errors import TooLarge
from .parts import Part
from .recipe import Recipe

SOLVERS = {
    "optimum": Part(0, "to the optimum, with a proof of how near: Newton steps, for the hinge its dual"),
    "gd": Part(1, "gradient descent: all rows make one step"),
    "sgd": Part(2, "stochastic gradient descent: every row makes a step"),
}

# Parts and limits of the two descents where the user leaves them open.
SUITABLE: Mapping[str, Mapping[str, Any]] = {
    "gd": {
        **{"order": "batch", "step": "constant", "keep": "last"},
        **{"criterion": "gradient", "tol": 1e-4, "max_iter": 1000},
    },
    "sgd": {
        **{"order": "shuffle", "step": "constant", "keep": "average"},
        **{"criterion": "weights", "tol": 1e-3, "max_iter": 1000},
    },
}

BENDS = {"hinge": 1.0, "squared-hinge": 2.0, "logistic": 0.25}  # how fast a push grows; that of the hinge jumps by 1
SHARE_OF_ROW = 0.1  # of the step that would settle a row of mean length at once


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


def row_step(squared_norms: Floats, recipe: Recipe) -> float:
    """A tenth of what would settle a row of mean length at once; less where the squared hinge has far longer ones."""
    lengths = squared_norms + (recipe.intercept_scaling**2 if recipe.fit_intercept else 0.0)
    mean, longest = float(lengths.mean()), float(lengths.max())
    if not np.isfinite(mean):
        raise TooLarge
    if mean == 0:
        return 1.0
    step = SHARE_OF_ROW / mean
    return min(step, 0.5 / longest) if recipe.loss == "squared-hinge" else step
