"""The training loop on many workers, by iterative parameter mixing: an epoch on each shard, mix, repeat.

The working-set order does not mix: the driver learns the hardest rows (`working_set_learner.py`).
Perceptrons are mixed by their mistakes, which bounds them as on one machine (docs/theory/parameter-mixing.md).
Stochastic gradient descent is mixed by rows. The loop, its stops and its results are those of `engine/`.
"""

import operator
from dataclasses import replace

import numpy as np

from ..engine.class_problems import ClassProblem
from ..engine.one_vs_rest import result_of, run_all, stack_weights
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..engine.run import Run
from ..foundation.errors import InputError
from ..parts.orders import WHOLE_PASSES
from ..parts.recipe import Recipe
from ..parts.steps import ALMA, SECOND_ORDER
from ..solvers.defaults import first_step
from ..solvers.gradient_descent import with_objective
from ..solvers.training_plan import TrainingPlan
from ..solvers.training_rows import Planes
from .block_rows import BlockRows
from .block_totals import SquaredNorms, squared_norms
from .mixed_learner import MixedLearner
from .shard_epoch import MixedProblem, Share
from .working_set_learner import WorkingSetLearner

WORKING_SET = "working-set"


def check_can_mix(plan: TrainingPlan) -> None:
    """Refuse what shards cannot learn apart."""
    order, known = plan.recipe.order, ", ".join(map(repr, (*WHOLE_PASSES, WORKING_SET)))
    if plan.solver == "gd":
        raise InputError(
            "solver='gd' does not run on an executor: choose 'optimum', or 'sgd', which mixes shards, or train on one "
            "machine."
        )
    if order not in (*WHOLE_PASSES, WORKING_SET):
        raise InputError(
            f"order={order!r} chooses among all rows, which no worker holds: on an executor choose one of {known}, or "
            "train on one machine."
        )
    if plan.recipe.keep == "vote":
        raise InputError(
            "keep='vote' keeps the rows that move w, which no executor collects: choose keep='average', or train on "
            "one machine."
        )
    if plan.recipe.step in (*ALMA, *SECOND_ORDER):
        raise InputError(
            f"step={plan.recipe.step!r} depends on all earlier updates, and shards make theirs apart: on an "
            "executor choose another algorithm, or train on one machine."
        )


def mix_parameters(
    plan: TrainingPlan,
    rows: BlockRows,
    *,
    seed: int = 0,
    start: Planes | None = None,
    trace: bool = False,
    watch: Watch | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> TrainingResult:
    """Train a plan of the training loop on the rows of all blocks."""
    total = rows.total_weight()
    weighed, recipe = (rows, plan.recipe) if plan.solver is None else _descent(plan, rows, total)
    runs = []
    for labels in rows.problems(plan.is_joint):
        planes = None if start is None else (start[0][labels.planes], start[1][labels.planes])
        runs.append(_run(weighed, labels, recipe, "updates" if plan.solver is None else "visits", seed, planes, trace))
    run_all(runs, 1, watch, None, bookmark)
    mistakes = runs[0].count_mistakes() if len(runs) == 1 else rows.count_mistakes(stack_weights(runs))
    learned = replace(result_of(runs, mistakes), joint=plan.is_joint)
    if plan.solver is None:
        return learned
    goal = plan.objective(total)
    return with_objective(learned, goal, total, lambda planes: rows.objective_value(goal, plan.is_joint, planes))


def _run(
    rows: BlockRows, labels: ClassProblem, recipe: Recipe, share: Share, seed: int, start: Planes | None, trace: bool
) -> Run:
    """The run of one problem: with a working set on the driver, or by mixing."""
    if recipe.order == WORKING_SET:
        one = WorkingSetLearner(rows, MixedProblem(rows.recipe, labels, recipe, share, trace), seed, start)
        return Run(one, recipe, is_inseparable=one.is_inseparable)
    problem = MixedProblem(rows.recipe, labels, _shard_recipe(recipe), share, trace)
    return Run(MixedLearner(rows, problem, recipe.order, recipe.keep, seed, start), recipe)


def _shard_recipe(recipe: Recipe) -> Recipe:
    """The recipe within a shard. The driver keeps the pocket; seeds say whether epochs have the same order."""
    keep, order = ("last" if recipe.keep == "best" else recipe.keep), recipe.order
    return replace(recipe, keep=keep, order="cyclic" if order == "cyclic" else "shuffle")


def _descent(plan: TrainingPlan, rows: BlockRows, total: float) -> tuple[BlockRows, Recipe]:
    """The rows with weights of mean 1, and the recipe with its alpha and eta0, as `prepare_recipe` makes them."""
    if plan.l1_ratio:
        raise InputError(
            "penalty='l1' and 'elasticnet' cannot be trained on an executor, because the mean of several workers' "
            "weights is seldom 0: choose penalty='l2', or train in one process."
        )
    recipe = replace(plan.recipe, alpha=plan.objective(total).alpha(total))
    if total != rows.count:
        factors = np.ones(rows.classes) if rows.recipe.class_factors is None else rows.recipe.class_factors
        rows = replace(rows, recipe=replace(rows.recipe, class_factors=factors * (rows.count / total)))
    if plan.eta0 is None:
        constant = float(recipe.intercept_scaling) if recipe.fit_intercept else 0.0
        norms: SquaredNorms = rows.cluster.reduce(squared_norms, operator.add, rows.recipe, constant)
        recipe = replace(recipe, eta0=first_step(recipe, norms.mean, norms.largest))
    return rows, recipe
