"""The search for the fewest mistakes: both bounds approach each other until they meet or time is up."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from ...foundation.types import Floats, Places
from ..exact.merged_rows import MergedRows, merge_rows
from ..exact.problem import ExactProblem, unit_floats
from ..separability.tucker_split import split_rows
from ..time_limit import Clock, OutOfTime
from .best_hyperplane import BestHyperplane
from .clash import Clash, immediate_clashes
from .disjoint_clashes import ClashPacking
from .fewest_mistakes_result import FewestMistakes
from .great_circle_search import count_circles, search_great_circles
from .local_search import least_squares, search_circles_at_random, weigh_mistakes
from .overlapping_clashes import OverlappingClashes

MAX_NUMBERS_IN_ONE_ARRAY = 30_000_000  # of the rows of a local search
MAX_POCKET_SECONDS = 0.5
MAX_LOCAL_SEARCH_SECONDS, MAX_FIRST_STEPS = 5.0, 3000
MAX_ROWS_FOR_CIRCLES = 5000
MAX_CIRCLES = 10**12  # within a time limit; most of them are skipped
MIN_ROW_SIZE = 1e-140  # floats lose the numbers of smaller rows
MAX_IDLE_TURNS = 30  # without gain and without a time limit
MAX_SECONDS_PER_TURN = 1.0  # of each bound
MANY_COLUMNS = 32  # with which it takes long to find a clash that overlaps, so disjoint ones are replaced at first
SECONDS_BETWEEN_LINES = 2.0


class ProgressPrinter:
    """Prints a line of progress every few seconds, if it is asked to."""

    def __init__(self, verbose: int) -> None:
        self.began = time.monotonic()
        self._next = SECONDS_BETWEEN_LINES if verbose else float("inf")

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    def print_if_due(self, words: Callable[[], str]) -> None:
        """Print a line if the last one is old enough."""
        if self.seconds >= self._next:
            self._next = self.seconds + SECONDS_BETWEEN_LINES
            print(f"minimum_mistakes: {words()}, {self.seconds:.0f} s", file=sys.stderr, flush=True)


class HyperplaneSearch:
    """The best hyperplane so far, which is the upper bound, and the proofs so far, which are the lower bound."""

    def __init__(self, problem: ExactProblem, clock: Clock, progress: ProgressPrinter) -> None:
        self.problem, self.clock, self.progress = problem, clock, progress
        self.best = BestHyperplane(problem)
        self.clashes: list[Clash] = []
        self.lower, self.counted = 0, False

    def result(self) -> FewestMistakes:
        """What is known by now."""
        problem = self.problem
        return FewestMistakes(
            mistakes=self.best.mistakes,
            lower_bound=self.lower,
            hyperplane=self.best.hyperplane(),
            clashes=self.clashes,
            counted=self.counted,
            rows=problem.rows,
            classes=list(problem.classes),
            fit_intercept=problem.fit_intercept,
            seconds=self.progress.seconds,
            features=problem.features,
        )

    def run(self) -> None:
        """Separate the rows that can be separated, and bound the mistakes on the others, until time is up."""
        with suppress(OutOfTime):
            self._bound_mistakes(self._separate())

    def _separate(self) -> Places:
        """The rows that no hyperplane has on their own side without another row on the wrong side."""
        found = split_rows(self.problem, self.clock)
        if found.w is None:
            return np.arange(self.problem.rows)
        if not found.inside.all():
            self.best.base = found.w
            self.best.try_integers(found.w)
        return np.flatnonzero(found.inside)

    def _bound_mistakes(self, hard: Places) -> None:
        seconds = min(MAX_POCKET_SECONDS, self.clock.seconds_left() / 4)
        rows = merge_rows(self.problem, hard)
        self.clashes = immediate_clashes(self.problem, rows)
        self.lower = len(self.clashes)
        if not rows.members:
            self.best.take_nearby([0] * self.problem.size, self.lower)
            return
        self.clock.check()
        self.best.try_pocket(seconds)
        self.clock.check()
        if len(rows.members) * self.problem.size > MAX_NUMBERS_IN_ONE_ARRAY:
            self._count_exhaustively(rows)
        else:
            self._close_gap(rows, self._unit_rows(rows))

    def _unit_rows(self, rows: MergedRows) -> Floats:
        """One row of each direction, of length 1."""
        floats = self.problem.floats(rows.rows)
        sizes = np.abs(floats).max(axis=1)
        for place in np.flatnonzero(sizes < MIN_ROW_SIZE).tolist():  # the scale of the columns suits larger rows
            floats[place] = unit_floats(self.problem.integer_row(rows.members[place][0]))
            sizes[place] = np.abs(floats[place]).max()
        floats /= sizes[:, None]
        return np.asarray(floats / np.linalg.norm(floats, axis=1)[:, None])

    def _close_gap(self, rows: MergedRows, floats: Floats) -> None:
        """Search hyperplanes and pack clashes; if the bounds differ, count exhaustively, then use the time left."""
        self.clock.check()
        w = self._search_locally(rows, floats)
        self.best.try_floats(w)
        self.clock.check()
        packing, watch = ClashPacking(self.problem, rows, floats, w, self.clock), self._report_clashes(rows)
        share = 1.0 if self._has_too_many_circles(rows) else 0.25  # the rest is for counting
        packing.pack(self._clashes_wanted(rows), self.clock.at_most(share * self.clock.seconds_left()), watch)
        self._adopt(rows, packing)
        if self.lower < self.best.mistakes:
            self._count_exhaustively(rows)
        self._use_time_left(rows, floats, packing)

    def _search_locally(self, rows: MergedRows, floats: Floats) -> Floats:
        """A good direction: a local search from least squares, the best hyperplane so far and the mean row."""
        weights = rows.weights
        count, size = floats.shape
        candidates = least_squares(floats, weights), self.best.unit_weights(), floats.T @ weights
        starts: list[Floats] = [start for start in candidates if np.any(start)]
        steps = min(MAX_FIRST_STEPS, 4 * size + count // 4)
        clock = self.clock.at_most(min(self.clock.seconds_left() / 4, MAX_LOCAL_SEARCH_SECONDS))
        return search_circles_at_random(floats, weights, starts, steps, 0, clock)

    def _use_time_left(self, rows: MergedRows, floats: Floats, packing: ClashPacking) -> None:
        """Work on both bounds in turn until they meet or time is up; without a time limit, until neither moves."""
        overlapping, replaces = None, floats.shape[1] >= MANY_COLUMNS
        turn, idle, limited = 0, 0, bool(np.isfinite(self.clock.seconds_left()))
        while self.lower < self.best.mistakes and (limited or idle < MAX_IDLE_TURNS):
            self.clock.check()
            lower, upper = self.lower, self.best.mistakes
            turn += 1
            self._search_elsewhere(rows, floats, turn)
            if replaces or not packing.complete:
                self._replace_clashes(rows, packing)
            else:
                w = self.best.unit_weights()
                overlapping = overlapping or OverlappingClashes(self.problem, rows, floats, w, self.clock)
                overlapping.add_new(packing.found)
                self._share_clashes(rows, overlapping)
            replaces ^= self.lower == lower  # the other way, where this one found nothing
            idle = idle + 1 if (lower, upper) == (self.lower, self.best.mistakes) else 0

    def _search_elsewhere(self, rows: MergedRows, floats: Floats, turn: int) -> None:
        """A local search from the best hyperplane and from the least squares of a random half of the rows."""
        random = np.random.default_rng(turn)
        half = floats[random.random(len(floats)) < 0.5]
        starts = [self.best.unit_weights(), *([least_squares(half)] if len(half) else [])]
        clock = self.clock.at_most(min(self.clock.seconds_left() / 2, MAX_SECONDS_PER_TURN))
        steps = 40 * floats.shape[1] + 400
        w = search_circles_at_random(floats, rows.weights, [w for w in starts if np.any(w)], steps, 0, clock, seed=turn)
        if weigh_mistakes(floats, rows.weights, w) < self._clashes_wanted(rows) and self.clock.seconds_left():
            self.best.try_floats(w)

    def _replace_clashes(self, rows: MergedRows, packing: ClashPacking) -> None:
        """Give up clashes that share no row for others, which leaves room for more now and then."""
        clock, watch = self.clock.at_most(MAX_SECONDS_PER_TURN), self._report_clashes(rows)
        while self.lower < self.best.mistakes and clock.seconds_left():
            if not packing.complete:
                packing.pack(self._clashes_wanted(rows), clock, watch)
            elif packing.found:
                packing.replace(self._clashes_wanted(rows), clock, watch)
            else:
                return
            self._adopt(rows, packing)

    def _adopt(self, rows: MergedRows, packing: ClashPacking) -> None:
        """Take the clashes of a packing if they prove more."""
        fixed = rows.unavoidable_mistakes
        if fixed + len(packing.found) > self.lower:
            self.clashes = self.clashes[:fixed] + [found.clash for found in packing.found]
            self.lower = len(self.clashes)

    def _share_clashes(self, rows: MergedRows, overlapping: OverlappingClashes) -> None:
        """Find more clashes that overlap, and take them if their shares prove more."""
        clock, fixed = self.clock.at_most(MAX_SECONDS_PER_TURN), rows.unavoidable_mistakes
        while fixed + overlapping.bound < self.best.mistakes and clock.seconds_left() and overlapping.improve():
            self.progress.print_if_due(lambda: self._bounds_text(fixed + overlapping.bound))
        if fixed + overlapping.bound > self.lower:
            self.clashes = self.clashes[:fixed] + overlapping.clashes()
            self.lower = fixed + overlapping.bound

    def _clashes_wanted(self, rows: MergedRows) -> int:
        """How many clashes of merged rows make the lower bound equal to the upper one."""
        return self.best.mistakes - rows.unavoidable_mistakes

    def _report_clashes(self, rows: MergedRows) -> Callable[[int], None]:
        return lambda found: self.progress.print_if_due(lambda: self._bounds_text(rows.unavoidable_mistakes + found))

    def _bounds_text(self, lower: int) -> str:
        return f"between {max(lower, self.lower):,} and {self.best.mistakes:,}"

    def _has_too_many_circles(self, rows: MergedRows) -> bool:
        """Whether an exhaustive search would take too long, so that only the local search finds hyperplanes."""
        too_many = count_circles(len(rows.members), self.problem.size) > MAX_CIRCLES
        return len(rows.members) > MAX_ROWS_FOR_CIRCLES or bool(too_many and np.isfinite(self.clock.seconds_left()))

    def _count_exhaustively(self, rows: MergedRows) -> None:
        """Find the minimum by an exhaustive search, unless it would take, or after a tenth of the time seems to take,
        far too long."""
        if self._has_too_many_circles(rows):
            return
        integer_rows = [self.problem.integer_row(row) for row in rows.rows]
        wanted = self._clashes_wanted(rows)
        try:
            found = search_great_circles(integer_rows, rows.weights, wanted, self.clock, self._stop_if_hopeless())
        except OutOfTime:
            return
        if found is None:
            self.lower = self.best.mistakes
        else:
            self.lower = rows.unavoidable_mistakes + found.mistakes
            self.best.take_nearby(found.w, self.lower)
        self.counted = True

    def _stop_if_hopeless(self) -> Callable[[float], None]:
        """A callback of the exhaustive search that ends it if half of the time would not be enough."""
        began, limit = time.monotonic(), self.clock.seconds_left()

        def watch(share: float) -> None:
            self.progress.print_if_due(lambda: f"{self._bounds_text(self.lower)}, {share:.0%} of all places looked at")
            spent = (time.monotonic() - began) / limit
            if spent > 0.1 and share < spent / 2:
                raise OutOfTime

        return watch
