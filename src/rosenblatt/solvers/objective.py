"""The objective that penalised classifiers minimise: C sum_i s_i loss_i + 1/2 ||w||^2."""

from dataclasses import dataclass
from math import inf

import numpy as np

from .. import _core
from ..engine.class_problems import class_problems
from ..foundation.types import Codes, Floats
from ..parts.bounds import Bounds
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe


@dataclass(frozen=True)
class Objective:
    """C sum_i s_i loss_i + 1/2 ||w||^2. Without a penalty C is infinite, and the objective is sum_i s_i loss_i.

    alpha = 1 / (C sum_i s_i) is the penalty of the mean loss. With `jeffreys` C is infinite, too, and the penalty is
    that of `newton/jeffreys_objective.py`. With an `l1_ratio` r the penalty is r ||w||_1 + (1 - r) / 2 ||w||^2.

    >>> Objective("hinge", C=0.5).alpha(total=8.0)
    0.25
    """

    loss: str
    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    penalize_intercept: bool = False
    jeffreys: bool = False
    l1_ratio: float = 0.0
    bounds: Bounds | None = None  # of the weights

    @property
    def factor(self) -> float:
        """What the losses are multiplied by."""
        return 1.0 if inf == self.C else self.C

    @property
    def offset_value(self) -> float:
        """The constant coordinate of every row; 0 without an offset."""
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def alpha(self, total: float) -> float:
        """The penalty of the mean loss, where the weights of all rows add up to `total`."""
        return 0.0 if inf == self.C else 1.0 / (self.C * total)

    def value(self, problem: _core.Problem, coef: Floats, intercept: Floats) -> float:
        """The objective of these weights, computed from the rows."""
        return self.from_losses(float(_core.inspect(problem, coef, intercept)[2]), coef, intercept)

    def from_losses(self, losses: float, coef: Floats, intercept: Floats) -> float:
        """The objective of these weights, given sum_i s_i loss_i."""
        losses *= self.factor
        if inf == self.C:
            return losses
        offsets = intercept / self.intercept_scaling if self.penalize_intercept else np.zeros(1)
        squares = float((coef * coef).sum() + (offsets * offsets).sum())
        lengths = float(np.abs(coef).sum() + np.abs(offsets).sum()) if self.l1_ratio else 0.0
        return losses + 0.5 * (1 - self.l1_ratio) * squares + self.l1_ratio * lengths


def objective_of_planes(
    objective: Objective,
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    joint: bool,
    weights: Floats | None,
    planes: tuple[Floats, Floats],
    threads: int,
) -> float:
    """The objective of all planes, computed from the rows.

    It is the sum over the one-vs-rest problems. Joint planes are one problem, whose margins are those to the best
    rival.
    """
    coef, intercept = planes
    recipe = Recipe(loss=objective.loss)
    return sum(
        objective.value(problem.native(rows, weights, recipe, threads), coef[problem.planes], intercept[problem.planes])
        for problem in class_problems(codes, classes, joint)
    )


def best_constant_offsets(objective: Objective, codes: Codes, classes: int, weights: Floats | None) -> Floats:
    """The offsets that minimise the objective of planes whose weights are 0."""
    return best_offsets(objective, class_shares(codes, classes, weights))


def class_shares(codes: Codes, classes: int, weights: Floats | None) -> Floats:
    """The share of each class in the weight of all rows."""
    shares: Floats = np.bincount(codes, weights, minlength=classes) / (len(codes) if weights is None else weights.sum())
    return shares


def best_offsets(objective: Objective, shares: Floats) -> Floats:
    """The offsets that minimise the objective of planes whose weights are 0, given the share of each class."""
    shares = shares[1:] if len(shares) == 2 else shares
    if not objective.fit_intercept:
        return 0.0 * shares
    return LOSSES[objective.loss].best_offset(shares)
