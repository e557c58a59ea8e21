"""The optima of one path: all parameters but C are fixed, and each optimum is found from the one before."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...engine.result import TrainingResult, Watch
from ...foundation.threads import SMALL_VALUES
from ...foundation.types import Codes, Floats, Places
from ...parts.losses import LOSSES
from ..training_plan import TrainingPlan
from ..training_rows import Planes

# How near to the optimum a trial is trained: a share of the first gradient, or of the objective for gaps. On bank_full
# and sms_spam the mean losses then differ from those of 1e-7 by less than a thousandth of their standard errors.
SEARCH_TOLERANCE = {"newton": 1e-5, "dual": 1e-4}
MIN_SECONDS = 1e-9
MAX_KEPT_BYTES = 1 << 21  # of one optimum: paths of larger ones begin at the optimum before


@dataclass(eq=False)
class PenaltyPath:
    """What is fixed on a path. `select` makes the rows at some places, lifted as the plan's recipe has it.

    A path with a `parent` is tried only where the parent, the same with another penalty, is not hopeless.
    """

    settings: Mapping[str, Any]
    plan: TrainingPlan
    select: Callable[[Places], _core.Rows]
    parent: "PenaltyPath | None" = field(default=None, repr=False)

    @property
    def depth(self) -> int:
        """The number of ancestors, which are tried first."""
        return 0 if self.parent is None else self.parent.depth + 1

    def at(self, C: float, seconds: float | None) -> TrainingPlan:
        """The plan for a C, which stops after so many seconds."""
        tol = self.plan.tol
        if tol is None:
            tol = SEARCH_TOLERANCE[LOSSES[self.plan.recipe.loss].optimum or "newton"]
        limit = None if seconds is None else max(seconds, MIN_SECONDS)
        recipe = replace(self.plan.recipe, stops=replace(self.plan.recipe.stops, max_seconds=limit))
        return replace(self.plan, C=C, alpha=None, tol=tol, recipe=recipe)


@dataclass(frozen=True)
class FoldRows:
    """The rows of a table that a search may see: the classes and weights of all, and the places of those left out."""

    codes: Codes
    classes: int
    weights: Floats | None
    left_out: Places

    @cached_property
    def rest(self) -> Places:
        """The places of the rows to train on."""
        return np.flatnonzero(np.bincount(self.left_out, minlength=len(self.codes)) == 0)

    def weights_at(self, places: Places) -> Floats | None:
        return None if self.weights is None else self.weights[places]


class Walk(NamedTuple):
    """An optimum on a path, the scores of the rows left out, and how long both took."""

    learned: TrainingResult
    scores: Floats
    seconds: float


class LastFold:
    """The optima of a path on the last fold: they tell where those of the next, most of whose rows are the same, begin.

    The start for a C is the optimum for the C before, moved as the last fold's optimum moved between both. On a9a,
    phishing and bank_full that saves a tenth to a quarter of all Newton steps. With an l1 penalty weights would begin
    where they should be 0, and on sms_spam steps would double: there the start is the optimum for the C before.
    """

    def __init__(self, path: PenaltyPath) -> None:
        self._is_sparse = path.plan.objective(1.0).l1_ratio > 0
        self._last: dict[float, Planes] = {}
        self._now: dict[float, Planes] = {}

    def begin_fold(self) -> None:
        """What was found since the last call becomes the last fold."""
        self._last, self._now = self._now, {}

    def note(self, C: float, optimum: Planes) -> None:
        """Remember an optimum of this fold; of many weights the latest alone."""
        if optimum[0].nbytes > MAX_KEPT_BYTES:
            self._now.clear()
        self._now[C] = optimum

    def start(self, C: float) -> Planes | None:
        """Where to begin for a C, which is larger than those before it on this fold."""
        then = max(self._now, default=C)
        before, last, last_before = self._now.get(then), self._last.get(C), self._last.get(then)
        if last is None or self._is_sparse:
            return before
        if before is None or last_before is None:
            return last
        return before[0] + (last[0] - last_before[0]), before[1] + (last[1] - last_before[1])


def walk(
    path: PenaltyPath,
    Cs: list[float],
    fold: FoldRows,
    last: LastFold,
    threads: int,
    seconds_left: Callable[[], float | None],
    watch: Watch | None,
) -> Iterator[Walk]:
    """The optima for rising Cs. Raise KeyboardInterrupt or TimeoutError where training was cut short."""
    began = time.perf_counter()
    rows, others = path.select(fold.rest), path.select(fold.left_out)
    codes, weights = fold.codes[fold.rest], fold.weights_at(fold.rest)
    total = float(len(fold.rest) if weights is None else weights.sum())
    threads = 1 if rows.stored_values < SMALL_VALUES else threads
    last.begin_fold()
    for C in Cs:
        plan = path.at(C, seconds_left())
        shared: dict[str, Any] = {"weights": weights, "total": total, "threads": threads, "watch": watch}
        learned = plan.train(rows, codes, fold.classes, start=last.start(C), **shared)
        if learned.interrupted:
            raise KeyboardInterrupt
        if learned.status.reason == "max_seconds":
            raise TimeoutError
        scores = _core.scores(others, learned.coef, learned.intercept, threads)[0]
        last.note(C, (learned.coef, learned.intercept))
        yield Walk(learned, scores, time.perf_counter() - began)
        began = time.perf_counter()
