"""The fewest mistakes that any hyperplane makes: from above by a hyperplane, from below by proofs."""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ...engine.train import train
from ...foundation.errors import TooLarge
from ...foundation.types import Floats, Places
from ...parts.catalogue import recipe
from ...parts.features import IDENTITY, Features
from ...parts.parameter_checks import check_positive
from ..exact.hyperplane import Hyperplane
from ..exact.lifted_problem import make_problem
from ..exact.linear_algebra import IntVector, primitive_vector, weighted_sum
from ..exact.merged_rows import MergedRows, merge_rows
from ..exact.problem import ExactProblem, unit_floats
from ..separability.tucker_split import split_rows
from ..time_limit import Clock, OutOfTime
from .disjoint_clashes import Clash, ClashPacking, immediate_clashes
from .great_circle_search import count_circles, search_great_circles
from .local_search import search_circles_at_random

LENGTHS = (6, 10, 16, 30, 52)  # bits of a weight, as few as will do
MOST_NUMBERS = 30_000_000  # of rows that are turned and packed as one array
POCKET_SECONDS = 0.5  # of training that begins the search
PASSES = 40  # of it at most
MOST_ROWS = 5000  # with rays that are looked at
MOST_CIRCLES = 10**12  # within a time limit; most of them are passed over
LONGEST = 5.0  # seconds of turning
FAINT = 1e-140  # a row so small that floats lose it
IDLE = 1500  # times that clashes were given up without gain, after which it ends
INTERVAL = 2.0  # seconds between two lines of talk


@dataclass
class FewestMistakes:
    """The answer of `minimum_mistakes`: no hyperplane makes fewer than `lower_bound`, `hyperplane` makes `mistakes`.

    `clashes` share no row, and every hyperplane has a mistake in each of them. Where `counted` is true, the bound is
    higher than their number because an exhaustive search ended (`great_circle_search`). After `verify` said False,
    `why_not` is the reason.
    """

    mistakes: int
    lower_bound: int
    hyperplane: Hyperplane
    clashes: list[Clash] = field(repr=False)
    counted: bool
    rows: int
    classes: list[Any]
    fit_intercept: bool
    seconds: float
    features: Features = IDENTITY
    why_not: str = ""

    @property
    def proved(self) -> bool:
        """Whether no hyperplane makes fewer mistakes than this one."""
        return self.mistakes == self.lower_bound

    @property
    def status(self) -> str:
        """What is known, in a sentence."""
        if self.proved:
            least = f"no hyperplane makes fewer than {_mistakes(self.mistakes)} in {self.rows:,} rows"
            return f"{least}; this one makes so many"
        return (
            f"the fewest mistakes possible in {self.rows:,} rows are between {self.lower_bound:,} and "
            f"{self.mistakes:,}: the bounds did not meet"
        )

    def verify(self, X: Any, y: Any) -> bool:
        """Whether all this is so for these rows, worked out afresh in exact arithmetic.

        The mistakes of the hyperplane are counted; the multipliers of each clash must make its rows vanish, and no row
        may be in two clashes. Where `counted` is true, that is not enough, and the search is repeated.

        >>> result = minimum_mistakes([[0], [1], [2]], [0, 1, 0])
        >>> result.verify([[0], [1], [2]], [0, 1, 0]), result.verify([[0], [1], [2]], [0, 1, 1])
        (True, False)
        >>> result.why_not
        'The hyperplane makes 2 mistakes, not 1.'
        """
        self.why_not = _fault(self, X, y)
        return not self.why_not

    def explain(self) -> str:
        """The answer in a few sentences, and what proves it.

        >>> print(minimum_mistakes([[0], [1], [2]], [0, 1, 0]).explain())
        The fewest mistakes possible are 1 of 3 rows, proved. Every hyperplane has a mistake in each of 1 clash, which \
share no row.
        """
        if self.proved:
            first = f"The fewest mistakes possible are {self.mistakes:,} of {self.rows:,} rows, proved."
        else:
            first = (
                f"The fewest mistakes possible are at least {self.lower_bound:,} and at most {self.mistakes:,} of "
                f"{self.rows:,} rows."
            )
        return " ".join([first, *_proof(self)])

    def __str__(self) -> str:
        return self.explain()


def _proof(result: FewestMistakes) -> list[str]:
    count = len(result.clashes)
    shared = f"{count:,} clash{'es' if count != 1 else ''}, which share no row"
    if result.counted:
        return [
            f"A search that leaves nothing out found none with fewer. {shared[0].upper()}{shared[1:]}, prove "
            f"{count:,} of them without that."
        ]
    return [f"Every hyperplane has a mistake in each of {shared}."] if count else []


