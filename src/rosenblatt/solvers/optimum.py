"""The optimum of a penalised loss, whichever way leads there: Newton's method, or for the hinge its dual."""

import math
import time
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.result import Progress, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.types import Floats, History
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe
from ..parts.stops import Stops
from .dual import Ascent, minimise
from .newton import Judge, Landscape, descend

SMOOTH_TOL, JOINT_TOL, HINGE_TOL = 1e-6, 1e-9, 1e-8  # Newton with H made whole comes far below its own


@dataclass(frozen=True)
class Optimum:
    """What a solver found, and how near to the optimum it is."""

    coef: Floats
    intercept: Floats
    objective: float
    gradient_norm: float
    gap: float
    reason: str
    steps: int
    visits: int
    history: History
    separation: str = ""  # "complete" or "quasi" where there is no optimum


class Record:
    """What is told of each step: how many rows were visited by then, the objective, how near it is, and the time."""

    def __init__(self, near: str, saved: History | None) -> None:
        self.names = ("visits", "objective", near, "seconds")
        columns = [] if not saved else [saved[name].tolist() for name in self.names]
        self.lines: list[tuple[int, float, float, float]] = list(zip(*columns, strict=True))

    def history(self) -> History:
        columns = zip(*self.lines, strict=True) if self.lines else [()] * 4
        return {name: np.array(column) for name, column in zip(self.names, columns, strict=True)}

    def saved(self) -> History | None:
        return self.history() if self.lines else None


def _hinge(ascent: Ascent, watch: Watch | None, bookmark: Bookmark) -> Optimum:
    saved, rows = bookmark.take() or {}, ascent.rows
    began = time.perf_counter() - saved.get("seconds", 0.0)
    record = Record("gap", saved.get("record"))

    def tell(epochs: float, gap: float, step: bool) -> None:
        now, primal = time.perf_counter() - began, ascent.state.primal
        if step:
            near = gap / primal if 0 < primal < math.inf else math.inf
            record.lines.append((round(epochs * rows.count), primal, near, now))
        if watch is not None:
            watch(Progress(epochs, ascent.recipe.stops.max_iter, None, now))

    def around() -> Tree:
        return {"record": record.saved(), "seconds": time.perf_counter() - began}

    found = minimise(ascent, tell, bookmark.nested("ascent", around, saved.get("ascent")))
    return Optimum(
        coef=found.coef.reshape(1, -1),
        intercept=np.array([found.intercept]),
        objective=found.primal,
        gradient_norm=math.nan,
        gap=found.gap / found.primal if found.primal else 0.0,
        reason=found.reason,
        steps=math.ceil(found.epochs),
        visits=round(found.epochs * rows.count),
        history=record.history(),
    )


def optimise(
    rows: _core.Rows,
    problem: ClassProblem,
    loss: str,
    C: float,
    *,
    weights: Floats | None = None,
    penalize_offset: bool = False,
    offset_value: float = 1.0,
    tol: float | None = None,
    max_iter: int = 1000,
    max_seconds: float | None = None,
    threads: int = 1,
    start: tuple[Floats, Floats] | None = None,
    watch: Watch | None = None,
    judge: Judge | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> Optimum:
    """Minimise C sum_i s_i loss_i + 1/2 ||w||^2 until its gradient is at most `tol` times that at w = 0.

    None is 1e-6, for joint classes 1e-9.

    C is infinite for no penalty; then `judge` is asked, once it seems that the classes are separated, for the kind of
    separation. The hinge loss has no gradient to judge by: its optimum is found and proved by `dual.py`, whose gap is
    at most `tol` times the objective (1e-8).
    """
    if LOSSES[loss].optimum == "dual":
        fit = offset_value != 0
        recipe = Recipe(
            loss=loss,
            C=C,
            fit_intercept=fit,
            intercept_scaling=offset_value if fit else 1.0,
            penalize_intercept=penalize_offset,
            stops=Stops(tol=HINGE_TOL if tol is None else tol, max_iter=max_iter, max_seconds=max_seconds),
        )
        return _hinge(Ascent(rows, problem, recipe, weights, threads=threads), watch, bookmark)
    planes = problem.plane_count
    objective = Landscape(rows, problem, loss, C, weights, penalize_offset, offset_value, threads)
    z = None
    if start is not None:
        offsets = start[1] / offset_value if offset_value else np.zeros(planes)
        z = np.concatenate([np.ravel(start[0]), offsets])
    saved = bookmark.take() or {}
    began = time.perf_counter() - saved.get("seconds", 0.0)
    record = Record("gradient", saved.get("record"))

    def around() -> Tree:
        return {"record": record.saved(), "seconds": time.perf_counter() - began}

    def tell(step: int, value: float, close: float) -> None:
        now = time.perf_counter() - began
        line = (objective.passes * rows.count, value, close, now)
        if len(record.lines) == step:
            record.lines.append(line)
        if watch is not None:
            watch(Progress(objective.passes, max_iter, None, now))
        if max_seconds is not None and now > max_seconds:
            raise TimeoutError

    if tol is None:
        tol = SMOOTH_TOL if planes == 1 else JOINT_TOL
    at = bookmark.nested("newton", around, saved.get("newton"))
    found = descend(objective, z, tol, max_iter, tell, None if LOSSES[loss].reaches_zero else judge, at)
    z, value = found.place.z, found.place.value
    if planes > 1 and not penalize_offset:
        z[-planes:] -= z[-planes:].mean()  # a number added to all scores changes no chance
    return Optimum(
        coef=z[:-planes].reshape(planes, -1).copy(),
        intercept=z[-planes:] * offset_value,
        objective=value,
        gradient_norm=found.gradient_norm,
        gap=math.nan,
        reason=found.reason,
        steps=found.steps,
        visits=objective.passes * rows.count,
        history=record.history(),
        separation=found.separation,
    )
