"""Newton directions by preconditioned conjugate gradients, with one pass over the rows each round."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ... import _core
from ...engine.resume import NO_BOOKMARK, Bookmark, Tree
from ...foundation.types import Floats
from .euclidean_norm import euclidean_norm
from .iterate import Iterate
from .preconditioner import Preconditioner
from .smooth_objective import Inverse, SmoothObjective

MAX_PRODUCT_LEFT = 0.03  # relative to the first product; unlike the norm it does not depend on the columns' units
EXTRA_ROUNDS = 50  # beyond one for each coordinate, because rounding spoils conjugacy


@dataclass
class ConjugateGradient:
    """The state of conjugate gradients for H p = -gradient."""

    p: Floats
    along: Floats  # the scores that p gives
    residual: Floats
    search: Floats  # the next search direction
    product: float  # residual . inverse(residual)
    first_product: float
    rounds: int = 0

    @classmethod
    def begin(cls, objective: SmoothObjective, gradient: Floats, inverse: Inverse) -> "ConjugateGradient":
        search = inverse(-gradient)
        product = _core.dot(-gradient, search)
        along = objective.take_buffer()
        along.fill(0.0)
        return cls(np.zeros(objective.size), along, -gradient, search, product, product)

    def advance(
        self, objective: SmoothObjective, iterate: Iterate, inverse: Inverse, max_residual: float, scratch: Floats
    ) -> bool:
        """Do one round. Return whether it is the last: the residual is small, or H is not positive along `search`."""
        self.rounds += 1
        image = objective.hessian_product(iterate, self.search, scratch)
        along_search = _core.dot(self.search, image)
        if not (along_search > 0 and self.product > 0):  # a residual of rounding errors has a product of 0
            return True
        step = self.product / along_search
        threads = objective.threads
        _core.add_scaled(self.p, step, self.search, threads, self.p)
        _core.add_scaled(self.along, step, scratch, threads, self.along)
        _core.add_scaled(self.residual, -step, image, threads, self.residual)
        del image  # vectors may be large, and the peak of memory comes next
        preconditioned = inverse(self.residual)
        self.product, before = _core.dot(self.residual, preconditioned), self.product
        small = self.product <= MAX_PRODUCT_LEFT * self.first_product
        if small and euclidean_norm(self.residual) <= max_residual:
            return True
        _core.add_scaled(preconditioned, self.product / before, self.search, threads, self.search)
        return False

    def saved(self) -> Tree:
        place = {"p": self.p, "moved": self.along, "left": self.residual, "s": self.search}
        return {**place, "product": self.product, "whole": self.first_product, "rounds": self.rounds}

    @classmethod
    def restored(cls, saved: Tree) -> "ConjugateGradient":
        vectors = saved["p"], saved["moved"], saved["left"], saved["s"]
        return cls(*vectors, saved["product"], saved["whole"], saved["rounds"])


def conjugate_gradient_direction(
    objective: SmoothObjective,
    iterate: Iterate,
    gradient: Floats,
    preconditioner: Preconditioner,
    max_residual: float,
    pause: Callable[[], None],
    bookmark: Bookmark = NO_BOOKMARK,
) -> tuple[Floats, Floats]:
    """p with H p = -gradient up to a residual of norm `max_residual`, and the scores that p gives.

    H is the Hessian at the iterate, which may be damped.
    """
    saved, inverse = bookmark.take(), preconditioner.inverse
    if saved is None:
        state = ConjugateGradient.begin(objective, gradient, inverse)
    else:
        state = ConjugateGradient.restored(saved)
    scratch = np.empty(len(iterate.curvature))
    while state.rounds < objective.size + EXTRA_ROUNDS:
        pause()
        bookmark.save_if_due(state.saved, lambda: objective.passes)
        if state.advance(objective, iterate, inverse, max_residual, scratch):
            break
    if not state.p.any():  # H is 0 along the first search direction
        state.p = -gradient
        objective.hessian_product(iterate, state.p, state.along)
    preconditioner.count_rounds(state.rounds)
    return state.p, state.along