def _mistakes(count: int) -> str:
    return f"{count:,} mistake{'s' if count != 1 else ''}"


def minimum_mistakes(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = 60.0,
    *,
    classes: Any = None,
    features: Any = "identity",
    verbose: int = 0,
) -> FewestMistakes:
    """The least number of rows that any hyperplane gets wrong, y (w.x + b) <= 0, or bounds of it.

    To find it is NP-hard when the columns are many. From above: hyperplanes that are turned until they make fewer
    mistakes. From below: clashes, sets of rows of which no hyperplane has all right; those that share no row add up.
    Few rows and columns are settled by looking at every place where mistakes change.

    Parameters
    ----------
    X : array, data frame or SciPy sparse matrix, rows by columns, finite numbers
    y : labels, one a row, of two classes
    fit_intercept : whether the hyperplane may miss the origin
    time_limit : seconds, at least 0, after which the bounds found by then are the answer; None never gives up. 0 gives
        the trivial ones: all of one class wrong, and 0
    classes : two labels, the negative and the positive one; rows of other labels are left out. (None, a) is a against
        all others
    features : "polynomial-2" or so asks about hyperplanes in the space of all products of up to 2 columns, each product
        without rounding
    verbose : 1 says every two seconds on stderr how it goes

    >>> result = minimum_mistakes([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])  # exclusive or
    >>> result.mistakes, result.proved, result.clashes[0].rows
    (1, True, (0, 1, 2, 3))
    """
    if time_limit is not None:
        check_positive("time_limit", time_limit, or_zero=True)
    problem = make_problem(X, y, fit_intercept, classes, features)
    search = _Search(problem, Clock(time_limit), _Voice(verbose))
    if time_limit != 0:
        search.run()
    return search.result()


class _Voice:
    """Says now and then how it goes."""

    def __init__(self, verbose: int) -> None:
        self.began = time.monotonic()
        self._next = INTERVAL if verbose else float("inf")

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def say(self, words: Callable[[], str]) -> None:
        if self.seconds >= self._next:
            self._next = self.seconds + INTERVAL
            print(f"minimum_mistakes: {words()}, {self.seconds:.0f} s", file=sys.stderr, flush=True)


