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

# How near to the optimum a trial is trained: a share of the first gradient, or of the objective for gaps. On bank_full
# and sms_spam the mean losses then differ from those of 1e-7 by less than a thousandth of their standard errors.
SEARCH_TOLERANCE = {"newton": 1e-5, "dual": 1e-4}
MIN_SECONDS = 1e-9


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


def walk(
    path: PenaltyPath,
    Cs: list[float],
    fold: FoldRows,
    threads: int,
    seconds_left: Callable[[], float | None],
    watch: Watch | None,
) -> Iterator[Walk]:
    """The optima for rising Cs. Raise KeyboardInterrupt or TimeoutError where training was cut short."""
    began = time.perf_counter()
    rows, others = path.select(fold.rest), path.select(fold.left_out)
    codes, weights = fold.codes[fold.rest], fold.weights_at(fold.rest)
    total = float(len(fold.rest) if weights is None else weights.sum())
    start, threads = None, 1 if rows.stored_values < SMALL_VALUES else threads
    for C in Cs:
        plan = path.at(C, seconds_left())
        shared: dict[str, Any] = {"weights": weights, "total": total, "threads": threads, "watch": watch}
        learned = plan.train(rows, codes, fold.classes, start=start, **shared)
        if learned.interrupted:
            raise KeyboardInterrupt
        if learned.status.reason == "max_seconds":
            raise TimeoutError
        scores = _core.scores(others, learned.coef, learned.intercept, threads)[0]
        start, now = (learned.coef, learned.intercept), time.perf_counter()
        yield Walk(learned, scores, now - began)
        began = time.perf_counter()
