"""The objective C sum_i s_i loss_i + 1/2 ||w||^2 of a smooth loss, and the passes over the rows that compute it."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ... import _core
from ...engine.class_problems import ClassProblem
from ...foundation.types import Floats
from ...parts.recipe import Recipe

MAX_HESSIAN_COORDINATES = 600  # the Hessian is computed in full up to this size
MAX_HESSIAN_PASSES = 12  # and up to this cost, in passes over the rows
MAX_SAMPLED_COORDINATES = 2000  # up to this size the Hessian of a sample preconditions conjugate gradients
MIN_SAMPLED_ROWS = 2000
SAMPLED_ROWS_PER_COORDINATE = 4


@dataclass
class SmoothObjective:
    """C sum_i s_i loss_i + 1/2 ||w||^2 as a function of the weights z = (w, offsets).

    C is infinite where there is no penalty. `passes` counts passes over the rows. `rank_deficient` says that rounding
    removed a penalised coordinate from the last Hessian.
    """

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
        fit = self.offset_value != 0
        scaling = self.offset_value if fit else 1.0
        recipe = Recipe(
            self.loss, fit_intercept=fit, intercept_scaling=scaling, penalize_intercept=self.penalize_offset
        )
        self.problem = self.labels.native(self.rows, self.weights, recipe, self.threads)
        self.planes = self.labels.plane_count
        self.unpenalised = math.isinf(self.C)
        self.factor = 1.0 if self.unpenalised else self.C
        self.size = self.planes * (self.rows.columns + 1)
        self.ridge = np.zeros(self.size) if self.unpenalised else np.ones(self.size)
        if not self.penalize_offset:
            self.ridge[-self.planes :] = 0.0

    def subsample(self, stride: int) -> "SmoothObjective":
        """The objective of every stride-th row, with C raised so that these rows stand for all."""
        labels = self.labels.every(stride)
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[::stride])
        rows = self.rows.every(stride, self.threads)
        return replace(self, rows=rows, labels=labels, weights=weights, C=self.C * self.rows.count / rows.count)

    def take_buffer(self) -> Floats:
        """Uninitialised memory for one number per row and plane. Used buffers come first: new pages are slow."""
        return self._free_buffers.pop() if self._free_buffers else np.empty(self.rows.count * self.planes)

    def release_buffers(self, *buffers: Floats) -> None:
        """Take back buffers that nothing refers to any more."""
        self._free_buffers += buffers

    def scores(self, z: Floats) -> Floats:
        """The scores of all rows."""
        self.passes += 1
        coef, out = z[: -self.planes].reshape(self.planes, -1), self.take_buffer()
        _core.scores_into(self.rows, coef, z[-self.planes :] * self.offset_value, self.threads, out)
        return out

    def slopes(self, scores: Floats, pull: Floats, curvature: Floats) -> float:
        """The weighted sum of the losses at these scores. Fills minus their first derivatives, and their curvature."""
        return _core.slopes(self.problem, scores, pull, curvature)

    def penalty(self, z: Floats) -> float:
        return 0.5 * _core.dot(self.ridge * z, z)

    def gradient(self, z: Floats, pull: Floats) -> Floats:
        """The gradient at z, where `pull` holds minus the derivative of each loss by its score."""
        self.passes += 1
        out = np.empty(self.size)
        _core.pull_together(self.problem, pull, out)
        return self.ridge * z - self.factor * out

    def hessian_product(self, curvature: Floats, p: Floats, along: Floats) -> Floats:
        """H p. Writes the scores that p gives into `along`."""
        self.passes += 1
        out = np.empty(self.size)
        _core.curve(self.problem, curvature, p, along, out)
        return self.factor * out + self.ridge * p

    def plane_curvature(self, curvature: Floats, plane: int) -> Floats:
        """The second derivative of each loss by its score of one plane."""
        if self.planes == 1:
            return curvature
        own = curvature.reshape(-1, self.planes)[:, plane]
        return np.ascontiguousarray(own * (1 - own))

    @property
    def computes_hessian(self) -> bool:
        """Whether the Hessian is small enough and cheap enough to compute and factor at each step."""
        stored = self.rows.stored_values / max(self.rows.count, 1)
        cost = stored / 4 if self.rows.sparse else self.rows.columns / 16
        return self.planes == 1 and self.size <= MAX_HESSIAN_COORDINATES and cost <= MAX_HESSIAN_PASSES

    @property
    def samples_hessian(self) -> bool:
        """Whether the Hessian of a sample of the rows is small enough to factor."""
        return self.planes == 1 and self.size <= MAX_SAMPLED_COORDINATES

    @property
    def sampled_rows(self) -> npt.NDArray[np.uint32]:
        """The rows of that sample, spread evenly."""
        count = min(self.rows.count, max(SAMPLED_ROWS_PER_COORDINATE * self.size, MIN_SAMPLED_ROWS))
        return (np.arange(count) * (self.rows.count / count)).astype(np.uint32)
