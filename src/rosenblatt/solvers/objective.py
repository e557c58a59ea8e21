"""What penalised classifiers minimise, C sum_i s_i loss_i + 1/2 ||w||^2, and the way to its optimum.

`optimum.py` finds the optimum of one plane, or of joint ones; here one-vs-rest problems are put together and told.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, nan
from typing import Any

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem, class_problems, whole_problem
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.phrases import count
from ..foundation.types import Codes, Floats, History
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe
from ..parts.stops import REASONS, Status, Stops, left
from .optimum import Optimum, optimise

BROKEN_OFF = ("interrupted", "max_seconds")


@dataclass(frozen=True)
class Objective:
    """C sum_i s_i loss_i + 1/2 ||w||^2; without a penalty, C = infinity, it is sum_i s_i loss_i.

    alpha = 1 / (C sum_i s_i) is the penalty of the mean loss.

    >>> Objective("hinge", C=0.5).alpha(total=8.0)
    0.25
    """

    loss: str
    C: float = 1.0
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    penalize_intercept: bool = False

    @property
    def factor(self) -> float:
        """What the losses are multiplied by."""
        return 1.0 if inf == self.C else self.C

    def alpha(self, total: float) -> float:
        return 0.0 if inf == self.C else 1.0 / (self.C * total)

    def value(self, problem: _core.Problem, coef: Floats, intercept: Floats) -> float:
        """The objective of these weights, afresh."""
        return self.of(float(_core.inspect(problem, coef, intercept)[2]), coef, intercept)

    def of(self, losses: float, coef: Floats, intercept: Floats) -> float:
        """The objective where the losses are known, sum_i s_i loss_i."""
        losses *= self.factor
        if inf == self.C:
            return losses
        offsets = intercept / self.intercept_scaling if self.penalize_intercept else np.zeros(1)
        return losses + 0.5 * float((coef * coef).sum() + offsets @ offsets)


def value_of(
    objective: Objective,
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    joint: bool,
    weights: Floats | None,
    planes: tuple[Floats, Floats],
    threads: int,
) -> float:
    """The objective of all planes, afresh: the sum of one-vs-rest problems; joint ones by margins to the best rival."""
    coef, intercept = planes
    recipe = Recipe(loss=objective.loss)
    return sum(
        objective.value(problem.native(rows, weights, recipe, threads), coef[problem.planes], intercept[problem.planes])
        for problem in class_problems(codes, classes, joint)
    )


def to_optimum(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    objective: Objective,
    *,
    joint: bool = False,
    weights: Floats | None = None,
    tol: float | None = None,
    max_iter: int | None = None,
    max_seconds: float | None = None,
    threads: int = 1,
    start: tuple[Floats, Floats] | None = None,
    watch: Watch | None = None,
    judge: Callable[[ClassProblem], str] | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> TrainingResult:
    """Minimise the objective to a proven tolerance; `tol` and `max_iter` are the solver's own where they are None.

    Without a penalty `judge` is asked for the kind of separation where it seems that there is no optimum.
    """
    given: dict[str, Any] = {"tol": tol, "max_iter": max_iter}
    given = {name: value for name, value in given.items() if value is not None}
    planes, apart = 1 if classes == 2 else classes, classes > 2 and not joint
    coef, intercept = np.zeros((planes, rows.columns)), np.zeros(planes)
    if start is None and apart:
        intercept[:] = offsets_alone(objective, codes, classes, weights)
    if start is not None:
        coef[:], intercept[:] = start
    saved: Tree = bookmark.take() or {}
    ended, under_way = [Optimum(**tree) for tree in saved.get("found", ())], saved.get("solver")
    before = saved.get("before", 0.0)  # seconds that went to the problems before the one under way
    began = time.perf_counter() - before - (0.0 if under_way is None else under_way["seconds"])
    found: list[Optimum] = []

    def around() -> Tree:
        return {"found": [vars(best) for best in found], "before": before}

    def find(problem: ClassProblem, bookmark: Bookmark) -> Optimum:
        return optimise(
            rows,
            problem,
            objective.loss,
            objective.C,
            weights=weights,
            penalize_offset=bool(objective.penalize_intercept),
            offset_value=float(objective.intercept_scaling) if objective.fit_intercept else 0.0,
            max_seconds=None if max_seconds is None else max(max_seconds - before, 1e-9),
            threads=threads,
            start=None if start is None else (start[0][problem.planes], start[1][problem.planes]),
            watch=watch,
            judge=None if judge is None else partial(judge, problem),
            bookmark=bookmark,
            **given,
        )

    for problem in class_problems(codes, classes, joint):
        if ended:
            best = ended.pop(0)
        else:
            before = before if under_way else time.perf_counter() - began
            passed = sum(best.visits for best in found) / rows.count
            best = find(problem, bookmark.nested("solver", around, under_way, passed))
            under_way = None
        found.append(best)
        if best.steps or best.reason not in BROKEN_OFF or not apart:
            coef[problem.planes], intercept[problem.planes] = best.coef, best.intercept
        if best.reason == "interrupted":
            break
    together = whole_problem(codes, classes).native(rows, None, Recipe(), threads)  # this loss is quick to compute
    wrong = int(_core.inspect(together, coef, intercept)[0])
    status = _status(found, objective.loss, wrong, rows.count, Stops(max_seconds=max_seconds))
    unproved = apart and status.reason == "interrupted"  # some planes have not been looked at
    value = sum(best.objective for best in found)
    if apart and status.reason in BROKEN_OFF:
        value = value_of(objective, rows, codes, classes, joint, weights, (coef, intercept), threads)
    return TrainingResult(
        coef,
        intercept,
        status,
        _history(found),
        n_visits=sum(best.visits for best in found),
        n_updates=sum(best.steps for best in found),
        n_mistakes=wrong,
        interrupted=status.reason == "interrupted",
        objective=value,
        gradient_norm=nan if unproved else max(best.gradient_norm for best in found),
        duality_gap=nan if unproved else max(best.gap for best in found),
    )


def offsets_alone(objective: Objective, codes: Codes, classes: int, weights: Floats | None) -> Floats:
    """The best that each plane can do with its offset alone: what planes keep that nobody had the time to train."""
    shares = np.bincount(codes, weights, minlength=classes) / (len(codes) if weights is None else weights.sum())
    shares = shares[1:] if classes == 2 else shares
    if not objective.fit_intercept:
        return 0.0 * shares
    return LOSSES[objective.loss].best_offset(shares)


def _status(found: list[Optimum], loss: str, wrong: int, rows: int, stops: Stops) -> Status:
    """How the last of them ended, as a sentence."""
    reason = max((best.reason for best in found), key=REASONS.index)
    told = next(best for best in found if best.reason == reason)
    steps = max(best.steps for best in found)
    one = "one " if LOSSES[loss].reaches_zero else ""  # such losses are 0 at many weights
    how = "completely" if told.separation == "complete" else "quasi-completely"
    ending = {
        "gradient": f"gradient at {told.gradient_norm:.1e} of its start",
        "gap": f"duality gap at {told.gap:.1e} of the objective",
        "separated": f"the classes are {how} separated, so that there is no {one}optimum without a penalty: ended",
        "precision": f"gradient at {told.gradient_norm:.1e} of its start, as near as rounding allows,",
        "max_iter": "max_iter reached",
        "max_seconds": f"max_seconds={stops.max_seconds} reached",
        "interrupted": "interrupted",
    }[reason]
    begun = "begun" if reason == "interrupted" else "to end"
    several = f" (the last of {count(len(found), 'one-vs-rest problem')} {begun})" if len(found) > 1 else ""
    unit = "step" if np.isnan(told.gap) else "epoch"
    return Status(f"{ending} after {count(steps, unit)}, with {left(wrong, rows)}{several}", reason, wrong, rows, steps)


def _history(found: list[Optimum]) -> History:
    """One entry a step: sums over the problems still going; objectives of all; the largest gradient or gap."""
    steps = max(len(best.history["visits"]) for best in found)
    found = [best for best in found if len(best.history["visits"])]

    def of_step(name: str, e: int) -> float:
        going = [best for best in found if e < len(best.history[name])]
        if name == "objective":
            return float(sum(best.history[name][min(e, len(best.history[name]) - 1)] for best in found))
        values: list[float] = [best.history[name][e] for best in going]
        return max(values) if name in ("gradient", "gap") else sum(values)

    return {name: np.array([of_step(name, e) for e in range(steps)]) for name in (found[0].history if found else ())}
