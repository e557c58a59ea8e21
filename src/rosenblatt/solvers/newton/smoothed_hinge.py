"""The augmented Lagrangian of a hinge: a smooth objective for each choice of multipliers, wherever the rows are."""

from abc import abstractmethod

from ...engine.resume import Tree
from ...foundation.types import Floats
from .iterate import Iterate
from .smooth_objective import SmoothObjective

FIRST_SHARPNESS = 0.2
FREE_OFFSET_CURVATURE = 1e-9  # of the largest possible one, so that offsets no row bends still move


class SmoothedHinge(SmoothObjective):
    """A hinge objective whose corners are smoothed around multipliers. Scores suggest new multipliers for each row.

    Multipliers are relative to C s_i. `sharpness` is the inverse of the width of a corner, `total` the weight of all
    rows.
    """

    sharpness: float
    total: float

    @abstractmethod
    def moved_shares(self, iterate: Iterate) -> float:
        """sum_i s_i |suggested - present multipliers|^2 at an iterate."""

    @abstractmethod
    def recentre(self, iterate: Iterate) -> None:
        """Take the multipliers that an iterate suggests."""

    @abstractmethod
    def prefers_matrix(self, iterate: Iterate, rounds: int) -> bool:
        """Whether the Hessian takes less time than so many rounds of conjugate gradients."""

    @abstractmethod
    def saved_multipliers(self) -> Tree:
        """What restores the multipliers."""

    @abstractmethod
    def restore_multipliers(self, saved: Tree) -> None:
        """The opposite of `saved_multipliers`."""

    @property
    def step_ridge(self) -> Floats:
        """The penalty's second derivatives, and a little for offsets that have none."""
        ridge = self.ridge.copy()
        if not self.penalize_offset:
            most = self.factor * self.sharpness * self.total * (self.offset_value or 1.0) ** 2
            ridge[-self.planes :] = FREE_OFFSET_CURVATURE * most
        return ridge
