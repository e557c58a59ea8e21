"""Clashes that share no row: every hyperplane makes a mistake in each of them.

Rows clash if positive multiples of them sum to 0: then no w is positive on all of them. So the fewest mistakes possible
are at least the number of clashes that share no row. A vertex of the linear program

    min sum c_i lambda_i,  sum lambda_i a_i = 0,  sum lambda_i = 1,  lambda >= 0

has at most one row more than there are columns, and these rows clash. They are removed, and the next clash is found
among the other rows, until the remaining rows can be separated. Then a few clashes are given up, because their rows and
the remaining ones may contain more clashes. Rows join the program by column generation. Floats propose a clash, and
exact arithmetic finds its multipliers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import highspy
import numpy as np

from ...foundation.types import Floats, Places
from ..exact.digits import decimal_text, tuple_repr
from ..exact.linear_algebra import primitive_vector, solve_independent
from ..exact.merged_rows import MergedRows
from ..exact.problem import ExactProblem
from ..separability.margin_program import HIGHS_OPTIONS
from ..separability.split_program import NO_INDICES, nonzero_arrays
from ..time_limit import Clock

GAP_COST = 1e6  # a row of length 1 costs about 1
MAX_GAP = 1e-9  # smaller gaps are rounding errors
MAX_ROUNDS_PER_CLASH = 100  # of column generation
CLASHES_REPLACED = 4  # at a time
FIRST_ROWS_PER_COLUMN = 2  # the rows that are most wrong, and twice as many random rows, start the program
MAX_FAILURES = 5  # in a row: clashes that floats propose and exact arithmetic refutes


@dataclass(frozen=True)
class Clash:
    """Rows of X, counted from 0, and positive whole multipliers with sum multiplier_i a_i = 0."""

    rows: tuple[int, ...]
    multipliers: tuple[int, ...]

    def __repr__(self) -> str:
        return f"Clash(rows={self.rows}, multipliers={tuple_repr([decimal_text(value) for value in self.multipliers])})"


def immediate_clashes(problem: ExactProblem, rows: MergedRows) -> list[Clash]:
    """The clashes that merging found: rows of zeros, and pairs of opposite rows."""
    clashes = [Clash((int(problem.numbers[row]),), (1,)) for row in rows.zeros]
    for pair in rows.pairs:
        found = (
            Clash((int(problem.numbers[pair[0]]), int(problem.numbers[pair[1]])), (1, 1))
            if problem.fit_intercept
            else make_clash(problem, pair)
        )
        assert found is not None, "opposite rows clash"
        clashes.append(found)
    return clashes


def make_clash(problem: ExactProblem, rows: Sequence[int]) -> Clash | None:
    """The clash of exactly these rows; None if they do not clash. All but the last must be independent."""
    whole = [problem.integer_row(row) for row in rows]
    parts = solve_independent(whole[:-1], [-value for value in whole[-1]])
    if parts is None or any(part <= 0 for part in parts):
        return None
    powers = [Fraction(2) ** -problem.row_exponent(row) for row in rows]
    multipliers = primitive_vector([part * power for part, power in zip([*parts, Fraction(1)], powers, strict=True)])
    pairs = sorted(zip((int(problem.numbers[row]) for row in rows), multipliers, strict=True))
    return Clash(tuple(row for row, _ in pairs), tuple(value for _, value in pairs))


class ClashPacking:
    """A set of clashes of merged rows that share no row.

    `floats` are the merged rows, each times a positive number. `w` is a good hyperplane: rows that it gets wrong are
    likely to clash.
    """

    def __init__(self, problem: ExactProblem, rows: MergedRows, floats: Floats, w: Floats, clock: Clock) -> None:
        self.problem, self.floats, self.clock = problem, floats, clock
        self.members = [list(members) for members in rows.members]
        self.left = rows.weights.astype(np.int64)
        self.clashes: list[Clash] = []
        self._used: list[list[tuple[int, int]]] = []  # for each clash: its directions, and the row of each
        self._random = np.random.default_rng(0)
        self._program = _ClashProgram(self._random.uniform(0.5, 2.0, len(floats)), clock)
        few = FIRST_ROWS_PER_COLUMN * floats.shape[1] + 40
        worst = np.argsort(floats @ w, kind="stable")[:few]
        others = self._random.permutation(len(floats))[: 2 * few]
        self._program.add(np.union1d(worst, others), floats)

    def pack(self, enough: int, watch: Callable[[int], None] | None = None) -> None:
        """Add clashes until there are enough, none is found or time is up."""
        failures = 0
        while len(self.clashes) < enough:
            rows = self._find_clash()
            if rows is None or failures == MAX_FAILURES:
                return
            failures = 0 if self._take(rows) else failures + 1
            if failures:
                self._program.shuffle(self._random)
            if watch is not None:
                watch(len(self.clashes))

    def improve(self, enough: int, watch: Callable[[int], None] | None = None) -> bool:
        """Replace a few clashes by others, unless that leaves fewer; return whether they were replaced."""
        given = self._random.choice(len(self.clashes), min(CLASHES_REPLACED, len(self.clashes)), replace=False)
        before = [(self.clashes[k], self._used[k]) for k in sorted(given.tolist())]
        count = len(self.clashes)
        for clash, used in before:
            self._give_up(clash, used)
        self._program.shuffle(self._random)
        kept = len(self.clashes)
        self.pack(enough, watch)
        if len(self.clashes) >= count:
            return True
        for clash, used in list(zip(self.clashes[kept:], self._used[kept:], strict=True)):
            self._give_up(clash, used)
        for clash, used in before:
            self._enter(clash, used)
        return False

    def _find_clash(self) -> list[int] | None:
        """Directions that clash, as floats find them; None if the remaining rows have none."""
        program = self._program
        for _ in range(MAX_ROUNDS_PER_CLASH):
            answer = program.solve()
            if answer is None:
                return None
            worth = self.floats @ answer.prices[:-1] + answer.prices[-1] - program.costs
            fresh = np.flatnonzero((worth > 1e-7) & (self.left > 0) & ~program.inside)
            if answer.gap < MAX_GAP:
                return answer.rows
            if not len(fresh):
                return None
            program.add(fresh[np.argsort(-worth[fresh], kind="stable")][: 2 * self.floats.shape[1] + 20], self.floats)
        return None

    def _take(self, rows: list[int]) -> bool:
        used = [(row, self.members[row][-1]) for row in rows]
        clash = make_clash(self.problem, [member for _, member in used])
        if clash is not None:
            self._enter(clash, used)
        return clash is not None

    def _enter(self, clash: Clash, used: list[tuple[int, int]]) -> None:
        self.clashes.append(clash)
        self._used.append(used)
        for row, member in used:
            self.members[row].remove(member)
            self.left[row] -= 1
            if not self.left[row]:
                self._program.allow(row, False)

    def _give_up(self, clash: Clash, used: list[tuple[int, int]]) -> None:
        place = self.clashes.index(clash)
        del self.clashes[place], self._used[place]
        for row, member in used:
            self.members[row].append(member)
            self.left[row] += 1
            if self.left[row] == 1:
                self._program.allow(row, True)


@dataclass
class _Vertex:
    rows: list[int]
    prices: Floats
    gap: float


class _ClashProgram:
    """The linear program of the rows that joined. Slack variables close gaps in the sum at a high cost."""

    def __init__(self, costs: Floats, clock: Clock) -> None:
        self.costs, self.clock = costs, clock
        self.inside = np.zeros(len(costs), dtype=np.bool_)
        self._columns: list[int] = []
        self._place: dict[int, int] = {}
        self._highs: Any = None
        self._size = 0

    def _begin(self, size: int) -> None:
        self._highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in HIGHS_OPTIONS.items():
            self._highs.setOptionValue(option, value)
        target = np.append(np.zeros(size), 1.0)
        self._highs.addRows(size + 1, target, target, 0, NO_INDICES, NO_INDICES, np.array([]))
        self._join(np.vstack([np.eye(size + 1), -np.eye(size + 1)]), np.full(2 * size + 2, GAP_COST))
        self._size = 2 * size + 2

    def _join(self, columns: Floats, costs: Floats) -> None:
        count = len(columns)
        most = np.full(count, highspy.kHighsInf)
        self._highs.addCols(count, costs, np.zeros(count), most, *nonzero_arrays(columns))

    def add(self, rows: Places, floats: Floats) -> None:
        """Add rows that are not in the program yet."""
        if self._highs is None:
            self._begin(floats.shape[1])
        self._join(np.hstack([floats[rows], np.ones((len(rows), 1))]), self.costs[rows])
        for row in rows.tolist():
            self._place[row] = len(self._columns)
            self._columns.append(row)
        self.inside[rows] = True

    def allow(self, row: int, may: bool) -> None:
        """Allow or forbid the use of a row."""
        if self.inside[row]:
            self._highs.changeColBounds(self._size + self._place[row], 0.0, highspy.kHighsInf if may else 0.0)

    def shuffle(self, random: np.random.Generator) -> None:
        """Draw new costs, so that other vertices are optimal."""
        self.costs = random.uniform(0.5, 2.0, len(self.costs))
        count = len(self._columns)
        places = np.arange(self._size, self._size + count, dtype=np.int32)
        self._highs.changeColsCost(count, places, self.costs[self._columns])

    def solve(self) -> _Vertex | None:
        """The optimum; None if HiGHS finds none in time. If HiGHS fails, it starts once more from scratch."""
        for _ in range(2):
            if self.clock.seconds_left() == 0.0:
                return None
            if np.isfinite(self.clock.seconds_left()):
                self._highs.setOptionValue("time_limit", self._highs.getRunTime() + self.clock.seconds_left())
            self._highs.run()
            if self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal:
                return self._answer()
            self._highs.clearSolver()
        return None

    def _answer(self) -> _Vertex:
        found = self._highs.getSolution()
        values = np.array(found.col_value)
        shares = values[self._size :]
        used = np.flatnonzero(shares > 1e-9 * max(1.0, shares.max(initial=0.0)))
        gap = float(np.abs(values[: self._size]).sum())
        return _Vertex([self._columns[place] for place in used], np.array(found.row_dual), gap)
