"""Wolfe's method for the nearest points of two convex hulls, in exact arithmetic."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf, isqrt, lcm, nextafter
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq_mat, fmpz_mat

from ..exact.linear_algebra import IntVector, dot, to_fraction
from ..time_limit import Clock

Pair = tuple[int, int]
PairWeights = dict[Pair, Fraction]


class NearestPoints(NamedTuple):
    """The shortest difference of two points of the hulls, and the weights of the pairs that make it, with sum 1."""

    difference: list[Fraction]
    plan: PairWeights


def solve_nearest_points_exactly(
    ahead: Sequence[IntVector], behind: Sequence[IntVector], plan: PairWeights, clock: Clock
) -> NearestPoints:
    """The shortest vector between two hulls.

    A corral is a set of pairs (i, j) whose differences ahead_i - behind_j are affinely independent and whose shortest
    affine combination has only positive weights. In each round the pair that is furthest back along that combination
    joins, and pairs whose weight would become negative leave. Each corral gives a shorter vector than the last, so the
    method ends. `plan` is the start, or {}.

    >>> solve_nearest_points_exactly([[2, 0], [0, 2]], [[0, 0]], {}, Clock(None))
    NearestPoints(difference=[Fraction(1, 1), Fraction(1, 1)], plan={(0, 0): Fraction(1, 2), (1, 0): Fraction(1, 2)})
    """
    try:
        corral = _shorten(ahead, behind, plan or {(0, 0): Fraction(1)})
    except ZeroDivisionError:  # the pairs of the start are not independent
        corral = {(0, 0): Fraction(1)}
    while True:
        clock.check()
        whole, denominator = _weighted_difference(ahead, behind, corral)
        i = min(range(len(ahead)), key=lambda row: dot(whole, ahead[row]))
        j = max(range(len(behind)), key=lambda row: dot(whole, behind[row]))
        reach = dot(whole, ahead[i]) - dot(whole, behind[j])
        if reach * denominator >= dot(whole, whole):
            return NearestPoints([Fraction(value, denominator) for value in whole], corral)
        corral = _shorten(ahead, behind, {**corral, (i, j): Fraction(0)})


def _difference(ahead: Sequence[IntVector], behind: Sequence[IntVector], pair: Pair) -> IntVector:
    return [a - b for a, b in zip(ahead[pair[0]], behind[pair[1]], strict=True)]


def _weighted_difference(
    ahead: Sequence[IntVector], behind: Sequence[IntVector], plan: PairWeights
) -> tuple[IntVector, int]:
    """The combination of a plan: integers and their common denominator."""
    denominator = lcm(*(weight.denominator for weight in plan.values()))
    total = [0] * len(ahead[0])
    for pair, weight in plan.items():
        factor = int(weight * denominator)
        for column, value in enumerate(_difference(ahead, behind, pair)):
            total[column] += factor * value
    return total, denominator


def _shorten(ahead: Sequence[IntVector], behind: Sequence[IntVector], plan: PairWeights) -> PairWeights:
    """Move to the shortest affine combination, and drop the pairs whose weight becomes 0 on the way."""
    while True:
        shortest = _affine_minimum(ahead, behind, plan)
        if min(shortest.values()) > 0:
            return shortest
        part = min(plan[pair] / (plan[pair] - weight) for pair, weight in shortest.items() if weight <= 0)
        moved = {pair: weight + part * (shortest[pair] - weight) for pair, weight in plan.items()}
        plan = {pair: weight for pair, weight in moved.items() if weight > 0}


def _affine_minimum(ahead: Sequence[IntVector], behind: Sequence[IntVector], plan: PairWeights) -> PairWeights:
    """The weights with sum 1, of any sign, of the shortest combination: G a = m 1, 1.a = 1."""
    pairs = list(plan)
    vectors = fmpz_mat([_difference(ahead, behind, pair) for pair in pairs])
    gram = (vectors * vectors.transpose()).tolist()
    bordered: list[list[Any]] = [[*row, 1] for row in gram] + [[1] * len(pairs) + [0]]
    answer = fmpq_mat(fmpz_mat(bordered)).solve(fmpq_mat(fmpz_mat([[0]] * len(pairs) + [[1]])))
    return {pair: to_fraction(answer[place, 0]) for place, pair in enumerate(pairs)}


def root_below(square: Fraction) -> float:
    """The largest float that is at most the square root.

    >>> root_below(Fraction(4)), root_below(Fraction(2)) ** 2 < 2
    (2.0, True)
    """
    value = _near_root(square)
    while Fraction(value) ** 2 > square:
        value = nextafter(value, 0.0)
    return value


def root_above(square: Fraction) -> float:
    """The smallest float that is at least the square root.

    >>> root_above(Fraction(4)), root_above(Fraction(2)) ** 2 > 2
    (2.0, True)
    """
    value = _near_root(square)
    while np.isfinite(value) and Fraction(value) ** 2 < square:
        value = nextafter(value, inf)
    return value


def _near_root(square: Fraction) -> float:
    shift = max(0, 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2)
    root = isqrt((square.numerator << 2 * shift) // square.denominator)
    try:
        return float(Fraction(root, 1 << shift))
    except OverflowError:
        return float(np.finfo(np.float64).max)
