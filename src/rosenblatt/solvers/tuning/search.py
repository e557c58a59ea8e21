"""The search: paths of penalties compete on the same folds, and hopeless trials are abandoned.

Rows are left out fold by fold. On each fold every path goes from the strongest penalty to weaker ones, each optimum
found from the one before. Trials that are clearly worse than the best one on the same rows see no further folds.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

import numpy as np

from ...engine.result import Progress
from ...foundation.splitting import folds
from ...foundation.types import Codes, Floats
from ..interruption import INTERRUPTION_TYPES, interruption_reason
from .fold_path import FoldRows, LastFold, PenaltyPath, Walk, walk
from .row_losses import row_losses
from .trial import MIN_COMPARED_ROWS, Estimate, Trial, is_hopeless, is_worse
from .tuning import Tuning, tuning_of

FOLDS = 5
DEFAULT_C = 1.0
STRENGTHS = tuple(float(C) for C in np.logspace(-4, 4, 17))  # two for each power of ten
WORSE_STEPS, RISING_STEPS, SAME_STEPS = 2, 4, 2  # in a row that end a path on a fold
SEARCH_SHARE = 0.75  # of the seconds for a search and the training of its choice
NOISE = 1e-6  # the share of a mean loss by which the tolerance of the optima may change it
SETTLED = 1e-3  # the share of their norm by which weights change at most once C no longer matters
RISING, SAME, HOPELESS = "the loss was rising", "the weights no longer changed", "hopeless"
NO_HOPE = "a simpler penalty was hopeless with the same columns"


def seconds_counted(limit: float | None, spent: float) -> float:
    """The seconds of a search that count where it and the training of its choice may take `limit` seconds together.

    What is left of the limit is for the training, and never less than its share.

    >>> seconds_counted(10.0, 2.0), seconds_counted(10.0, 9.0)
    (2.0, 7.5)
    """
    return 0.0 if limit is None else min(spent, SEARCH_SHARE * limit)


class SearchProgress(NamedTuple):
    """How many of all trainings are done or skipped, after so many seconds, and the least mean loss so far."""

    done: int
    total: int
    seconds: float
    least: float


@dataclass
class Search:
    """A search over paths. `watch` hears how far it is.

    `limit` is the most seconds that the search and the training of its choice may take.
    """

    paths: Sequence[PenaltyPath]
    codes: Codes
    classes: int
    weights: Floats | None = None
    seed: int = 0
    threads: int = 1
    Cs: Sequence[float] = STRENGTHS
    limit: float | None = None
    watch: Callable[[SearchProgress], None] | None = None
    _trials: dict[PenaltyPath, list[Trial]] = field(init=False)
    _last_folds: dict[PenaltyPath, LastFold] = field(init=False)
    _done: int = field(default=0, init=False)
    _compared: bool = field(default=False, init=False)  # whether a path got as far as the default C, or to its end

    def __post_init__(self) -> None:
        self._began = time.perf_counter()
        self._folds = [places for places in folds(self.codes, FOLDS, self.seed) if len(places)]  # of few rows fewer
        Cs = sorted(map(float, self.Cs))
        self._last_folds = {path: LastFold(path) for path in self.paths}
        self._trials = {path: [Trial(path.settings, C) for C in Cs] for path in self.paths}

    def run(self) -> Tuning:
        """Try all paths on all folds, or until Ctrl-C or the limit of time.

        Paths begin at the smallest C. One that is cut short before the default C says nothing for a smaller one.
        """
        ended, measured = "", 0
        try:
            for measured, left_out in enumerate(self._folds):
                self._try_fold(FoldRows(self.codes, self.classes, self.weights, left_out), measured + 1)
            measured = len(self._folds)
        except INTERRUPTION_TYPES as stop:
            ended = interruption_reason(stop)
        trials = [trial for each in self._trials.values() for trial in each]
        for trial in trials:
            trial.forget_fold(measured, self._weights_seen(measured))
        found = tuning_of(trials, len(self._folds), len(self.codes), self.seconds, ended)
        return found if self._compared else replace(found, best=None, simplest=None)

    def _try_fold(self, fold: FoldRows, folds_seen: int) -> None:
        """Try all paths on one fold, parents first."""
        seen = self._weights_seen(folds_seen)
        for depth in sorted({path.depth for path in self.paths}):
            for path in self.paths:
                if path.depth == depth and self._is_worth_trying(path):
                    self._try(path, fold, seen)
            self._abandon_hopeless(folds_seen, seen)
        self._done = folds_seen * len(self.paths) * len(self.Cs)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    def _seconds_left(self) -> float | None:
        if self.limit is None:
            return None
        left = SEARCH_SHARE * self.limit - self.seconds
        if left <= 0:
            raise TimeoutError
        return left

    def _weights_seen(self, folds_seen: int) -> Floats | None:
        """The weights of the rows of the first folds, in their order."""
        if self.weights is None or not folds_seen:
            return None
        return self.weights[np.concatenate(self._folds[:folds_seen])]

    def _is_worth_trying(self, path: PenaltyPath) -> bool:
        """Whether to try a path on one more fold: its own losses decide once it has some, before that its parent's."""
        measured = any(trial.fold_means for trial in self._trials[path])
        if path.parent is None or measured or any(not trial.abandoned for trial in self._trials[path.parent]):
            return True
        for trial in self._trials[path]:
            trial.abandon(trial.abandoned or NO_HOPE)
        return False

    def _try(self, path: PenaltyPath, fold: FoldRows, seen: Floats | None) -> None:
        """Walk a path on one fold, as far as it makes sense."""
        trials = [trial for trial in self._trials[path] if not trial.abandoned]
        if not trials:
            return
        ending = PathEnding(fold.weights_at(fold.left_out))
        watch = None if self.watch is None else self._report
        last = self._last_folds[path]
        steps = walk(path, [t.C for t in trials], fold, last, self.threads, self._seconds_left, watch)
        for place, (trial, step) in enumerate(zip(trials, steps, strict=True)):
            losses = row_losses(path.plan.recipe.loss, step.scores, fold.codes[fold.left_out], path.plan.is_joint)
            trial.seconds += step.seconds
            trial.add(losses, fold.weights_at(fold.left_out), seen, int(np.count_nonzero(step.learned.coef)))
            self._done += 1
            why = ending.after(losses, step)
            self._compared |= bool(why) or min(DEFAULT_C, trials[-1].C) <= trial.C
            if why:
                for later in trials[place + 1 :]:
                    later.abandon(why)
                return

    def _abandon_hopeless(self, folds_seen: int, seen: Floats | None) -> None:
        """Abandon the trials that the best one of the same rows leaves no hope."""
        going = [t for each in self._trials.values() for t in each if len(t.losses) == folds_seen]
        if not going:
            return
        best = np.concatenate(min(going, key=lambda trial: trial.estimate.mean).losses)
        for trial in going:
            if is_hopeless(np.concatenate(trial.losses), best, seen):
                trial.abandon(HOPELESS)

    def _report(self, progress: Progress) -> None:
        assert self.watch is not None
        means = [trial.estimate.mean for each in self._trials.values() for trial in each if trial.losses]
        total = len(self._folds) * len(self.paths) * len(self.Cs)
        self.watch(SearchProgress(min(self._done, total), total, self.seconds, min(means, default=inf)))


