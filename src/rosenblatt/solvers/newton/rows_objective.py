"""The smooth objective of rows in memory: each question of Newton's method is a pass of the core over them."""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ... import _core
from ...engine.class_problems import ClassProblem
from ...foundation.types import Floats
from ...parts.recipe import Recipe
from .iterate import Iterate
from .row_sample import RowSample, by_plane
from .smooth_objective import Sample, SmoothObjective

MAX_COPIED_VALUES = 1 << 25  # stored values of sparse rows that a subsample may copy


@dataclass
class RowsObjective(SmoothObjective):
    """C sum_i s_i loss_i + 1/2 ||w||^2 over rows in memory."""

    rows: _core.Rows
    labels: ClassProblem
    loss: str
    C: float
    weights: Floats | None = None
    penalize_offset: bool = False
    offset_value: float = 1.0
    threads: int = 1
    passes: int = field(default=0, init=False)
    rank_deficient: bool = field(default=False, init=False)
    _free_buffers: list[Floats] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        self.recipe = recipe_of(self.loss, self.offset_value, self.penalize_offset)
        native = native_recipe_of(self.loss, self.offset_value, self.penalize_offset)
        self.problem = _core.Problem(
            self.rows, self.labels.signs, self.labels.codes, self.weights, native, self.threads
        )
        self.planes = self.labels.plane_count

    # The rows

    @property
    def count(self) -> int:
        return self.rows.count

    @property
    def columns(self) -> int:
        return self.rows.columns

    @property
    def stored_values(self) -> int:
        return self.rows.stored_values

    @property
    def sparse(self) -> bool:
        return self.rows.sparse

    def may_subsample(self, stride: int) -> bool:
        """Sparse rows are copied, dense ones are not."""
        return not (self.rows.sparse and self.rows.stored_values > stride * MAX_COPIED_VALUES)

    def subsample(self, stride: int) -> "RowsObjective":
        labels = self.labels.every(stride)
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[::stride])
        rows = self.rows.every_nth(stride, self.threads)
        return replace(self, rows=rows, labels=labels, weights=weights, C=self.C * self.rows.count / rows.count)

    # Iterates

    def at_zero(self) -> Iterate:
        """The iterate of weights 0, for which no row is read."""
        scores = self.take_buffer()
        scores.fill(0.0)  # np.zeros maps its pages at the first write, which is slow with several threads
        return self.with_scores(np.zeros(self.size), scores)

    def at(self, z: Floats) -> Iterate:
        return self.with_scores(z, self.scores(z))

    def with_scores(self, z: Floats, scores: Floats) -> Iterate:
        pull, curvature = self.take_buffer(), self.take_buffer()
        loss = self.slopes(scores, pull, curvature)
        return Iterate(z, self.factor * loss + self.penalty(z), scores, pull, curvature)

    def damped(self, iterate: Iterate, damping: float) -> Iterate:
        if self.planes == 1 or damping == 0:
            return iterate
        mixed = (1 - damping) * iterate.curvature + damping / self.planes
        return replace(iterate, curvature=mixed, damping=damping)

    def scores(self, p: Floats) -> Floats:
        self.passes += 1
        coef, out = p[: -self.planes].reshape(self.planes, -1), self.take_buffer()
        _core.scores_into(self.rows, coef, p[-self.planes :] * self.offset_value, self.threads, out)
        return out

    def slopes(self, scores: Floats, pull: Floats, curvature: Floats) -> float:
        """The weighted sum of the losses at these scores. Fills minus their first derivatives, and their curvature."""
        return _core.loss_derivatives(self.problem, scores, pull, curvature)

    def take_buffer(self) -> Floats:
        """Uninitialised memory for one number per row and plane. Used buffers come first: new pages are slow."""
        return self._free_buffers.pop() if self._free_buffers else np.empty(self.rows.count * self.planes)

    def release_buffers(self, *buffers: Floats) -> None:
        self._free_buffers += buffers

    # Derivatives

    def gradient(self, iterate: Iterate) -> Floats:
        self.passes += 1
        out = np.empty(self.size)
        _core.transpose_product(self.problem, iterate.pull, out)
        return self._with_ridge(-self.factor, out, iterate.z)

    def hessian_product(self, iterate: Iterate, p: Floats, along: Floats) -> Floats:
        return self._with_ridge(self.factor, self.loss_product(iterate.curvature, p, along), p)

    def loss_product(self, curvature: Floats, p: Floats, along: Floats) -> Floats:
        """The Hessian of the sum of the losses times p. Writes the scores that p gives into `along`."""
        self.passes += 1
        out = np.empty(self.size)
        _core.hessian_product(self.problem, curvature, p, along, out)
        return out

    def hessian_matrix(self, iterate: Iterate) -> Floats:
        matrix = self.loss_matrix(iterate.curvature)
        matrix *= self.factor
        matrix.ravel()[:: self.size + 1] += self.ridge
        return matrix

    def loss_matrix(self, curvature: Floats, rows: npt.NDArray[np.uint32] | None = None) -> Floats:
        """The Hessian of the sum of the losses of all rows, or of these rows and their curvature."""
        matrix = np.zeros((self.size, self.size))
        _core.hessian(self.problem, curvature, rows, matrix)
        self.passes += rows is None
        return matrix

    def gram(self, curvature: Floats) -> Floats:
        """sum_i curvature_i x_i x_i^T; its upper triangle is 0."""
        matrix = np.zeros((self.columns + 1, self.columns + 1))
        _core.hessian(self.problem, curvature, None, matrix)
        self.passes += 1
        return matrix

    def hessian_diagonal(self, iterate: Iterate) -> Floats:
        curvature, diagonal = iterate.curvature, np.empty(self.size)
        if self.planes > 1:
            curvature = self.plane_curvature(curvature.reshape(-1, self.planes)).ravel()
        _core.hessian_diagonal(self.problem, curvature, diagonal)
        diagonal *= self.factor
        diagonal += self.ridge
        return diagonal

    def plane_curvature(self, probabilities: Floats, rows: npt.NDArray[np.uint32] | None = None) -> Floats:
        """The second derivatives of joint classes' losses by the score of each plane, for these rows or all."""
        curvature: Floats = probabilities * (1 - probabilities)
        if self.weights is not None:
            curvature *= (self.weights if rows is None else self.weights[rows])[:, None]
        return curvature

    # A sample of the rows

    def sample(self, iterate: Iterate, diagonal: Floats) -> Sample:
        """The fields of a RowSample."""
        return vars(self.draw_rows(iterate, diagonal, self.sample_size))

    def draw_rows(self, iterate: Iterate, diagonal: Floats, size: int) -> RowSample:
        """At most `size` rows at an iterate whose Hessian has this diagonal."""
        if size == self.count:
            return RowSample.of_all(iterate.curvature, self.planes)
        return RowSample.drawn(iterate.curvature, self.importance(iterate.curvature, diagonal), size)

    def importance(self, curvature: Floats, diagonal: Floats) -> Floats:
        """What each row adds to the trace of the Hessian, each column in units of the diagonal."""
        of_row, of_column, lengths = curvature.reshape(-1, self.planes), diagonal, np.empty(self.count)
        if self.planes > 1:
            of_row, of_column = self.plane_curvature(of_row), by_plane(diagonal, self.planes).mean(axis=0)
        _core.scaled_squares(self.problem, 1 / np.where(of_column > 0, of_column, np.inf), lengths)
        total: Floats = of_row.sum(axis=1) * lengths
        return total

    def sampled_count(self, sample: Sample) -> int:
        return len(sample["rows"])

    def sampled_hessian(self, sample: Sample) -> Floats:
        matrix = self.loss_matrix(sample["counts"] * sample["curvature"], sample["rows"])
        matrix *= self.factor
        matrix.ravel()[:: self.size + 1] += self.ridge
        return matrix

    def sampled_plane_hessians(self, sample: Sample) -> Floats:
        """The same. Where the probabilities are all the same, as at weights 0, there is only one block."""
        probabilities, size = sample["curvature"].reshape(-1, self.planes), self.columns + 1
        shared = bool((probabilities == probabilities[0, 0]).all())
        curvature = self.plane_curvature(probabilities[:, :1] if shared else probabilities, sample["rows"])
        curvature *= sample["counts"][:, None]
        matrices = np.empty((curvature.shape[1], size, size))
        _core.plane_hessians(self.problem, curvature.ravel(), sample["rows"], matrices)
        matrices *= self.factor
        matrices.reshape(len(matrices), -1)[:, :: size + 1] += self.plane_ridge
        return matrices

    def sample_ratio(self, now: Iterate, sample: Sample) -> float:
        before, after = sample["curvature"], now.curvature.reshape(-1, self.planes)[sample["rows"]].ravel()
        if self.planes > 1:  # single probabilities shrink without end; what counts is the sum of a plane
            before, after = (self._sampled_plane_curvature(sample, each) for each in (before, after))
        return _core.least_ratio(after, before, self.threads)

    def _sampled_plane_curvature(self, sample: Sample, probabilities: Floats) -> Floats:
        """The curvature of each plane, summed over the sampled rows."""
        curvature = self.plane_curvature(probabilities.reshape(-1, self.planes), sample["rows"])
        total: Floats = sample["counts"] @ curvature
        return total

    # What a step did to single rows

    def curvature_ratio(self, now: Iterate, before: Iterate) -> float:
        return _core.least_ratio(now.curvature, before.curvature, self.threads)

    def largest_move(self, now: Iterate, before: Iterate) -> float:
        return float(np.abs(now.scores - before.scores).max())

    def least_margin(self, iterate: Iterate) -> float:
        signs, codes = self.labels.signs, self.labels.codes
        if signs is not None:
            return float((signs * iterate.scores).min())
        assert codes is not None
        scores, every = iterate.scores.reshape(-1, self.planes), np.arange(len(codes))
        margins = scores[every, codes][:, None] - scores
        margins[every, codes] = np.inf
        return float(margins.min())

    def total_pull(self, iterate: Iterate) -> float:
        return float(np.abs(iterate.pull).sum())

    def largest_values(self) -> Floats:
        return self.rows.largest(self.threads)


@lru_cache(maxsize=64)
def recipe_of(loss: str, offset_value: float, penalize_offset: bool) -> Recipe:
    """The recipe of an objective. It is checked once: a path makes hundreds of objectives in milliseconds."""
    fit = offset_value != 0
    scaling = offset_value if fit else 1.0
    return Recipe(loss, fit_intercept=fit, intercept_scaling=scaling, penalize_intercept=penalize_offset)


@lru_cache(maxsize=64)
def native_recipe_of(loss: str, offset_value: float, penalize_offset: bool) -> _core.Recipe:
    """The same as the core takes it."""
    return recipe_of(loss, offset_value, penalize_offset).native()
