"""The hyperplane with the fewest mistakes found so far, by exact count."""

from fractions import Fraction

import numpy as np

from ...engine.train import train
from ...foundation.errors import TooLarge
from ...foundation.types import Floats
from ...parts.catalogue import recipe
from ..exact.hyperplane import Hyperplane
from ..exact.linear_algebra import IntVector, primitive_vector
from ..exact.problem import ExactProblem

BIT_LENGTHS = (6, 10, 16, 30, 52)  # bits of a rounded weight; the shortest of the best is taken
POCKET_EPOCHS = 40


class BestHyperplane:
    """The best w so far in scaled columns, with its exact number of mistakes.

    `base` is positive on every row that can be separated and 0 on the others; None if it is not known.
    """

    def __init__(self, problem: ExactProblem) -> None:
        self.problem = problem
        self.w: IntVector = [0] * problem.size
        self.mistakes = problem.rows
        self.base: IntVector | None = None
        if problem.fit_intercept:
            side = 1 if problem.labels.sum() >= 0 else -1
            self.try_integers([0] * problem.columns + [side])

    def try_integers(self, w: IntVector) -> None:
        """Take w if it makes fewer mistakes."""
        mistakes = len(self.problem.nonpositive_rows(w).rows)
        if mistakes < self.mistakes:
            self.w, self.mistakes = w, mistakes

    def try_floats(self, w: Floats) -> None:
        """Take w, rounded to short integers, if it makes fewer mistakes."""
        if not np.isfinite(w).all() or not np.any(w):
            return
        w = w / np.abs(w).max()
        counts = []
        for bits in BIT_LENGTHS:
            integers = [int(value) for value in np.rint(np.ldexp(w, bits)).tolist()]
            counts.append((len(self.problem.nonpositive_rows(integers).rows), bits, integers))
        self.try_integers(min(counts)[2])

    def try_pocket(self, seconds: float) -> None:
        """Take the weights of a pocket perceptron, trained for at most so many seconds, if they are better."""
        problem = self.problem
        parts = recipe("pocket", max_iter=POCKET_EPOCHS, max_seconds=seconds, fit_intercept=problem.fit_intercept)
        try:
            result = train(problem.view, (problem.labels == 1).astype(np.int32), 2, parts, threads=problem.threads)
        except TooLarge:
            return
        if result.interrupted:
            raise KeyboardInterrupt
        offset = result.intercept[: problem.size - problem.columns].tolist()
        self.try_integers(primitive_vector([*problem.scale_view_weights(result.coef[0]), *map(Fraction, offset)]))

    def take_nearby(self, w: IntVector, mistakes: int) -> None:
        """Take a hyperplane near w that makes at most so many mistakes on all rows.

        w has that many mistakes on the merged rows that cannot be separated. A small random change moves it off rows
        that cancel each other: then one row of each opposite pair is right. A large multiple of the base makes it right
        on all rows that can be separated.
        """
        random = np.random.default_rng(0)
        for bits in (0, 8, 32, 128, 512, 2048):
            for spread in (0, 1, 7, 100):
                change = random.integers(-spread, spread + 1, len(w)).tolist()
                moved = [(value << bits) + more for value, more in zip(w, change, strict=True)]
                base = [0] * len(w) if self.base is None else [value << 2 * bits for value in self.base]
                self.try_integers([value + more for value, more in zip(moved, base, strict=True)])
                if self.mistakes <= mistakes:
                    return

    def unit_weights(self) -> Floats:
        """w as floats, divided by its largest weight."""
        largest = max(map(abs, self.w)) or 1
        return np.array([float(Fraction(value, largest)) for value in self.w])

    def hyperplane(self) -> Hyperplane:
        """The hyperplane in the columns of X."""
        weights = primitive_vector(self.problem.unscale_weights(self.w))
        offset = Fraction(weights[-1] if self.problem.fit_intercept else 0)
        return Hyperplane(tuple(Fraction(value) for value in weights[: self.problem.columns]), offset)