class PathEnding:
    """Decides on one fold whether a path goes on: not where the loss rises clearly, nor where weights stay the same."""

    def __init__(self, weights: Floats | None) -> None:
        self._weights = weights
        self._best: Floats | None = None
        self._before: tuple[float, Floats] | None = None
        self._worse = self._rising = self._same = 0

    def after(self, losses: Floats, step: Walk) -> str:
        """Why the path ends after this step; "" if it goes on."""
        mean, coef = Estimate.of(losses, self._weights).mean, step.learned.coef
        if self._best is None or mean <= Estimate.of(self._best, self._weights).mean:
            self._best = losses
        if self._before is not None and coef.any():  # losses of weights 0 differ by rounding only
            self._worse = self._worse + 1 if is_worse(losses, self._best, self._weights) else 0
            rises = mean > (1 + NOISE) * self._before[0] and len(losses) >= MIN_COMPARED_ROWS
            self._rising = self._rising + 1 if rises else 0
            self._same = self._same + 1 if _is_same(coef, self._before[1]) else 0
        self._before = mean, coef
        if (self._rising and self._worse >= WORSE_STEPS) or self._rising >= RISING_STEPS:
            return RISING
        return SAME if self._same >= SAME_STEPS else ""


def _is_same(coef: Floats, before: Floats) -> bool:
    """Whether weights, not all 0, have hardly changed."""
    norm = float(np.linalg.norm(coef))
    return norm > 0 and float(np.linalg.norm(coef - before)) <= SETTLED * norm
