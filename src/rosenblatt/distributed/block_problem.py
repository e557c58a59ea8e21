"""What a worker computes of one block for Newton's method: sums over its rows, which the driver adds up."""

import math
from dataclasses import dataclass, replace

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..foundation.types import Floats
from ..parts.features import IDENTITY, Features
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.rows_objective import RowsObjective
from ..solvers.newton.smooth_objective import Sample
from ..solvers.objective import Objective
from ..solvers.penalised_optimum import RowsInMemory
from ..solvers.training_rows import Planes
from .block import LoadedBlock


@dataclass(frozen=True)
class BlockRecipe:
    """What decides the rows of a problem besides a block: the features, and a factor for the weights of each class."""

    classes: int
    features: Features = IDENTITY
    class_factors: Floats | None = None

    def rows(self, block: LoadedBlock) -> RowsInMemory:
        """The rows of a block as training sees them."""
        return RowsInMemory(self.features.lifted(block.rows), block.codes, self.classes, self.weights(block), threads=1)

    def weights(self, block: LoadedBlock) -> Floats | None:
        """The weight of each row times the factor of its class."""
        if self.class_factors is None:
            return block.weights
        factors: Floats = self.class_factors[block.codes]
        return factors if block.weights is None else block.weights * factors


@dataclass(frozen=True)
class BlockProblem:
    """One problem of several classes, and its loss. The penalty is the driver's."""

    recipe: BlockRecipe
    labels: ClassProblem
    objective: Objective

    def of(self, block: LoadedBlock) -> RowsObjective:
        """The sum of the losses of a block."""
        rows, aim = self.recipe.rows(block), self.objective
        labels = self.labels.relabel(block.codes)
        return RowsObjective(
            rows.rows, labels, aim.loss, math.inf, rows.weights, bool(aim.penalize_intercept), aim.offset_value
        )

    def at(self, block: LoadedBlock, z: Floats, damping: float) -> tuple[RowsObjective, Iterate]:
        """The same, and its damped iterate of weights z."""
        objective = self.of(block)
        return objective, objective.damped(objective.at(z), damping)


@dataclass(frozen=True)
class Evaluation:
    """The sum of the losses at some weights, its gradient, its Hessian if that was asked for, and what scores tell.

    `total_pull` and `least_margin` are those of a SmoothObjective.
    """

    loss: float
    gradient: Floats
    hessian: Floats | None
    total_pull: float
    least_margin: float

    def __add__(self, other: "Evaluation") -> "Evaluation":
        hessian = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        pull, least = self.total_pull + other.total_pull, min(self.least_margin, other.least_margin)
        return Evaluation(self.loss + other.loss, self.gradient + other.gradient, hessian, pull, least)


def evaluate(block: LoadedBlock, problem: BlockProblem, z: Floats, with_hessian: bool) -> Evaluation:
    """The losses of a block at weights z."""
    objective = problem.of(block)
    iterate = objective.at(z)
    hessian = objective.hessian_matrix(iterate) if with_hessian else None
    pull, least = objective.total_pull(iterate), objective.least_margin(iterate)
    return Evaluation(iterate.value, objective.gradient(iterate), hessian, pull, least)


def hessian_product(block: LoadedBlock, problem: BlockProblem, z: Floats, damping: float, p: Floats) -> Floats:
    """The damped Hessian of a block's losses at z, times p."""
    objective, iterate = problem.at(block, z, damping)
    return objective.hessian_product(iterate, p, objective.take_buffer())


def hessian_diagonal(block: LoadedBlock, problem: BlockProblem, z: Floats, damping: float) -> Floats:
    """The diagonal of the damped Hessian of a block's losses at z."""
    objective, iterate = problem.at(block, z, damping)
    return objective.hessian_diagonal(iterate)


def sampled_hessian(block: LoadedBlock, problem: BlockProblem, sample: Sample, share: float) -> Floats:
    """The Hessian over this share of the rows of a block, at least one; of each plane, where classes are joint.

    The rows of a block are drawn by what they add to the Hessian of all blocks, so the draw depends on no other block.
    """
    objective, iterate = problem.at(block, sample["z"], sample["damping"])
    size = min(objective.count, max(1, math.ceil(share * objective.count)))
    drawn = vars(objective.draw_rows(iterate, sample["diagonal"], size))
    return objective.sampled_plane_hessians(drawn) if objective.planes > 1 else objective.sampled_hessian(drawn)


def curvature_ratio(block: LoadedBlock, problem: BlockProblem, now: Floats, before: Floats) -> float:
    """The least factor by which the curvature of a row changes between two vectors of weights."""
    objective = problem.of(block)
    return objective.curvature_ratio(objective.at(now), objective.at(before))


def plane_curvature(block: LoadedBlock, problem: BlockProblem, now: Floats, before: Floats, damping: float) -> Floats:
    """The curvature of each plane, summed over the rows of a block, at two vectors of weights, the second damped."""
    objective = problem.of(block)

    def total(z: Floats, damping: float) -> Floats:
        probabilities = objective.damped(objective.at(z), damping).curvature.reshape(-1, objective.planes)
        summed: Floats = np.add.reduce(objective.plane_curvature(probabilities), axis=0)
        return summed

    return np.stack([total(now, 0.0), total(before, damping)])


def largest_score(block: LoadedBlock, problem: BlockProblem, p: Floats) -> float:
    """The largest absolute score that weights p give."""
    return float(np.abs(problem.of(block).scores(p)).max())


def largest_values(block: LoadedBlock, recipe: BlockRecipe) -> Floats:
    """The largest absolute value of each column."""
    return recipe.rows(block).rows.largest(1)


def count_mistakes(block: LoadedBlock, recipe: BlockRecipe, planes: Planes) -> int:
    """How many rows of a block these planes misclassify."""
    return recipe.rows(block).count_mistakes(planes)


def losses(block: LoadedBlock, recipe: BlockRecipe, objective: Objective, joint: bool, planes: Planes) -> float:
    """The sum of the losses of a block over all problems."""
    return recipe.rows(block).objective_value(replace(objective, C=math.inf), joint, planes)


def least_ratio(sums: Floats) -> float:
    """The least ratio of the first row to the second."""
    return _core.least_ratio(np.ascontiguousarray(sums[0]), np.ascontiguousarray(sums[1]), 1)
