"""Tucker's split of a few rows by one linear program, and the proof of their T by another.

The first program is max sum p_i with sum (p_i + v_i) a_i = 0, 0 <= p_i <= 1, v_i >= 0. Its optimum has p_i = 1 exactly
on T, and its prices w have a_i . w >= 1 on S and >= 0 everywhere (Tucker). The second program follows Steinitz: take
rows b of T that are a basis of its span, and a vertex of sum mu_i a_i = -sum beta_b b, mu >= 0. Together these are at
most twice the rank of T rows. With random beta the vertex is not degenerate, so mu is positive in exact arithmetic too.

Only the multipliers of `find_spanning_dependence` are exact. The rest is floating point.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import highspy
import numpy as np

from ...foundation.types import Floats, Mask
from ..exact.linear_algebra import IntVector, PositiveDependence, independent_rows, solve_independent, weighted_sum
from ..time_limit import Clock
from .linear_program import NO_INDICES, PRIMAL_SIMPLEX, new_highs, nonzero_arrays, run_highs

SHARE_STEPS = 1024  # of the random shares


class SplitGuess(NamedTuple):
    """The rows that seem to be in T, and a w that seems to be at least 1 on the others and 0 on T."""

    inside: Mask
    w: Floats


class SplitProgram:
    """The linear program of the whole split. Rows join as columns, and HiGHS continues from its last basis."""

    def __init__(self, size: int, clock: Clock) -> None:
        self._highs, self._clock = new_highs(), clock
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self._highs.addRows(size, np.zeros(size), np.zeros(size), 0, NO_INDICES, NO_INDICES, np.array([]))

    def add(self, floats: Floats) -> None:
        """Add rows, each with its p and its v."""
        count = len(floats)
        twice = np.repeat(floats, 2, axis=0)
        most = np.tile([1.0, highspy.kHighsInf], count)
        self._highs.addCols(2 * count, np.tile([1.0, 0.0], count), np.zeros(2 * count), most, *nonzero_arrays(twice))

    def solve(self) -> SplitGuess | None:
        """The optimum; None if HiGHS finds none."""
        if not run_highs(self._highs, self._clock):
            return None
        solution = self._highs.getSolution()
        self._highs.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        shares = np.array(solution.col_value[::2])
        return SplitGuess(shares > 0.5, np.array(solution.row_dual))


def find_spanning_dependence(floats: Floats, rows: Sequence[IntVector], clock: Clock) -> PositiveDependence | None:
    """A positive dependence of rows that have the rank of all rows and are at most twice as many as the rank.

    `floats` are the same rows, each times any positive number. None if there is no such dependence, or if floats do not
    find it.

    >>> rows = [[1, 0], [-1, 0], [0, 1], [0, -2], [0, -1]]
    >>> find_spanning_dependence(np.array(rows, dtype=float), rows, Clock(None)).rows
    [0, 2, 1, 3]
    """
    basis = independent_rows(rows)
    sizes = np.abs(floats[basis]).max(axis=1)
    if not sizes.all():  # too small for floats
        return None
    shares = np.random.default_rng(0).integers(SHARE_STEPS, 2 * SHARE_STEPS, len(basis)).tolist()
    tops = [max(abs(value) for value in rows[row]) for row in basis]
    factors = [Fraction(share, 1 << top.bit_length()) for share, top in zip(shares, tops, strict=True)]
    heights = np.array([float(factor * top) / SHARE_STEPS for factor, top in zip(factors, tops, strict=True)])
    vertex = _vertex(floats, -(heights / sizes) @ floats[basis], clock)
    chosen = [rows[row] for row in basis]
    common = lcm(*(factor.denominator for factor in factors))
    parts = solve_independent([rows[row] for row in vertex], [-value for value in weighted_sum(factors, chosen)])
    if parts is None or any(part < 0 for part in parts):
        return None
    multipliers = dict(zip(basis, factors, strict=True))
    for row, part in zip(vertex, parts, strict=True):
        if part:
            multipliers[row] = multipliers.get(row, Fraction(0)) + part / common
    return PositiveDependence(list(multipliers), list(multipliers.values()))


def _vertex(floats: Floats, target: Floats, clock: Clock) -> list[int]:
    """The rows of a vertex: multiples >= 0 of them sum to the target; empty if HiGHS finds none."""
    highs, count = new_highs(), len(floats)
    highs.addRows(len(target), target, target, 0, NO_INDICES, NO_INDICES, np.array([]))
    highs.addCols(count, np.ones(count), np.zeros(count), np.full(count, highspy.kHighsInf), *nonzero_arrays(floats))
    if not run_highs(highs, clock):
        return []
    basic = highspy.HighsBasisStatus.kBasic
    return [row for row, status in enumerate(highs.getBasis().col_status) if status == basic]
