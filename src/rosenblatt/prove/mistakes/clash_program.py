"""Find rows that clash, by a linear program in floats and without proof.

A vertex of the linear program

    min sum c_i lambda_i,  sum lambda_i a_i = 0,  sum lambda_i = 1,  lambda >= 0

has at most one row more than there are columns, and its rows clash. Rows join the program by column generation. Slack
variables close gaps in the sums at a high cost.
"""

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from ...foundation.types import Floats, Places
from ..separability.linear_program import NO_INDICES, new_highs, nonzero_arrays, run_highs
from ..time_limit import Clock

GAP_COST = 1e6  # a row of length 1 costs about 1
MAX_GAP = 1e-9  # smaller gaps are rounding errors
MIN_REDUCED_COST = 1e-7  # of a row that joins
MAX_ROUNDS = 100  # of column generation for one clash
FIRST_ROWS_PER_COLUMN = 2  # the rows that are most wrong, and twice as many random rows, start the program


@dataclass
class _Vertex:
    rows: list[int]
    prices: Floats
    gap: float


class ClashProgram:
    """The linear program of some rows of length 1, of which those in `allowed` may be used.

    `w` is a good hyperplane: the rows that it gets wrong are likely to clash. Options are those of HiGHS.
    """

    def __init__(self, floats: Floats, w: Floats, random: np.random.Generator, clock: Clock, **options: Any) -> None:
        self.floats, self.clock, self._random = floats, clock, random
        self.allowed = np.ones(len(floats), dtype=np.bool_)
        self.costs = random.uniform(0.5, 2.0, len(floats))
        self._inside = np.zeros(len(floats), dtype=np.bool_)
        self._columns: list[int] = []
        self._place: dict[int, int] = {}
        size = floats.shape[1]
        self._slacks, self._highs = 2 * size + 2, new_highs(**options)
        target = np.append(np.zeros(size), 1.0)
        self._highs.addRows(size + 1, target, target, 0, NO_INDICES, NO_INDICES, np.array([]))
        self._join(np.vstack([np.eye(size + 1), -np.eye(size + 1)]), np.full(self._slacks, GAP_COST))
        few = FIRST_ROWS_PER_COLUMN * size + 40
        worst = np.argsort(floats @ w, kind="stable")[:few]
        self._add(np.union1d(worst, random.permutation(len(floats))[: 2 * few]))

    def find(self, cheapest: bool = False) -> list[int] | None:
        """Rows that clash, as floats see it, or those of least cost; None if there are none or time is up."""
        for _ in range(MAX_ROUNDS):
            answer = self._solve()
            if answer is None:
                return None
            clash = answer.rows if answer.gap < MAX_GAP else None
            if clash and not cheapest:
                return clash
            worth = self.floats @ answer.prices[:-1] + answer.prices[-1] - self.costs
            fresh = np.flatnonzero((worth > MIN_REDUCED_COST) & self.allowed & ~self._inside)
            if not len(fresh):
                return clash
            self._add(fresh[np.argsort(-worth[fresh], kind="stable")][: 2 * self.floats.shape[1] + 20])
        return None

    def allow(self, row: int, may: bool) -> None:
        """Allow or forbid the use of a row."""
        self.allowed[row] = may
        if self._inside[row]:
            self._highs.changeColBounds(self._slacks + self._place[row], 0.0, highspy.kHighsInf if may else 0.0)

    def set_costs(self, costs: Floats) -> None:
        """Change what the rows cost, so that another vertex is optimal."""
        self.costs, count = costs, len(self._columns)
        places = np.arange(self._slacks, self._slacks + count, dtype=np.int32)
        self._highs.changeColsCost(count, places, costs[self._columns])

    def shuffle(self) -> None:
        """Draw new costs."""
        self.set_costs(self._random.uniform(0.5, 2.0, len(self.costs)))

    def _add(self, rows: Places) -> None:
        self._join(np.hstack([self.floats[rows], np.ones((len(rows), 1))]), self.costs[rows])
        for row in rows.tolist():
            self._place[row] = len(self._columns)
            self._columns.append(row)
        self._inside[rows] = True

    def _join(self, columns: Floats, costs: Floats) -> None:
        count = len(columns)
        most = np.full(count, highspy.kHighsInf)
        self._highs.addCols(count, costs, np.zeros(count), most, *nonzero_arrays(columns))

    def _solve(self) -> _Vertex | None:
        """The optimum; None if HiGHS finds none in time. If HiGHS fails, it starts once more from scratch."""
        for _ in range(2):
            if self.clock.seconds_left() == 0.0:
                return None
            if run_highs(self._highs, self.clock):
                return self._vertex()
            self._highs.clearSolver()
        return None

    def _vertex(self) -> _Vertex:
        found = self._highs.getSolution()
        values = np.array(found.col_value)
        shares = values[self._slacks :]
        used = np.flatnonzero(shares > 1e-9 * max(1.0, shares.max(initial=0.0)))
        gap = float(np.abs(values[: self._slacks]).sum())
        return _Vertex([self._columns[place] for place in used], np.array(found.row_dual), gap)
