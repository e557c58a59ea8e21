"""Margins, and how w moves: along a row x, or along S x for a covariance S; towards 0; into the unit ball."""

from dataclasses import dataclass
from itertools import product
from math import sqrt

from ..parts.recipe import Recipe
from .covariance import covariances

Row = list[float]
Planes = list[tuple[int, float]]  # those that a push moves, each with its sign


@dataclass
class Weights:
    """The weights of each plane, the constant coordinate's last."""

    X: list[Row]
    y: list[int]  # two classes: -1 and +1, one plane; more: 0, 1, .., one plane each, trained jointly
    recipe: Recipe
    planes: int = 1

    def begin_at_zero(self) -> None:
        self.w = self.unclipped = [[0.0] * len(self.X[0]) for _ in range(self.planes)]
        self.l1_sum = 0.0  # what an l1 penalty has asked of every weight; without it w would be `unclipped`
        self.covariances = covariances(self.recipe.step, self.planes, len(self.X[0]))

    def margin(self, i: int) -> tuple[float, Planes]:
        """The margin of row i, and the planes that a push moves: of joint classes, its own and the best rival's."""
        scores = [sum(a * b for a, b in zip(plane, self.X[i], strict=True)) for plane in self.w]
        if self.planes == 1:
            return self.y[i] * scores[0], [(0, self.y[i])]
        rival = max((k for k in range(self.planes) if k != self.y[i]), key=lambda k: (scores[k], -k))
        return scores[self.y[i]] - scores[rival], [(self.y[i], 1.0), (rival, -1.0)]

    def shrink(self, share: float) -> None:
        """The L2 penalty. The constant coordinate, last in w, is free unless penalize_intercept."""
        if share:
            last = 1 - share * self.recipe.penalize_intercept
            self.w, self.unclipped = (
                [[*(a * (1 - share) for a in w[:-1]), w[-1] * last] for w in each] for each in (self.w, self.unclipped)
            )
            self.l1_sum *= 1 - share

    def move(self, i: int, change: float, planes: Planes) -> None:
        """w <- w + change y x."""
        self.w, self.unclipped = list(self.w), list(self.unclipped)
        for (k, sign), w in product(planes, (self.w, self.unclipped)):
            direction = self.covariances[k].times(self.X[i]) if self.covariances else self.X[i]
            w[k] = [a + sign * change * b for a, b in zip(w[k], direction, strict=True)]

    def variance(self, k: int, x: Row) -> float:
        """x.Sx for the covariance S of plane k: ||x||^2 for a first-order step."""
        direction = self.covariances[k].times(x) if self.covariances else x
        return sum(a * b for a, b in zip(x, direction, strict=True))

    def project(self, into_ball: bool) -> None:
        """ALMA keeps w, offsets included, in the unit ball."""
        norm = sqrt(sum(a * a for w in self.w for a in w)) if into_ball else 0.0
        if norm > 1:
            self.w = [[a / norm for a in w] for w in self.w]

    def clip(self, asked: float) -> None:
        """The l1 penalty: w moves towards 0 by what is asked, and never beyond. What w = 0 cannot pay stays due."""
        self.l1_sum += asked
        if self.l1_sum:
            pairs = zip(self.w, self.unclipped, strict=True)
            self.w = [[*map(self.clipped, w[:-1], free[:-1]), w[-1]] for w, free in pairs]

    def clipped(self, a: float, unclipped: float) -> float:
        return max(0.0, unclipped - self.l1_sum) if a > 0 else min(0.0, unclipped + self.l1_sum) if a < 0 else 0.0
