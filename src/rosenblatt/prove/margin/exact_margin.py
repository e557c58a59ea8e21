"""The widest margin in exact arithmetic, for rows that need more digits than floats have."""

from fractions import Fraction

import numpy as np

from ...foundation.matrices import is_sparse
from ...foundation.types import Floats, Places
from ..exact.hyperplane import Hyperplane
from ..exact.linear_algebra import IntVector
from ..exact.problem import ExactProblem
from ..time_limit import Clock
from .class_hulls import ClassHulls, rows_of_side
from .widest_margin import MaxMargin, Support
from .wolfe import PairWeights, root_above, root_below, solve_nearest_points_exactly


def pair_weights(hulls: ClassHulls, alpha: Floats) -> PairWeights:
    """Convert weights of rows to weights of pairs of rows, one of each class, filled from first to last."""
    support = np.flatnonzero(alpha)
    exact = {int(row): Fraction(float(alpha[row])) for row in support}
    if hulls.sides is None:
        total = sum(exact.values())
        return {(row, -1): weight / total for row, weight in exact.items()}
    parts = []
    for side in (1, -1):
        own = [(row, weight) for row, weight in exact.items() if hulls.sides[row] == side]
        total = sum((weight for _, weight in own), Fraction(0))
        parts.append([(row, weight / total) for row, weight in own])
    plan: PairWeights = {}
    (ahead, behind), i, j = parts, 0, 0
    while i < len(ahead) and j < len(behind):
        (row, left), (other, right) = ahead[i], behind[j]
        taken = min(left, right)
        plan[row, other] = taken
        ahead[i], behind[j] = (row, left - taken), (other, right - taken)
        i, j = i + (left == taken), j + (right == taken)
    return plan


class _IntegerRows:
    """Rows as integers, all multiplied by the same power of two."""

    def __init__(self, hulls: ClassHulls) -> None:
        self.hulls = hulls
        self.problem = ExactProblem(hulls.X, hulls.labels, True)
        values = hulls.X.data if is_sparse(hulls.X) else hulls.X[hulls.X != 0]
        lowest = int(np.frexp(np.abs(values).min())[1]) - 54
        self.power = Fraction(2) ** min(lowest, 0)
        self._cache: dict[int, IntVector] = {}

    def row(self, place: int) -> IntVector:
        """x_i with an intercept, y_i x_i without; row -1 is the origin."""
        if place < 0:
            return [0] * self.hulls.X.shape[1]
        if place not in self._cache:
            values = self.hulls.X[[place]].toarray()[0] if is_sparse(self.hulls.X) else self.hulls.X[place]
            sign = 1 if self.hulls.sides is not None else int(self.hulls.labels[place])
            self._cache[place] = [int(sign * Fraction(value) / self.power) for value in values.tolist()]
        return self._cache[place]

    def violating_rows(self, w: list[Fraction], ahead: Fraction, behind: Fraction) -> Places:
        """Positive rows with w.x < ahead and negative rows with w.x > behind, the worst first."""
        found, depths = [], []
        for side, level in ((1.0, ahead), (-1.0, behind)):
            sides = self.problem.nonpositive_rows(self.problem.scale_weights([*w, -level]))
            wrong = (sides.sign == -1) & (self.hulls.labels[sides.rows] == side)
            found.append(sides.rows[wrong])
            depths.append(sides.value[wrong])
        return np.concatenate(found)[np.argsort(np.concatenate(depths), kind="stable")]


def exact_margin(hulls: ClassHulls, plan: PairWeights, clock: Clock) -> MaxMargin:
    """The widest margin in exact arithmetic. Only the result is rounded, so the bounds are neighbouring floats."""
    exact = _IntegerRows(hulls)
    plan = plan or _first_pair(hulls)
    chosen = sorted({row for pair in plan for row in pair})
    while True:
        ahead, behind = _split_by_class(hulls, chosen)
        start = {(ahead.index(i), behind.index(j)): weight for (i, j), weight in plan.items()}
        nearest = solve_nearest_points_exactly(
            [exact.row(i) for i in ahead], [exact.row(j) for j in behind], start, clock
        )
        plan = {(ahead[i], behind[j]): weight for (i, j), weight in nearest.plan.items()}
        w = [value * exact.power for value in nearest.difference]
        front = min(_dot(w, exact.row(i), exact.power) for i in ahead)
        back = max(_dot(w, exact.row(j), exact.power) for j in behind)
        short = exact.violating_rows(w, front, back if hulls.sides is not None else -front)
        if not len(short):
            return _rounded_answer(hulls, w, front, back, plan)
        chosen = sorted({*chosen, *short[: len(w) + 20].tolist()})


def _dot(w: list[Fraction], row: IntVector, power: Fraction) -> Fraction:
    return sum((weight * value for weight, value in zip(w, row, strict=True)), Fraction(0)) * power


def _first_pair(hulls: ClassHulls) -> PairWeights:
    if hulls.sides is None:
        return {(0, -1): Fraction(1)}
    return {(int(rows_of_side(hulls.sides, 1)[0]), int(rows_of_side(hulls.sides, -1)[0])): Fraction(1)}


def _split_by_class(hulls: ClassHulls, chosen: list[int]) -> tuple[list[int], list[int]]:
    if hulls.sides is None:
        return [row for row in chosen if row >= 0], [-1]
    return [row for row in chosen if hulls.sides[row] == 1], [row for row in chosen if hulls.sides[row] == -1]


def _rounded_answer(
    hulls: ClassHulls, w: list[Fraction], front: Fraction, back: Fraction, plan: PairWeights
) -> MaxMargin:
    square = sum((value * value for value in w), Fraction(0))
    if hulls.sides is not None:
        square /= 4
    largest = max(abs(value) for value in w)
    power = Fraction(2) ** (largest.denominator.bit_length() - largest.numerator.bit_length())
    offset = -(front + back) / 2 * power if hulls.sides is not None else Fraction(0)
    weights: dict[int, Fraction] = {}
    for pair, weight in plan.items():
        for row in pair:
            weights[row] = weights.get(row, Fraction(0)) + weight
    rows = sorted(row for row in weights if row >= 0)
    support = Support(hulls.numbers[rows], np.array([float(weights[row]) for row in rows]))
    plane = Hyperplane(tuple(value * power for value in w), offset)
    return MaxMargin(plane, root_below(square), root_above(square), support)
