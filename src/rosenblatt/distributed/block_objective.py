"""The smooth objective of rows that workers hold: each question of Newton's method is a pass over all blocks.

A pass sends the weights to the workers and adds up what each block answers. Nothing of it depends on an earlier pass,
so a block may be computed anywhere, and again. The driver keeps no number per row.
"""

import operator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..foundation.types import Floats
from ..solvers.newton.iterate import Iterate
from ..solvers.newton.smooth_objective import Sample, SmoothObjective
from ..solvers.newton.start import subsample_stride
from . import block_problem as on_worker
from .block_problem import BlockProblem, Evaluation
from .block_survey import Survey
from .cluster import Cluster

NO_ROWS: Floats = np.empty(0)
MIN_SAMPLED_BLOCKS = 4  # that find a start


@dataclass(eq=False)
class BlockIterate(Iterate):
    """An iterate whose gradient, and Hessian where it is small, came with the value from the same pass."""

    evaluation: Evaluation


@dataclass
class BlockObjective(SmoothObjective):
    """C sum_i s_i loss_i + 1/2 ||w||^2 over the rows of all blocks."""

    cluster: Cluster
    survey: Survey
    problem: BlockProblem
    passes: int = field(default=0, init=False)
    rank_deficient: bool = field(default=False, init=False)
    _last: BlockIterate | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        aim = self.problem.objective
        self.loss, self.C, self.offset_value = aim.loss, aim.C, aim.offset_value
        self.penalize_offset, self.threads = bool(aim.penalize_intercept), 1
        self.planes = self.problem.labels.plane_count

    def _pass(self, function: Any, combine: Any, *args: Any) -> Any:
        self.passes += 1
        return self.cluster.reduce(function, combine, self.problem, *args)

    # The rows

    @property
    def count(self) -> int:
        return self.survey.count

    @property
    def columns(self) -> int:
        return self.survey.columns

    @property
    def stored_values(self) -> int:
        return self.survey.stored_values

    @property
    def sparse(self) -> bool:
        return self.survey.sparse

    def may_subsample(self, stride: int) -> bool:
        """Whole blocks are taken, so that others are not read. Few of them may have few classes."""
        return len(self.survey.block_rows) >= stride * MIN_SAMPLED_BLOCKS

    def subsample(self, stride: int) -> "BlockObjective":
        survey, aim = self.survey.every(stride), self.problem.objective
        raised = replace(self.problem, objective=replace(aim, C=aim.C * self.count / survey.count))
        return BlockObjective(self.cluster.every(stride), survey, raised)

    # Iterates

    def at_zero(self) -> Iterate:
        """The iterate of weights 0. Its Hessian is left out where steps begin at the optimum of a subsample."""
        zero = np.zeros(self.size)
        return self.at(zero) if subsample_stride(self) is None else self._evaluate(zero, with_hessian=False)

    def at(self, z: Floats) -> BlockIterate:
        """The iterate of these weights. The last one is remembered."""
        if self._last is None or not np.array_equal(self._last.z, z):
            self._last = self._evaluate(z, self.computes_hessian)
        return self._last

    def _evaluate(self, z: Floats, with_hessian: bool) -> BlockIterate:
        found: Evaluation = self._pass(on_worker.evaluate, operator.add, z, with_hessian)
        return BlockIterate(z, self.factor * found.loss + self.penalty(z), NO_ROWS, NO_ROWS, NO_ROWS, found)

    def with_scores(self, z: Floats, scores: Floats) -> Iterate:
        return self.at(z)

    def damped(self, iterate: Iterate, damping: float) -> Iterate:
        return replace(iterate, damping=damping)

    def scores(self, p: Floats) -> Floats:
        return NO_ROWS

    def take_buffer(self) -> Floats:
        return NO_ROWS

    def release_buffers(self, *buffers: Floats) -> None:
        pass

    # Derivatives

    def gradient(self, iterate: Iterate) -> Floats:
        return self._with_ridge(self.factor, self._known(iterate).evaluation.gradient.copy(), iterate.z)

    def _known(self, iterate: Iterate) -> BlockIterate:
        """The same iterate. One that was restored is evaluated anew."""
        return iterate if isinstance(iterate, BlockIterate) else self.at(iterate.z)

    def hessian_product(self, iterate: Iterate, p: Floats, along: Floats) -> Floats:
        image: Floats = self._pass(on_worker.hessian_product, operator.add, iterate.z, iterate.damping, p)
        return self._with_ridge(self.factor, image, p)

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        hessian = self.at(iterate.z).evaluation.hessian
        assert hessian is not None
        return self._with_diagonal(self.factor * hessian, self.ridge)

    def hessian_diagonal(self, iterate: Iterate) -> Floats:
        total: Floats = self._pass(on_worker.hessian_diagonal, operator.add, iterate.z, iterate.damping)
        return self.factor * total + self.ridge

    @staticmethod
    def _with_diagonal(matrices: Floats, ridge: Floats) -> Floats:
        """Add the ridge to the diagonal of each matrix."""
        matrices.reshape(-1, len(ridge) ** 2)[:, :: len(ridge) + 1] += ridge
        return matrices

    # A sample of the rows

    def sample(self, iterate: Iterate, diagonal: Floats) -> Sample:
        """What each block draws the same rows from whenever it is asked."""
        return {"z": iterate.z, "damping": iterate.damping, "diagonal": diagonal}

    def sampled_count(self, sample: Sample) -> int:
        """The same, but for what blocks round up."""
        return self.sample_size

    def sampled_hessian(self, sample: Sample) -> Floats:
        return self._with_diagonal(self._sampled(sample), self.ridge)

    def sampled_plane_hessians(self, sample: Sample) -> Floats:
        return self._with_diagonal(self._sampled(sample), self.plane_ridge)

    def _sampled(self, sample: Sample) -> Floats:
        total: Floats = self._pass(on_worker.sampled_hessian, operator.add, sample, self.sample_size / self.count)
        return self.factor * total

    def sample_ratio(self, now: Iterate, sample: Sample) -> float:
        """The same over all rows, which are no fewer."""
        before, damping = sample["z"], sample["damping"]
        if self.planes > 1:  # single probabilities shrink without end; what counts is the sum of a plane
            return on_worker.least_ratio(self._pass(on_worker.plane_curvature, operator.add, now.z, before, damping))
        return float(self._pass(on_worker.curvature_ratio, min, now.z, before))

    # What a step did to single rows

    def curvature_ratio(self, now: Iterate, before: Iterate) -> float:
        return float(self._pass(on_worker.curvature_ratio, min, now.z, before.z))

    def largest_move(self, now: Iterate, before: Iterate) -> float:
        return float(self._pass(on_worker.largest_score, max, now.z - before.z))

    def least_margin(self, iterate: Iterate) -> float:
        return self._known(iterate).evaluation.least_margin

    def total_pull(self, iterate: Iterate) -> float:
        return self._known(iterate).evaluation.total_pull

    def largest_values(self) -> Floats:
        found: Floats = self.cluster.reduce(on_worker.largest_values, np.maximum, self.problem.recipe)
        return found
