"""Iterates of Newton's method."""

import numpy as np

from ...foundation.types import Floats
from .smooth_objective import SmoothObjective


class Iterate:
    """Weights z, the scores they give, the objective there, and the loss's derivatives by the scores.

    `pull` is minus the first derivative. `curvature` is the second; for joint classes it holds the probabilities.
    """

    def __init__(self, objective: SmoothObjective, z: Floats, scores: Floats) -> None:
        self.z, self.scores = z, scores
        self.pull, self.curvature = objective.take_buffer(), objective.take_buffer()
        loss = objective.slopes(scores, self.pull, self.curvature)
        self.value = objective.factor * loss + objective.penalty(z)

    @classmethod
    def at(cls, objective: SmoothObjective, z: Floats) -> "Iterate":
        """The iterate of these weights, its scores computed from the rows."""
        return cls(objective, z, objective.scores(z))

    @classmethod
    def at_zero(cls, objective: SmoothObjective) -> "Iterate":
        """The iterate of weights 0, for which no row is read."""
        scores = objective.take_buffer()
        scores.fill(0.0)  # np.zeros maps its pages at the first write, which is slow with several threads
        return cls(objective, np.zeros(objective.size), scores)

    def release(self, objective: SmoothObjective) -> None:
        """Give back the memory. The iterate must not be used afterwards."""
        objective.release_buffers(self.scores, self.pull, self.curvature)
