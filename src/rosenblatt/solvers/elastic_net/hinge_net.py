"""The hinge with an l1 penalty: an augmented Lagrangian, whose rounds are smooth losses with an l1 penalty.

Row i has a share a_i from 0 to 1, how hard it pushes. A round smooths each loss around the shares c of the last one,

    max over a of  a (1 - m) - (a - c)^2 / (2 sharpness),   at   a = c + sharpness (1 - m), cut to 0 .. 1,

and minimises with the penalty by proximal Newton steps. The shares that maximise are the centres of the next round
(Rockafellar, Mathematics of Operations Research, 1976). The proof is that of every elastic net: the shares, made
feasible, bound every objective, and the objective itself counts the hinge as it is.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from ...engine.resume import Tree
from ...foundation.types import Floats
from ..newton.iterate import Iterate
from .elastic_net_objective import ElasticNetObjective
from .proximal_newton import HIDDEN_FALL, MAX_HIDDEN_RISE, ProximalNewton

FIRST_SHARPNESS, SHARPER, MAX_SHARPNESS = 1.0, 2.0, 1e3
ROUND_ACCURACY = 1e-2  # a step that promises no more, as a share of what the smoothing takes, ends a round
QUICK_ROUND = 4  # steps: after a longer round the next is no sharper
SMALL_MARGIN = 1e-9
FIRST_DAMPING, LEAST_DAMPING = 1e-3, 1e-10  # rows that do not lie on the margin do not bend


@dataclass
class HingeNetObjective(ElasticNetObjective):
    """C' sum_i s_i (smoothed hinge of row i) + 1/2 ||w||^2 + l1 ||w||_1 for one plane.

    The value of an iterate counts C' sum_i s_i c_i^2 / (2 sharpness) as well, which no weights change: it is not
    negative.
    """

    sharpness: float = FIRST_SHARPNESS
    centres: Floats = field(default_factory=lambda: np.empty(0), repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.centres):
            self.centres = np.zeros(self.rows.count)

    def slopes(self, scores: Floats, pull: Floats, curvature: Floats) -> float:
        signs, weights = self.labels.signs, 1.0 if self.weights is None else self.weights
        assert signs is not None
        slack = 1 - signs * scores
        shares = np.clip(self.centres + self.sharpness * slack, 0.0, 1.0)
        np.multiply(weights * shares, signs, out=pull)
        curvature[:] = weights * (self.sharpness * ((shares > 0) & (shares < 1)))
        losses = shares * slack - (shares * (shares - 2 * self.centres)) / (2 * self.sharpness)
        return float((weights * losses).sum())

    def shares(self, iterate: Iterate) -> Floats:
        """The shares that the scores of an iterate suggest."""
        assert self.labels.signs is not None
        slack = 1 - self.labels.signs * iterate.scores
        return np.clip(self.centres + self.sharpness * slack, 0.0, 1.0)

    def moved_shares(self, iterate: Iterate) -> float:
        """What the smoothing takes from the losses: C' sum_i s_i (a_i - c_i)^2 / (2 sharpness)."""
        moved = self.shares(iterate) - self.centres
        squares = moved * moved if self.weights is None else self.weights * moved * moved
        return self.factor * float(squares.sum()) / (2 * self.sharpness)

    def hinge_value(self, iterate: Iterate) -> float:
        """The objective with the hinge as it is."""
        assert self.labels.signs is not None
        slack = np.maximum(1 - self.labels.signs * iterate.scores, 0.0)
        losses = float((slack if self.weights is None else self.weights * slack).sum())
        return self.factor * losses + self.penalty(iterate.z) + self.l1 * self.l1_norm(iterate.z)

    def with_more_curvature(self, iterate: Iterate, damping: float) -> Iterate:
        """The same. Some damping is always there: where few rows lie on the margin, some weights would not bend."""
        damping = max(damping, LEAST_DAMPING if iterate.curvature.any() else FIRST_DAMPING)
        most = self.sharpness if self.weights is None else self.sharpness * self.weights
        return replace(iterate, curvature=(1 - damping) * iterate.curvature + damping * most)


class HingeNet(ProximalNewton):
    """The hinge with an l1 penalty, solved step by step.

    >>> from rosenblatt.engine.class_problems import whole_problem
    >>> from rosenblatt.foundation.matrices import as_rows
    >>> problem = whole_problem(np.array([0, 0, 1, 1], dtype=np.int32), classes=2)
    >>> rows = as_rows([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [3.0, 0.0]])
    >>> solver = HingeNet(HingeNetObjective(rows, problem, "hinge", np.inf, l1=0.5))
    >>> solver.minimise(1e-9, 100), (solver.best[:2] != 0).tolist()
    ('gap', [True, False])
    """

    objective: HingeNetObjective
    max_stalls = 40  # rounds: only shares that have come near to their limits improve the proof

    def __init__(self, objective: HingeNetObjective, start: Floats | None = None) -> None:
        super().__init__(objective, start)
        self.damping = FIRST_DAMPING
        self.round_began = 0

    def _objective_value(self) -> float:
        return self.objective.hinge_value(self.iterate)

    def prove(self) -> None:
        """The same. Weights that move no margin by more than rounding become 0 where the objective does not rise.

        Where a path begins, weights 0 are as good as many others.
        """
        super().prove()
        objective, z = self.objective, self.best.copy()
        z[:-1][np.abs(z[:-1]) * objective.largest_values() <= SMALL_MARGIN] = 0.0
        if (z != self.best).any():
            self._prefer(objective.at(z))
        z = objective.constant_weights()
        self._prefer(objective.with_scores(z, np.full(objective.count, z[-1] * objective.offset_value)))

    def _prefer(self, plain: Iterate) -> None:
        """Take these weights where the objective does not rise by more than rounding explains."""
        value = self.objective.scale * self.objective.hinge_value(plain)
        if value <= self.primal * (1 + MAX_HIDDEN_RISE):
            self.primal, self.best = value, plain.z
        self.objective.release(plain)

    def _least_fall(self, tol: float) -> float:
        moved = self.objective.moved_shares(self.iterate)
        return max(ROUND_ACCURACY * moved, HIDDEN_FALL * self.iterate.value)

    def _left_after(self, before: float, newton_step: bool) -> float:
        return self.fall  # rows enter and leave the margin, so that a step says little about the next

    def _go_on(self) -> None:
        """Begin the next round at the shares of this one."""
        objective = self.objective
        objective.centres = objective.shares(self.iterate)
        if self.steps - self.round_began <= QUICK_ROUND:
            objective.sharpness = min(SHARPER * objective.sharpness, MAX_SHARPNESS)
        self.round_began = self.steps
        last = self.iterate
        self._move_to(objective.with_scores(last.z, last.scores.copy()))
        objective.release(last)
        self.fall = self.left = objective.moved_shares(self.iterate)

    def _saved(self) -> Tree:
        round_of = {"centres": self.objective.centres, "sharpness": self.objective.sharpness}
        return {**super()._saved(), **round_of, "round_began": self.round_began}

    def _restore(self, saved: Tree) -> None:
        self.objective.centres, self.objective.sharpness = saved["centres"], saved["sharpness"]
        self.round_began = saved["round_began"]
        super()._restore(saved)
