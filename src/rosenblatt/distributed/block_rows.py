"""Labelled rows in blocks that workers hold, as training to the optimum sees them."""

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.class_problems import ClassProblem, class_problems
from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..parts.losses import LOSSES
from ..parts.stops import Stops
from ..solvers.objective import Objective
from ..solvers.optimum import HINGE_TOL, Optimum, gap_optimum, smooth_optimum
from ..solvers.training_rows import Planes, TrainingRows
from . import block_problem as on_worker
from .block_hinge import BlockHinge, BlockHingeNewton, first_multipliers
from .block_objective import BlockObjective
from .block_problem import BlockProblem, BlockRecipe
from .block_survey import Survey
from .cluster import Cluster

NO_LABELS = np.empty(0, np.int32)


@dataclass(frozen=True)
class BlockRows(TrainingRows):
    """The rows of all blocks of a cluster."""

    cluster: Cluster
    survey: Survey
    recipe: BlockRecipe

    @property
    def classes(self) -> int:  # type: ignore[override]
        return self.recipe.classes

    @property
    def count(self) -> int:
        return self.survey.count

    @property
    def columns(self) -> int:
        return self.survey.columns

    def problems(self, joint: bool) -> Iterator[ClassProblem]:
        """The problems without their labels: each block has its own."""
        return class_problems(NO_LABELS, self.classes, joint)

    def find_optimum(self, problem: ClassProblem, objective: Objective, **options: Any) -> Optimum:
        if objective.l1_ratio:
            raise InputError(
                "penalty='l1' and 'elasticnet' cannot be trained on an executor yet: choose penalty='l2', or train in "
                "one process."
            )
        if objective.jeffreys:
            raise InputError(
                "penalty='jeffreys' cannot be trained on an executor, because it needs the leverage of every row in "
                "every step: train on one machine, or choose penalty='l2'."
            )
        parts = BlockProblem(self.recipe, problem, objective)
        if LOSSES[objective.loss].optimum == "newton":
            return smooth_optimum(BlockObjective(self.cluster, self.survey, parts), **options)
        if problem.plane_count > 1:
            raise InputError(
                "the joint hinge of several classes cannot be trained on an executor: choose multi_class='ovr', or "
                "train on one machine."
            )
        return self._hinge_optimum(parts, **options)

    def _hinge_optimum(self, parts: BlockProblem, **options: Any) -> Optimum:
        hinge = BlockHinge(self.cluster, self.survey, first_multipliers(parts, self.columns), self.total_weight())
        tol = HINGE_TOL if options["tol"] is None else options["tol"]
        stops = Stops(tol=tol, max_iter=options["max_iter"], max_seconds=options["max_seconds"])
        return gap_optimum(BlockHingeNewton(hinge), stops, options["watch"], options["bookmark"])

    def class_shares(self) -> Floats:
        weights = self.class_weights()
        return weights / self.total_weight()

    def class_weights(self) -> Floats:
        """The weight of the rows of each class."""
        factors, weights = self.recipe.class_factors, self.survey.class_weights
        return weights if factors is None else weights * factors

    def total_weight(self) -> float:
        """The weight of all rows, added one class after the other."""
        return float(sum(self.class_weights().tolist()))

    def count_mistakes(self, planes: Planes) -> int:
        return int(self.cluster.reduce(on_worker.count_mistakes, operator.add, self.recipe, planes))

    def objective_value(self, objective: Objective, joint: bool, planes: Planes) -> float:
        total = self.cluster.reduce(on_worker.losses, operator.add, self.recipe, objective, joint, planes)
        return objective.from_losses(total, *planes)
