"""The state of Newton's method between steps, and the tree that keeps it."""

import math
from dataclasses import dataclass

from ...engine.resume import Tree
from ...foundation.types import Floats
from .euclidean_norm import euclidean_norm
from .iterate import Iterate
from .preconditioner import Preconditioner
from .smooth_objective import SmoothObjective


@dataclass
class NewtonState:
    """The iterate, its gradient, and what the last steps showed."""

    iterate: Iterate
    gradient: Floats
    gradient_norm: float
    first_norm: float  # of the gradient at weights 0
    steps: int = 0
    started: bool = False  # a start was looked for; until then the iterate is that of weights 0
    scores_exact: bool = True  # the scores were computed from the weights, not updated step by step
    near: bool = False  # the tolerance is met
    largest_move: float = math.inf  # of a score in the last step; only unpenalised losses measure it
    damping: float = 0.0  # of the Hessian of joint classes; see SmoothObjective.damped
    preconditioner: Preconditioner | None = None
    to_fall: float = math.inf  # estimate of what the objective can still fall; the norm hides small columns
    separation: str = ""  # the kind of separation, once it is known

    @classmethod
    def at_zero(cls, objective: SmoothObjective) -> "NewtonState":
        iterate = objective.at_zero()
        gradient = objective.gradient(iterate)
        norm = euclidean_norm(gradient)
        return cls(iterate, gradient, norm, norm, damping=objective.first_damping)

    @property
    def relative_norm(self) -> float:
        """The norm of the gradient relative to that at weights 0."""
        return self.gradient_norm / self.first_norm

    def move_to(self, objective: SmoothObjective, iterate: Iterate) -> None:
        """Take an iterate, and compute its gradient."""
        self.iterate, self.gradient = iterate, objective.gradient(iterate)
        self.gradient_norm = euclidean_norm(self.gradient)

    def recompute_scores(self, objective: SmoothObjective) -> None:
        """Compute scores and gradient from the weights, to remove the rounding of many steps."""
        last = self.iterate
        self.move_to(objective, objective.at(last.z))
        objective.release(last)
        self.scores_exact = True

    def saved(self, objective: SmoothObjective) -> Tree:
        """The tree of a checkpoint. Its keys are part of the file format."""
        iterate = self.iterate
        return {
            "place": {"z": iterate.z, "scores": iterate.scores} if self.started else None,
            "gradient": self.gradient,
            "size": self.gradient_norm,
            "first": self.first_norm,
            "steps": self.steps,
            "begun": self.started,
            "fresh": self.scores_exact,
            "near": self.near,
            "runaway": self.largest_move,
            "damping": self.damping,
            "guide": None if self.preconditioner is None else self.preconditioner.saved(),
            "to_fall": self.to_fall,
            "verdict": self.separation,
            "passes": objective.passes,
            "drowned": objective.rank_deficient,
        }

    @classmethod
    def restored(cls, objective: SmoothObjective, saved: Tree) -> "NewtonState":
        objective.passes, objective.rank_deficient = saved["passes"], saved["drowned"]
        place, guide = saved["place"], saved["guide"]
        at_zero = place is None
        return cls(
            iterate=objective.at_zero() if at_zero else objective.with_scores(place["z"], place["scores"]),
            gradient=saved["gradient"],
            gradient_norm=saved["size"],
            first_norm=saved["first"],
            steps=saved["steps"],
            started=saved["begun"],
            scores_exact=saved["fresh"],
            near=saved["near"],
            largest_move=saved["runaway"],
            damping=saved["damping"],
            preconditioner=None if guide is None else Preconditioner.restored(objective, guide),
            to_fall=saved["to_fall"],
            separation=saved["verdict"],
        )
