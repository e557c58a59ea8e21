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
JOINT_SAMPLED_ROWS_PER_COORDINATE = 2  # for joint classes, which need a Hessian for each plane
MAX_SAMPLED_ENTRIES = 1 << 24  # of these Hessians together: 134 MB


def plane_hessian_entries(columns: int, planes: int) -> int:
    """The entries of the Hessians that precondition joint classes, one for each plane; 0 where they are too large.

    >>> plane_hessian_entries(784, 10), plane_hessian_entries(100_000, 20)
    (6162250, 0)
    """
    size = columns + 1
    return planes * size**2 if size <= MAX_SAMPLED_COORDINATES and planes * size**2 <= MAX_SAMPLED_ENTRIES else 0


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

    @property
    def ridge(self) -> Floats:
        """The second derivatives of the penalty by the weights."""
        ridge = np.full(self.size, 0.0 if self.unpenalised else 1.0)
        if not self.penalize_offset:
            ridge[-self.planes :] = 0.0
        return ridge

    def penalty(self, z: Floats) -> float:
        return 0.0 if self.unpenalised else 0.5 * _core.dot(self._penalised(z), z)

    def _penalised(self, z: Floats) -> Floats:
        """z with offsets of 0 where they have no penalty."""
        if self.penalize_offset:
            return z
        z = z.copy()
        z[-self.planes :] = 0.0
        return z

    def gradient(self, z: Floats, pull: Floats) -> Floats:
        """The gradient at z, where `pull` holds minus the derivative of each loss by its score."""
        self.passes += 1
        out = np.empty(self.size)
        _core.pull_together(self.problem, pull, out)
        return self._with_ridge(-self.factor, out, z)

    def hessian_product(self, curvature: Floats, p: Floats, along: Floats) -> Floats:
        """H p. Writes the scores that p gives into `along`."""
        self.passes += 1
        out = np.empty(self.size)
        _core.curve(self.problem, curvature, p, along, out)
        return self._with_ridge(self.factor, out, p)

    def _with_ridge(self, factor: float, x: Floats, z: Floats) -> Floats:
        """factor * x + ridge * z, in the memory of x."""
        offsets = factor * x[-self.planes :]
        if self.unpenalised:
            x *= factor
        else:
            _core.move(z, factor, x, self.threads, x)
        if not self.penalize_offset:
            x[-self.planes :] = offsets
        return x

    def plane_curvature(self, probabilities: Floats, rows: npt.NDArray[np.uint32] | None = None) -> Floats:
        """The second derivatives of joint classes' losses by the score of each plane, for these rows or all."""
        curvature: Floats = probabilities * (1 - probabilities)
        if self.weights is not None:
            curvature *= (self.weights if rows is None else self.weights[rows])[:, None]
        return curvature

    @property
    def first_damping(self) -> float:
        """The damping of the first step. Without a penalty, separation is told by how far undamped steps go."""
        return float(self.planes > 1 and not self.unpenalised)

    def damped_curvature(self, curvature: Floats, damping: float) -> Floats:
        """The curvature as it is for two classes; for joint ones the probabilities, mixed with equal ones.

        A Hessian knows rows only by their curvature, which is nearly 0 where a class is nearly certain. Its directions
        would throw such rows to the wrong side. Equal probabilities have the largest curvature.
        """
        if self.planes == 1 or damping == 0:
            return curvature
        return (1 - damping) * curvature + damping / self.planes

    @property
    def plane_ridge(self) -> Floats:
        """The penalty's second derivatives by the weights of one plane, its offset last."""
        return np.append(self.ridge[: self.rows.columns], self.ridge[-1])

    @property
    def computes_hessian(self) -> bool:
        """Whether the Hessian is small enough and cheap enough to compute and factor at each step."""
        stored = self.rows.stored_values / max(self.rows.count, 1)
        cost = stored / 4 if self.rows.sparse else self.rows.columns / 16
        return self.planes == 1 and self.size <= MAX_HESSIAN_COORDINATES and cost <= MAX_HESSIAN_PASSES

    @property
    def samples_hessian(self) -> bool:
        """Whether the Hessian of a sample of the rows, or that of each plane, is small enough to factor."""
        if self.planes == 1:
            return self.size <= MAX_SAMPLED_COORDINATES
        return plane_hessian_entries(self.rows.columns, self.planes) > 0 and not self.unpenalised

    @property
    def sample_size(self) -> int:
        """The rows of that sample, at most."""
        each = SAMPLED_ROWS_PER_COORDINATE if self.planes == 1 else JOINT_SAMPLED_ROWS_PER_COORDINATE
        return min(self.rows.count, max(each * (self.rows.columns + 1), MIN_SAMPLED_ROWS))