class _Search:
    """The best w so far, in scaled columns, and the proofs so far."""

    def __init__(self, problem: ExactProblem, clock: Clock, voice: _Voice) -> None:
        self.problem, self.clock, self.voice = problem, clock, voice
        self.clashes: list[Clash] = []
        self.lower, self.counted = 0, False
        self.w, self.mistakes = [0] * problem.size, problem.rows
        self.base: IntVector | None = None  # right on all rows that are not hard, and 0 on the hard ones
        if problem.fit_intercept:
            side = 1 if problem.labels.sum() >= 0 else -1
            self.try_whole([0] * problem.columns + [side])

    def result(self) -> FewestMistakes:
        problem = self.problem
        weights = primitive_vector(problem.unscale_weights(self.w))
        offset = Fraction(weights[-1] if problem.fit_intercept else 0)
        plane = Hyperplane(tuple(Fraction(value) for value in weights[: problem.columns]), offset)
        return FewestMistakes(
            mistakes=self.mistakes,
            lower_bound=self.lower,
            hyperplane=plane,
            clashes=self.clashes,
            counted=self.counted,
            rows=problem.rows,
            classes=list(problem.classes),
            fit_intercept=problem.fit_intercept,
            seconds=self.voice.seconds,
            features=problem.features,
        )

    def run(self) -> None:
        """Separate what can be separated; bound the rest from both sides; count if the bounds do not meet."""
        hard = self.separate()
        if not len(hard):
            return
        rows = merge_rows(self.problem, hard)
        self.clashes = immediate_clashes(self.problem, rows)
        self.lower = len(self.clashes)
        if not rows.members:
            self.take([0] * self.problem.size, self.lower)
            return
        try:
            self.learn()
            floats = self.floats(rows)
            if floats is not None:
                self.approach(rows, floats)
            else:
                self.count(rows)
        except OutOfTime:
            pass

    def separate(self) -> Places:
        """The rows that no hyperplane has on their own side with none on the wrong side."""
        found = split_rows(self.problem, self.clock)
        if found.w is None:
            return np.arange(self.problem.rows)
        if not found.inside.all():
            self.base = found.w
            self.try_whole(found.w)
        return np.flatnonzero(found.inside)

    def learn(self) -> None:
        """A first hyperplane, by the pocket perceptron."""
        problem = self.problem
        seconds = min(POCKET_SECONDS, self.clock.seconds_left() / 4)
        if not seconds:
            return
        parts = recipe("pocket", max_iter=PASSES, max_seconds=seconds, fit_intercept=problem.fit_intercept)
        try:
            result = train(problem.view, (problem.labels > 0).astype(np.int32), 2, parts, threads=problem.threads)
        except TooLarge:
            return
        if result.interrupted:
            raise KeyboardInterrupt
        offset = result.intercept[: problem.size - problem.columns].tolist()
        self.try_whole(primitive_vector([*problem.scale_view_weights(result.coef[0]), *map(Fraction, offset)]))

    def floats(self, rows: MergedRows) -> Floats | None:
        """One row of each direction, of length 1; None if that would be too many numbers."""
        if len(rows.members) * self.problem.size > MOST_NUMBERS:
            return None
        floats = self.problem.floats(rows.rows)
        sizes = np.abs(floats).max(axis=1)
        for place in np.flatnonzero(sizes < FAINT).tolist():  # beside others that are too large for the same scale
            floats[place] = unit_floats(self.problem.integer_row(rows.members[place][0]))
            sizes[place] = np.abs(floats[place]).max()
        floats /= sizes[:, None]
        return np.asarray(floats / np.linalg.norm(floats, axis=1)[:, None])

    def approach(self, rows: MergedRows, floats: Floats) -> None:
        """Turn hyperplanes, pack clashes, and count or go on packing if the bounds do not meet."""
        weights = rows.weights
        count, size = floats.shape
        gram = floats.T @ (weights[:, None] * floats)
        least: Any = np.linalg.lstsq(gram, floats.T @ weights, rcond=None)[0]
        starts: list[Floats] = [start for start in (least, floats_of(self.w), floats.T @ weights) if np.any(start)]
        turns = int(min(3000, 20 + 4 * size + count // 4)) if self.too_many(rows) else 10 + count // 10
        w = search_circles_at_random(
            floats, weights, starts, turns, 0, Clock(min(self.clock.seconds_left() / 4, LONGEST))
        )
        self.try_floats(w)
        packing = ClashPacking(self.problem, rows, floats, w, self.clock)
        packing.pack(self.enough(rows), self.watch(rows))
        self.adopt(rows, packing)
        if self.lower < self.mistakes:
            self.count(rows)
        idle = 0
        while self.lower < self.mistakes and packing.clashes and idle < IDLE and self.clock.seconds_left():
            packing.improve(self.enough(rows), self.watch(rows))
            idle = idle + 1 if self.lower == self.fixed(rows) + len(packing.clashes) else 0
            self.adopt(rows, packing)

    def fixed(self, rows: MergedRows) -> int:
        """The mistakes that merging knows of."""
        return len(rows.pairs) + len(rows.zeros)

    def enough(self, rows: MergedRows) -> int:
        """How many clashes would meet the mistakes of the best hyperplane."""
        return self.mistakes - self.fixed(rows)

    def watch(self, rows: MergedRows) -> Callable[[int], None]:
        return lambda found: self.voice.say(lambda: self.words(self.fixed(rows) + found))

    def adopt(self, rows: MergedRows, packing: ClashPacking) -> None:
        """Take the clashes of a packing if they are more."""
        if self.fixed(rows) + len(packing.clashes) > self.lower:
            self.clashes = self.clashes[: self.fixed(rows)] + packing.clashes
            self.lower = len(self.clashes)

    def words(self, lower: int) -> str:
        return f"between {max(lower, self.lower):,} and {self.mistakes:,}"

    def too_many(self, rows: MergedRows) -> bool:
        """Whether there are so many rays that they are left alone: then turning is all that finds hyperplanes."""
        too_many = count_circles(len(rows.members), self.problem.size) > MOST_CIRCLES
        return len(rows.members) > MOST_ROWS or bool(too_many and np.isfinite(self.clock.seconds_left()))

    def count(self, rows: MergedRows) -> None:
        """Look at all rays, unless there are, or after a tenth of the time there seem to be, far too many."""
        if self.too_many(rows):
            return
        whole = [self.problem.integer_row(row) for row in rows.rows]
        began, whole_time = time.monotonic(), self.clock.seconds_left()

        def watch(share: float) -> None:
            self.voice.say(lambda: f"{self.words(self.lower)}, {share:.0%} of all places looked at")
            spent = (time.monotonic() - began) / whole_time
            if spent > 0.1 and share < spent / 2:
                raise OutOfTime

        try:
            found = search_great_circles(whole, rows.weights, self.enough(rows), self.clock, watch)
        except OutOfTime:
            return
        if found is not None:
            self.take(found.w, self.fixed(rows) + found.mistakes)
            self.lower = self.fixed(rows) + found.mistakes
        else:
            self.lower = self.mistakes
        self.counted = True

    def try_floats(self, w: Floats) -> None:
        """Take a w as short whole numbers if it is better."""
        if not np.isfinite(w).all() or not np.any(w):
            return
        w = w / np.abs(w).max()
        counts = []
        for bits in LENGTHS:
            whole = [int(value) for value in np.rint(np.ldexp(w, bits)).tolist()]
            counts.append((len(self.problem.nonpositive_rows(whole).rows), bits, whole))
        self.try_whole(min(counts)[2])

    def take(self, w: IntVector, mistakes: int) -> None:
        """Take a w that is the best on the merged hard rows, moved so little that it stays so.

        A little of any other direction brings it off rows that cancelled: of two opposite ones, one is then right. A
        lot of the base makes it right on all rows that are not hard.
        """
        random = np.random.default_rng(0)
        for bits in (0, 8, 32, 128, 512, 2048):
            for spread in (0, 1, 7, 100):
                other = random.integers(-spread, spread + 1, len(w)).tolist()
                moved = [(value << bits) + more for value, more in zip(w, other, strict=True)]
                base = [0] * len(w) if self.base is None else [value << 2 * bits for value in self.base]
                self.try_whole([value + more for value, more in zip(moved, base, strict=True)])
                if self.mistakes <= mistakes:
                    return

    def try_whole(self, w: IntVector) -> None:
        """Take a w if it is better, by exact count."""
        wrong = len(self.problem.nonpositive_rows(w).rows)
        if wrong < self.mistakes:
            self.w, self.mistakes = w, wrong


def floats_of(w: IntVector) -> Floats:
    """w times a number that brings its largest weight to 1."""
    largest = max(map(abs, w)) or 1
    return np.array([float(Fraction(value, largest)) for value in w])


def _fault(result: FewestMistakes, X: Any, y: Any) -> str:
    """What is wrong with an answer for these rows; nothing if it is right."""
    try:
        problem = make_problem(X, y, result.fit_intercept, result.classes, result.features)
    except ValueError as error:
        return str(error)
    if problem.rows != result.rows or problem.columns != len(result.hyperplane.weights):
        return f"It was made for other data, with {result.rows} rows and {len(result.hyperplane.weights)} columns."
    plane = [*result.hyperplane.weights, *([result.hyperplane.offset] if result.fit_intercept else [])]
    wrong = len(problem.nonpositive_rows(problem.scale_weights(plane)).rows)
    if wrong != result.mistakes:
        return f"The hyperplane makes {_mistakes(wrong)}, not {result.mistakes:,}."
    return _fault_of_clashes(result, problem) or _fault_of_bound(result, problem)


def _fault_of_clashes(result: FewestMistakes, problem: ExactProblem) -> str:
    used: set[int] = set()
    for number, clash in enumerate(result.clashes):
        places = problem.places(clash.rows)
        if places is None or not clash.rows or len(set(clash.rows)) < len(clash.rows):
            return f"Clash {number} must name rows of the data, once each."
        if used & set(clash.rows):
            return f"Row {min(used & set(clash.rows))} is in two clashes."
        used |= set(clash.rows)
        if len(clash.multipliers) != len(places) or any(value <= 0 for value in clash.multipliers):
            return f"Clash {number} must have one multiplier above 0 for each row."
        factors = [
            value * Fraction(2) ** problem.row_exponent(row)
            for value, row in zip(clash.multipliers, places, strict=True)
        ]
        if any(weighted_sum(factors, [problem.integer_row(row) for row in places])):
            return f"The rows of clash {number}, times their multipliers, do not add up to 0."
    return ""


def _fault_of_bound(result: FewestMistakes, problem: ExactProblem) -> str:
    if result.lower_bound > result.mistakes:
        return f"It claims at least {_mistakes(result.lower_bound)}, and a hyperplane makes {result.mistakes:,}."
    if result.lower_bound <= len(result.clashes):
        return ""
    if not result.counted:
        return f"It claims at least {_mistakes(result.lower_bound)}, but has {len(result.clashes):,} clashes."
    rows = merge_rows(problem, np.flatnonzero(split_rows(problem, Clock(None)).inside))
    fixed = len(rows.pairs) + len(rows.zeros)
    whole = [problem.integer_row(row) for row in rows.rows]
    better = search_great_circles(whole, rows.weights, result.lower_bound - fixed, Clock(None))
    return "" if better is None else f"A hyperplane makes {_mistakes(fixed + better.mistakes)}."
