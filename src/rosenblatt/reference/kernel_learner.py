"""The same learner in the space of a kernel."""

from dataclasses import dataclass

from .learner import Learner
from .random_numbers import random_below
from .weights import Planes


@dataclass
class KernelLearner(Learner):
    """Rows are those of the kernel matrix, weights are one alpha a row, and a move changes one alpha.

    Beyond the budget a row of the support is dropped at random, but not the one just added.
    """

    budget: int | None = None

    def move(self, i: int, change: float, planes: Planes) -> None:
        self.w = [list(plane) for plane in self.w]
        for k, sign in planes:
            self.w[k][i] += sign * change
            self.w[k][-1] += sign * change * self.X[i][-1]
        others = [j for j in range(len(self.X)) if j != i and any(plane[j] for plane in self.w)]
        if self.budget is not None and len(others) >= self.budget:
            dropped = others[random_below(2**64 - 1 - self.seed, self.updates, len(others))]
            for plane in self.w:
                plane[dropped] = 0.0
