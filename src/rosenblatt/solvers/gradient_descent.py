"""Gradient descent on a penalised loss: the training loop on the mean loss, by row ("sgd") or by batch ("gd")."""

from collections.abc import Callable
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from .. import _core
from ..engine.held_out import HeldOut
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..engine.train import train
from ..foundation.types import Codes, Floats
from ..parts.recipe import Recipe
from .defaults import batch_step, row_step
from .objective import Objective, objective_of_planes


def prepare_recipe(
    rows: _core.Rows,
    recipe: Recipe,
    objective: Objective,
    solver: str,
    eta0: float | None,
    joint: bool,
    weights: Floats | None,
    total: float,
    threads: int,
) -> tuple[Recipe, Floats | None]:
    """The recipe with its alpha and eta0, and the weight of each row in the loop."""
    n = rows.count
    recipe = replace(recipe, alpha=objective.alpha(total))
    if solver == "gd":
        shares = np.full(n, 1 / n) if weights is None else weights / total
        if eta0 is None:
            recipe = replace(recipe, eta0=batch_step(rows, shares, recipe, joint, threads))
        return recipe, shares
    relative = None if weights is None else weights * (n / total)
    if eta0 is None:
        recipe = replace(recipe, eta0=row_step(rows, relative, recipe, threads))
    return recipe, relative


def descend(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    recipe: Recipe,
    objective: Objective,
    solver: str,
    *,
    eta0: float | None = None,
    multi_class: str = "ovr",
    weights: Floats | None = None,
    total: float,
    seed: int = 0,
    threads: int = 1,
    start: tuple[Floats, Floats] | None = None,
    trace: bool = False,
    watch: Watch | None = None,
    held_out: HeldOut | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
    began: float | None = None,
) -> TrainingResult:
    """Train the recipe with the objective's penalty. `total` is the sum of the rows' weights.

    If `eta0` is None, the first step is computed from the rows.
    """
    joint = multi_class == "joint" and classes > 2
    saved = bookmark.take() or {}
    if "eta0" in saved:
        eta0 = saved["eta0"]
        recipe = replace(recipe, eta0=eta0)
    recipe, relative = prepare_recipe(rows, recipe, objective, solver, eta0, joint, weights, total, threads)
    inside = bookmark.nested("loop", lambda: {"eta0": recipe.eta0}, saved.get("loop"))  # eta0 may take many passes
    shared: dict[str, Any] = {"seed": seed, "threads": threads, "start": start, "trace": trace, "watch": watch}
    shared |= {
        "multi_class": multi_class,
        "weights": relative,
        "held_out": held_out,
        "bookmark": inside,
        "began": began,
    }
    learned = train(rows, codes, classes, recipe, **shared)
    if solver == "gd" and recipe.keep == "best":
        learned.history["mistakes"] *= total  # the weights of gd are shares, so the pocket counted shares
    shape = rows, codes, classes, joint, weights
    return with_objective(
        learned, objective, total, lambda planes: objective_of_planes(objective, *shape, planes, threads)
    )


def with_objective(
    learned: TrainingResult, objective: Objective, total: float, compute: Callable[[tuple[Floats, Floats]], float]
) -> TrainingResult:
    """The result with the objective of its weights, computed from the rows if no pass has found their loss."""
    if "objective" in learned.history:
        learned.history["objective"] *= objective.factor * total
    if isnan(learned.mean_loss):
        return replace(learned, objective=compute(learned.returned))
    return replace(learned, objective=objective.from_losses(learned.mean_loss * total, *learned.returned))
