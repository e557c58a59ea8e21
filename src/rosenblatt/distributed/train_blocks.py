"""Train a plan on blocks of rows: the same plan, and the same solvers, as on one machine."""

from dataclasses import replace
from typing import Any

from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..foundation.errors import InputError
from ..parts.features import as_features
from ..solvers.penalised_optimum import optimise
from ..solvers.training_plan import TrainingPlan
from ..solvers.training_rows import Planes
from .block_problem import BlockRecipe
from .block_rows import BlockRows
from .block_survey import survey_blocks
from .cluster import Cluster
from .parameter_mixing import check_can_mix, mix_parameters


def check_plan(plan: TrainingPlan) -> None:
    """Refuse a plan that workers cannot train, whatever the rows are."""
    if plan.bounds is not None:
        raise InputError("bounds cannot be kept on an executor: train in one process, with the rows in memory.")
    if plan.solver != "optimum":
        check_can_mix(plan)


def train_blocks(
    plan: TrainingPlan,
    cluster: Cluster,
    classes: int,
    *,
    class_factors: Any = None,
    seed: int = 0,
    start: Planes | None = None,
    trace: bool = False,
    watch: Watch | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> TrainingResult:
    """Train on the rows of all blocks, whose classes are numbered 0 .. classes-1: to the optimum, or by mixing shards.

    The result has the same bits for every executor and every number of its workers.
    """
    check_plan(plan)
    features = as_features(plan.recipe.features)
    survey = survey_blocks(cluster, classes, features)
    rows = BlockRows(cluster, survey, BlockRecipe(classes, features, class_factors))
    if plan.solver != "optimum":
        return mix_parameters(plan, rows, seed=seed, start=start, trace=trace, watch=watch, bookmark=bookmark)
    learned = optimise(
        rows,
        plan.objective(rows.total_weight()),
        joint=plan.is_joint,
        tol=plan.tol,
        max_iter=plan.max_iter,
        max_seconds=plan.recipe.stops.max_seconds,
        start=start,
        watch=watch,
        bookmark=bookmark.nested("blocks", dict, (bookmark.take() or {}).get("blocks")),
    )
    return replace(learned, joint=plan.is_joint)
