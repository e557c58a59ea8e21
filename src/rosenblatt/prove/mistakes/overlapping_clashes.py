"""Clashes that overlap: each of them counts by a share, and the sum of all shares bounds the mistakes.

Give each clash C a share s_C >= 0, such that the shares of the clashes that contain a row add up to at most 1. Let M be
the mistakes of some w. Every clash contains a row of M, so

    |M| >= sum over i in M of (sum of s_C over the clashes that contain i) >= sum of all s_C

and the number of mistakes is whole, so the sum can be rounded up. Clashes that share no row have shares of 1. Three
clashes of which every two share a row, and no row is in all three, have shares of 1/2: the bound is 2 instead of 1.

The largest sum is a linear program over the known clashes. Clashes are found by multiplicative weights: a row is the
more expensive, the more clashes it is in, and the next clash is a cheap one. So the clashes spread over all rows. The
prices of the linear program itself would do the same in the end, but they begin with a few rows of price 1 and all
others free. Floats propose shares. They are rounded down to fractions with a common denominator, and corrected, so that
the bound is exact.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil
from typing import Any

import highspy
import numpy as np
import numpy.typing as npt

from ...foundation.types import Floats
from ..exact.merged_rows import MergedRows
from ..exact.problem import ExactProblem
from ..separability.linear_program import NO_INDICES, PRIMAL_SIMPLEX, new_highs, run_highs
from ..time_limit import Clock
from .clash import Clash, DirectionClash, prove_clash
from .clash_exchange import exchange_rows
from .clash_program import ClashProgram

DENOMINATORS = (1, 2, 3, 12, 2520, 16_777_216)  # of shares; the first with the best bound is taken
ROUNDING = 1e-6  # of a share
PRICE_PER_CLASH = 0.3  # the logarithm of a row's price grows by this with each of its clashes
LEAST_COST = 1e-3  # of a row, when the rows of a clash cost 1 on average
MIN_GROWTH = 1.05  # of the number of clashes between two solutions of the program of shares
Whole = npt.NDArray[np.int64]


class ShareProgram:
    """max sum s_C, such that the shares of the clashes of each direction add up to at most its weight.

    >>> program = ShareProgram(np.ones(3, dtype=np.int64), Clock(None))
    >>> [program.add(clash) for clash in ([0, 1], [1, 2], [0, 2], [2, 0])]
    [True, True, True, False]
    >>> program.solve(), program.shares.tolist(), program.exact_shares()
    (True, [0.5, 0.5, 0.5], ([1, 1, 1], 2))
    """

    def __init__(self, weights: Whole, clock: Clock) -> None:
        self.weights, self.clock = weights, clock
        self.clashes: list[list[int]] = []
        self.shares = np.zeros(0)
        self._known: set[frozenset[int]] = set()
        self._lines: dict[int, int] = {}
        self._highs: Any = new_highs(simplex_strategy=PRIMAL_SIMPLEX)
        self._highs.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def knows(self, rows: list[int]) -> bool:
        """Whether the clash of these directions was added."""
        return frozenset(rows) in self._known

    def add(self, rows: list[int]) -> bool:
        """Add the clash of these directions; return whether it is new."""
        if self.knows(rows):
            return False
        self._known.add(frozenset(rows))
        self.clashes.append(rows)
        for row in rows:
            if row not in self._lines:
                self._lines[row] = len(self._lines)
                self._highs.addRow(-highspy.kHighsInf, float(self.weights[row]), 0, NO_INDICES, np.array([]))
        lines = np.array([self._lines[row] for row in rows], dtype=np.int32)
        self._highs.addCol(1.0, 0.0, highspy.kHighsInf, len(rows), lines, np.ones(len(rows)))
        return True

    def solve(self) -> bool:
        """Update the shares; return whether HiGHS found them in time."""
        if not self.clashes or not self.clock.seconds_left() or not run_highs(self._highs, self.clock):
            return False
        self.shares = np.array(self._highs.getSolution().col_value)
        return True

    def exact_shares(self) -> tuple[list[int], int]:
        """Whole shares and their common denominator, with the best bound that rounding leaves."""
        used = np.flatnonzero(self.shares > ROUNDING)
        clashes, shares = [self.clashes[place] for place in used], self.shares[used]
        found = [(_round_shares(clashes, shares, self.weights, of), of) for of in DENOMINATORS]
        parts, denominator = max(found, key=lambda pair: -(-sum(pair[0]) // pair[1]))
        whole = np.zeros(len(self.shares), dtype=np.int64)
        whole[used] = parts
        return whole.tolist(), denominator


def _round_shares(clashes: list[list[int]], shares: Floats, weights: Whole, denominator: int) -> list[int]:
    """Whole shares of so many parts: those of the floats rounded down, then as large as the weights allow.

    >>> _round_shares([[0, 1], [1, 2], [0, 2]], np.full(3, 0.5), np.ones(3, dtype=np.int64), 2)
    [1, 1, 1]
    >>> _round_shares([[0, 1], [1, 2], [0, 2]], np.full(3, 0.9), np.ones(3, dtype=np.int64), 2)
    [1, 1, 1]
    """
    left = (weights.astype(np.int64) * denominator).tolist()
    whole = [0] * len(clashes)
    wishes = np.floor(shares * denominator + ROUNDING).astype(np.int64).tolist()
    order = np.argsort(-shares, kind="stable").tolist()
    for wish in (wishes, [max(left)] * len(clashes)):
        for place in order:
            more = min(wish[place], *(left[row] for row in clashes[place]))
            whole[place] += more
            for row in clashes[place]:
                left[row] -= more
    return whole


class OverlappingClashes:
    """The clashes found so far, their shares, and the bound of the shares."""

    def __init__(self, problem: ExactProblem, rows: MergedRows, floats: Floats, w: Floats, clock: Clock) -> None:
        self.problem, self.rows, self.clock = problem, rows, clock
        self.bound = 0
        self._proved: list[DirectionClash] = []
        self._shares: tuple[list[int], int] = [], 1
        self._loads = np.zeros(len(floats))
        self._random = np.random.default_rng(0)
        self._program = ShareProgram(rows.weights.astype(np.int64), clock)
        self._search = ClashProgram(floats, w, self._random, clock, simplex_strategy=PRIMAL_SIMPLEX)

    def add_new(self, clashes: Iterable[DirectionClash]) -> None:
        """Add those of some clashes that are new."""
        for proved in clashes:
            if not self._program.knows(proved.directions):
                self.add(proved)

    def add(self, proved: DirectionClash) -> None:
        """Add a clash, if it is new, and make its rows more expensive in any case."""
        self._loads[proved.directions] += 1.0 / self._program.weights[proved.directions]
        if self._program.add(proved.directions):
            self._proved.append(proved)

    def improve(self) -> bool:
        """Find another clash, and from time to time the best shares; return False if time is up or nothing clashes."""
        rows = self._find_clash()
        if rows is None:
            return False
        proved = prove_clash(self.problem, rows, [self.rows.members[row][0] for row in rows])
        if proved is not None:
            self.add(proved)
        else:
            self._loads[rows] += 1.0
        if len(self._program.clashes) >= MIN_GROWTH * len(self._program.shares) and self._program.solve():
            self._update_bound()
        return True

    def _find_clash(self) -> list[int] | None:
        """A clash of rows that are in few clashes so far."""
        prices = np.exp(PRICE_PER_CLASH * (self._loads - self._loads.max()))
        prices = prices / prices.mean() + LEAST_COST
        self._search.set_costs(prices * self._random.uniform(0.5, 1.5, len(prices)))
        rows = self._search.find(cheapest=True)
        if rows is None:
            return None
        prices += LEAST_COST * self._random.uniform(0.0, 1.0, len(prices))
        return exchange_rows(self._search.floats, rows, prices, self.clock)

    def clashes(self) -> list[Clash]:
        """The clashes with a share, of rows of X."""
        found = []
        for place, turns, share in distribute_shares(self._program.clashes, *self._shares):
            proved = self._proved[place]
            members = [self.rows.members[row][turn] for row, turn in zip(proved.directions, turns, strict=True)]
            found.append(proved.in_members(self.problem, members, share))
        return found

    def _update_bound(self) -> None:
        if ceil(self._program.shares.sum() - ROUNDING) > self.bound:
            whole, denominator = self._program.exact_shares()
            bound = -(-sum(whole) // denominator)
            if bound > self.bound:
                self.bound, self._shares = bound, (whole, denominator)


def distribute_shares(
    clashes: list[list[int]], whole: list[int], denominator: int
) -> Iterator[tuple[int, list[int], Fraction]]:
    """For each piece of a clash: its place, which row of each direction it has, and its share.

    The shares of the clashes of a direction are laid end to end, and each row takes a length of 1. So a clash is cut
    where one of its directions passes from a row to the next.

    >>> list(distribute_shares([[0, 1], [0, 2]], [1, 2], 2))
    [(0, [0, 0], Fraction(1, 2)), (1, [0, 0], Fraction(1, 2)), (1, [1, 0], Fraction(1, 2))]
    """
    begin: defaultdict[int, int] = defaultdict(int)
    for place, (directions, share) in enumerate(zip(clashes, whole, strict=False)):
        starts = [begin[row] for row in directions]
        cuts = {end for start in starts for end in range(denominator - start % denominator, share, denominator)}
        ends = sorted(cuts | {share}) if share else []
        for here, end in zip([0, *ends], ends, strict=False):
            yield place, [(start + here) // denominator for start in starts], Fraction(end - here, denominator)
        for row in directions:
            begin[row] += share
