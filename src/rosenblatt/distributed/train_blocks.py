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


def train_blocks(
    plan: TrainingPlan,
    cluster: Cluster,
    classes: int,
    *,
    class_factors: Any = None,
    start: Planes | None = None,
    watch: Watch | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> TrainingResult:
    """Train on the rows of all blocks, whose classes are numbered 0 .. classes-1.

    The result has the same bits for every executor and every number of its workers.
    """
    if plan.solver != "optimum":
        raise InputError(
            "an executor trains logistic regression and the squared hinge by solver='optimum': choose those, or train "
            "on one machine."
        )
    features = as_features(plan.recipe.features)
    survey = survey_blocks(cluster, classes, features)
    rows = BlockRows(cluster, survey, BlockRecipe(classes, features, class_factors))
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
