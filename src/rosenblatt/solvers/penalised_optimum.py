"""Training to the optimum: the problems of several classes, one after the other, and one result."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem, class_problems
from ..engine.history import join_histories
from ..engine.result import TrainingResult, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.types import Codes, Floats
from .interruption import INTERRUPTIONS
from .newton.jeffreys_objective import JeffreysObjective
from .objective import Objective, best_offsets, class_shares, objective_of_planes
from .optimum import MAX_STEPS, Optimum, find_optimum
from .optimum_report import joint_status
from .training_rows import Planes, TrainingRows

MIN_SECONDS = 1e-9  # of a later problem where the earlier ones took all the time

ProblemJudge = Callable[[ClassProblem], str]  # returns the kind of separation of a problem


def train_to_optimum(
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
    start: Planes | None = None,
    watch: Watch | None = None,
    judge: ProblemJudge | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
    began: float | None = None,
) -> TrainingResult:
    """Minimise the objective of rows in memory to a proven tolerance.

    Where `tol` and `max_iter` are None the solver has its own. Without a penalty `judge` is called for the kind of
    separation where there seems to be no optimum.
    """
    held = RowsInMemory(rows, codes, classes, weights, threads)
    task = _Task(held, objective, joint, tol, max_iter, max_seconds, start, watch, judge, began)
    return task.result(*task.solve(bookmark))


def optimise(
    rows: TrainingRows,
    objective: Objective,
    *,
    joint: bool = False,
    tol: float | None = None,
    max_iter: int | None = None,
    max_seconds: float | None = None,
    start: Planes | None = None,
    watch: Watch | None = None,
    judge: ProblemJudge | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
    began: float | None = None,
) -> TrainingResult:
    """Minimise the objective to a proven tolerance, wherever the rows are.

    `began` is when the clock of max_seconds started, if not now.
    """
    task = _Task(rows, objective, joint, tol, max_iter, max_seconds, start, watch, judge, began)
    return task.result(*task.solve(bookmark))


@dataclass(frozen=True)
class RowsInMemory(TrainingRows):
    """Rows in memory, with the numbers of their classes and their weights."""

    rows: _core.Rows
    codes: Codes
    classes: int
    weights: Floats | None
    threads: int

    @property
    def count(self) -> int:
        return self.rows.count

    @property
    def columns(self) -> int:
        return self.rows.columns

    def problems(self, joint: bool) -> Iterator[ClassProblem]:
        return class_problems(self.codes, self.classes, joint)

    def find_optimum(self, problem: ClassProblem, objective: Objective, **options: Any) -> Optimum:
        return find_optimum(
            self.rows,
            problem,
            objective.loss,
            objective.C,
            jeffreys=objective.jeffreys,
            l1_ratio=objective.l1_ratio,
            bounds=objective.bounds,
            weights=self.weights,
            penalize_offset=bool(objective.penalize_intercept),
            offset_value=objective.offset_value,
            threads=self.threads,
            **options,
        )

    def class_shares(self) -> Floats:
        return class_shares(self.codes, self.classes, self.weights)

    def count_mistakes(self, planes: Planes) -> int:
        return _core.count_mistakes(self.rows, self.codes, *planes, self.threads)

    def objective_value(self, objective: Objective, joint: bool, planes: Planes) -> float:
        if objective.jeffreys:
            return sum(self._jeffreys_value(objective, problem, planes) for problem in self.problems(joint))
        shape = self.rows, self.codes, self.classes, joint, self.weights
        return objective_of_planes(objective, *shape, planes, self.threads)

    def _jeffreys_value(self, objective: Objective, problem: ClassProblem, planes: Planes) -> float:
        coef, intercept = planes[0][problem.planes], planes[1][problem.planes]
        offset = objective.offset_value
        goal = JeffreysObjective(
            self.rows, problem, objective.loss, objective.C, self.weights, offset_value=offset, threads=self.threads
        )
        return goal.at(np.append(coef, intercept / offset if offset else 0.0 * intercept)).value


@dataclass
class _Task:
    """What is asked of one training run."""

    rows: TrainingRows
    objective: Objective
    joint: bool
    tol: float | None
    max_iter: int | None
    max_seconds: float | None
    start: Planes | None
    watch: Watch | None
    judge: ProblemJudge | None
    began: float | None

    @property
    def one_vs_rest(self) -> bool:
        return self.rows.classes > 2 and not self.joint

    def solve(self, bookmark: Bookmark) -> tuple[list[Optimum], Planes]:
        """Solve the problems that a saved run has not solved. Planes that are not reached keep their start."""
        coef, intercept = self._start_planes()
        saved: Tree = bookmark.take() or {}
        solved, under_way = [Optimum(**tree) for tree in saved.get("found", ())], saved.get("solver")
        before = saved.get("before", 0.0)  # seconds that went to the problems before the one under way
        began = time.perf_counter() if self.began is None else self.began
        began -= before + (0.0 if under_way is None else under_way["seconds"])
        found: list[Optimum] = []
        visits = 0

        def tree() -> Tree:
            return {"found": [best._asdict() for best in found], "before": before}

        for problem in self.rows.problems(self.joint):
            if solved:
                best = solved.pop(0)
            else:
                before = before if under_way else time.perf_counter() - began
                inside = bookmark.nested("solver", tree, under_way, visits / self.rows.count)
                best = self._find(problem, before, inside)
                under_way = None
            found.append(best)
            visits += best.visits
            if best.steps or best.reason not in INTERRUPTIONS or not self.one_vs_rest:
                coef[problem.planes], intercept[problem.planes] = best.coef, best.intercept
            if best.reason == "interrupted":
                break
        return found, (coef, intercept)

    def _start_planes(self) -> Planes:
        """The given start; else weights 0, with the best offsets where planes are trained one after the other."""
        count = 1 if self.rows.classes == 2 else self.rows.classes
        coef, intercept = np.zeros((count, self.rows.columns)), np.zeros(count)
        if self.start is None and self.one_vs_rest:
            intercept[:] = best_offsets(self.objective, self.rows.class_shares())
        if self.start is not None:
            coef[:], intercept[:] = self.start
        return coef, intercept

    def _find(self, problem: ClassProblem, seconds_before: float, bookmark: Bookmark) -> Optimum:
        start, seconds = self.start, self.max_seconds
        return self.rows.find_optimum(
            problem,
            self.objective,
            tol=self.tol,
            max_iter=MAX_STEPS if self.max_iter is None else self.max_iter,
            max_seconds=None if seconds is None else max(seconds - seconds_before, MIN_SECONDS),
            start=None if start is None else (start[0][problem.planes], start[1][problem.planes]),
            watch=self.watch,
            judge=None if self.judge is None else partial(self.judge, problem),
            bookmark=bookmark,
        )

    def result(self, found: list[Optimum], planes: Planes) -> TrainingResult:
        mistakes = self.rows.count_mistakes(planes)
        status = joint_status(found, self.objective.loss, mistakes, self.rows.count, self.max_seconds)
        unproved = self.one_vs_rest and status.reason == "interrupted"  # some planes were not trained
        whole = found[0] if len(found) == 1 else _together(found)
        value = whole.objective
        if self.one_vs_rest and status.reason in INTERRUPTIONS:
            value = self.rows.objective_value(self.objective, self.joint, planes)
        return TrainingResult(
            *planes,
            status,
            whole.history,
            n_visits=whole.visits,
            n_updates=whole.steps,
            n_mistakes=mistakes,
            interrupted=status.reason == "interrupted",
            objective=value,
            gradient_norm=nan if unproved else whole.gradient_norm,
            duality_gap=nan if unproved else whole.gap,
            joint=self.joint,
        )


def _together(found: list[Optimum]) -> Optimum:
    """What the optima of several problems add up to, and the largest distance from one; the planes of the first."""
    return found[0]._replace(
        objective=sum(best.objective for best in found),
        gradient_norm=max(best.gradient_norm for best in found),
        gap=max(best.gap for best in found),
        steps=sum(best.steps for best in found),
        visits=sum(best.visits for best in found),
        history=join_histories([best.history for best in found]),
    )
