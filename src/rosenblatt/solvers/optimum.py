"""The optimum of a penalised loss for one plane or joint planes: by Newton's method, or for the hinge by its dual."""

import math
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.result import Progress, Watch
from ..engine.resume import NO_BOOKMARK, Bookmark
from ..foundation.collinear_columns import refuse_tiny_columns
from ..foundation.types import Floats, History
from ..parts.bounds import Bounds, bounds_of_columns
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe
from ..parts.stops import Stops
from .bounded_newton import BoundedNewton
from .dual import HingeSolver, minimise_hinge
from .elastic_net.elastic_net_objective import ElasticNetObjective, ElasticNetTerms
from .elastic_net.hinge_net import HingeNet, HingeNetObjective
from .elastic_net.proximal_newton import ProximalNewton
from .gap_solver import GapSolver
from .interruption import INTERRUPTION_TYPES, INTERRUPTIONS, interruption_reason
from .joint_hinge import JointHingeNewton
from .joint_hinge_descent import JointHingeDescent
from .newton.convergence import Judge
from .newton.jeffreys_objective import JeffreysObjective
from .newton.joint_hinge_objective import MAX_MATRIX_SIZE, JointHinge
from .newton.joint_jeffreys_objective import JointJeffreysObjective
from .newton.newton import minimise_smooth
from .newton.rows_objective import RowsObjective
from .newton.smooth_objective import SmoothObjective
from .step_record import StepRecord

DESCENT_TOL = 1e-4  # of the joint hinge with many columns, whose descent takes long for a smaller gap
HUGE_WEIGHT = 1e140
MAX_STEPS = 1000  # or epochs, where no other limit is given
HINGE_TOL = 1e-8
ELASTIC_NET_TOL = 1e-8


class Optimum(NamedTuple):
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
    unit: str = "step"  # of `steps`


def find_optimum(
    rows: _core.Rows,
    problem: ClassProblem,
    loss: str,
    C: float,
    *,
    jeffreys: bool = False,
    l1_ratio: float = 0.0,
    bounds: Bounds | None = None,
    weights: Floats | None = None,
    penalize_offset: bool = False,
    offset_value: float = 1.0,
    tol: float | None = None,
    max_iter: int = MAX_STEPS,
    max_seconds: float | None = None,
    threads: int = 1,
    start: tuple[Floats, Floats] | None = None,
    watch: Watch | None = None,
    judge: Judge | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> Optimum:
    """Minimise C sum_i s_i loss_i + 1/2 ||w||^2 until its gradient is at most `tol` times that at w = 0.

    `tol` is 1e-6 by default, 1e-9 for joint classes. The hinge has no gradient: `dual.py` finds its optimum, and the
    duality gap is at most `tol` times the objective (1e-8 by default); `joint_hinge.py` does so for joint classes.

    Without a penalty C is infinite. Then `judge` is called for the kind of separation once the classes seem separated.
    With an `l1_ratio` r above 0 the penalty is r ||w||_1 + (1 - r) / 2 ||w||^2, and the duality gap is the proof.
    With `bounds` it is the gradient where weights could still move that is compared with `tol`.
    With `jeffreys` C is infinite, too, and 1/2 log(det A(0) / det A(w)) is the penalty; `tol` is 1e-10 by default.
    """
    if l1_ratio:
        stops = Stops(tol=ELASTIC_NET_TOL if tol is None else tol, max_iter=max_iter, max_seconds=max_seconds)
        shared = weights, penalize_offset, offset_value, threads
        return gap_optimum(_net_solver(rows, problem, loss, C, l1_ratio, shared, start), stops, watch, bookmark)
    planes, by_dual = problem.plane_count, LOSSES[loss].optimum == "dual"
    if by_dual and planes > 1:
        hinge = JointHinge(rows, problem, loss, C, weights, penalize_offset, offset_value, threads)
        solve = JointHingeNewton if hinge.size <= MAX_MATRIX_SIZE else JointHingeDescent
        own = HINGE_TOL if solve is JointHingeNewton else DESCENT_TOL
        stops = Stops(tol=own if tol is None else tol, max_iter=max_iter, max_seconds=max_seconds)
        return gap_optimum(solve(hinge), stops, watch, bookmark)
    if by_dual:
        fit = offset_value != 0
        recipe = Recipe(
            loss=loss,
            C=C,
            fit_intercept=fit,
            intercept_scaling=offset_value if fit else 1.0,
            penalize_intercept=penalize_offset,
            stops=Stops(tol=HINGE_TOL if tol is None else tol, max_iter=max_iter, max_seconds=max_seconds),
        )
        return _hinge_optimum(HingeSolver(rows, problem, recipe, weights, threads=threads), watch, bookmark)
    limits: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "max_seconds": max_seconds}
    kind = RowsObjective
    if jeffreys:
        kind = JeffreysObjective if planes == 1 else JointJeffreysObjective
    objective = kind(rows, problem, loss, C, weights, penalize_offset, offset_value, threads)
    if bounds is not None:
        return bounded_optimum(objective, bounds, **limits, start=start, watch=watch)
    return smooth_optimum(objective, **limits, start=start, watch=watch, judge=judge, bookmark=bookmark)


def _net_solver(
    rows: _core.Rows,
    problem: ClassProblem,
    loss: str,
    C: float,
    l1_ratio: float,
    shared: tuple[Floats | None, bool, float, int],
    start: tuple[Floats, Floats] | None,
) -> ProximalNewton:
    """The solver of an elastic net."""
    terms = ElasticNetTerms.of(C, l1_ratio)
    if LOSSES[loss].optimum == "dual":
        hinge = HingeNetObjective(rows, problem, loss, terms.C, *shared, terms.l1, terms.scale)
        return HingeNet(hinge, _stacked_weights(hinge, start))
    net = ElasticNetObjective(rows, problem, loss, terms.C, *shared, terms.l1, terms.scale)
    return ProximalNewton(net, _stacked_weights(net, start))


def _hinge_optimum(solver: HingeSolver, watch: Watch | None, bookmark: Bookmark) -> Optimum:
    saved, rows = bookmark.take() or {}, solver.rows
    record = StepRecord("gap", saved)

    def note(epochs: float, gap: float, step: bool) -> None:
        seconds, primal = record.seconds, solver.state.primal
        if step:
            relative = gap / primal if 0 < primal < math.inf else math.inf
            record.add(round(epochs * rows.count), primal, relative, seconds)
        if watch is not None:
            watch(Progress(epochs, solver.recipe.stops.max_iter, None, seconds))

    found = minimise_hinge(solver, note, bookmark.nested("ascent", record.tree, saved.get("ascent")))
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
        unit="epoch",
    )


def gap_optimum(solver: GapSolver, stops: Stops, watch: Watch | None, bookmark: Bookmark) -> Optimum:
    """The optimum by a solver that proves it by a duality gap."""
    saved, objective = bookmark.take() or {}, solver.objective
    record = StepRecord("gap", saved)

    def pause() -> None:
        if len(record) == solver.steps:
            record.add(solver.visits, solver.primal, solver.gap / solver.primal, record.seconds)
        if watch is not None:
            watch(Progress(solver.visits / objective.count, stops.max_iter, None, record.seconds))
        if stops.max_seconds is not None and record.seconds > stops.max_seconds:
            raise TimeoutError

    try:
        inside = bookmark.nested("newton", record.tree, saved.get("newton"))
        reason = solver.minimise(stops.tol, stops.max_iter, pause, inside)
    except INTERRUPTION_TYPES as stop:
        reason = interruption_reason(stop)
    if reason in ("max_iter", *INTERRUPTIONS):
        solver.prove()
    planes = objective.planes
    return Optimum(
        coef=solver.best[:-planes].reshape(planes, -1).copy(),
        intercept=solver.best_offsets * objective.offset_value,
        objective=solver.primal,
        gradient_norm=math.nan,
        gap=solver.gap / solver.primal,
        reason=reason,
        steps=solver.epochs,
        visits=solver.visits,
        history=record.history(),
        unit=solver.unit,
    )


def smooth_optimum(
    objective: SmoothObjective,
    *,
    tol: float | None = None,
    max_iter: int = MAX_STEPS,
    max_seconds: float | None = None,
    start: tuple[Floats, Floats] | None = None,
    watch: Watch | None = None,
    judge: Judge | None = None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> Optimum:
    """The optimum of a smooth objective by Newton's method."""
    saved = bookmark.take() or {}
    tol = objective.default_tol if tol is None else tol
    judge = None if LOSSES[objective.loss].reaches_zero else judge
    record, rows = StepRecord("gradient", saved), objective.count

    def note(step: int, value: float, relative_norm: float) -> None:
        seconds, passes = record.seconds, objective.passes
        if len(record.lines) == step:
            record.lines.append((passes * rows, value, relative_norm, seconds))
        if watch is not None:
            watch(Progress(passes, max_iter, None, seconds))
        if max_seconds is not None and seconds > max_seconds:
            raise TimeoutError

    inside = bookmark.nested("newton", record.tree, saved.get("newton"))
    z = None if start is None else _stacked_weights(objective, start)
    found = minimise_smooth(objective, z, tol, max_iter, note, judge, inside)
    coef, offsets = _centred_planes(objective, found.iterate.z)
    if objective.unpenalised:
        _refuse_tiny_columns(objective, coef)
    return Optimum(
        coef=coef,
        intercept=offsets * objective.offset_value,
        objective=found.iterate.value,
        gradient_norm=found.relative_norm,
        gap=math.nan,
        reason=found.reason,
        steps=found.steps,
        visits=objective.passes * rows,
        history=record.history(),
        separation=found.separation,
    )


def _refuse_tiny_columns(objective: SmoothObjective, coef: Floats) -> None:
    """Refuse columns whose squares underflow. Their weights are 0 or huge: others need no pass over the rows."""
    sizes = np.abs(coef).max(axis=0)
    if ((sizes == 0) | (sizes > HUGE_WEIGHT)).any():
        refuse_tiny_columns(objective.largest_values())


def _centred_planes(objective: SmoothObjective, z: Floats) -> tuple[Floats, Floats]:
    """The weights and offsets of all planes, of those that give the same probabilities the ones with a mean of 0."""
    planes = objective.planes
    coef, offsets = z[:-planes].reshape(planes, -1).copy(), z[-planes:]
    if planes > 1 and not objective.penalize_offset:
        offsets -= offsets.mean()  # a constant added to all scores changes no probability
    if planes > 1 and objective.bounds_weights:
        coef -= coef.mean(axis=0)  # nor does a plane
    return coef, offsets


def bounded_optimum(
    objective: SmoothObjective,
    bounds: Bounds,
    *,
    tol: float | None = None,
    max_iter: int = MAX_STEPS,
    max_seconds: float | None = None,
    start: tuple[Floats, Floats] | None = None,
    watch: Watch | None = None,
) -> Optimum:
    """The optimum of a smooth objective of one plane within bounds of its weights."""
    record = StepRecord("gradient", {})

    def note(step: int, value: float, relative_norm: float) -> None:
        record.add(objective.passes * objective.count, value, relative_norm, record.seconds)
        if watch is not None:
            watch(Progress(objective.passes, max_iter, None, record.seconds))
        if max_seconds is not None and record.seconds > max_seconds:
            raise TimeoutError

    low, high = bounds_of_columns(bounds, objective.columns)
    free = np.inf if objective.offset_value else 0.0
    solver = BoundedNewton(objective, np.append(low, -free), np.append(high, free), _stacked_weights(objective, start))
    try:
        reason = solver.minimise(objective.default_tol if tol is None else tol, max_iter, note)
    except INTERRUPTION_TYPES as stop:
        reason = interruption_reason(stop)
    z = solver.iterate.z
    return Optimum(
        coef=z[:-1].reshape(1, -1).copy(),
        intercept=z[-1:] * objective.offset_value,
        objective=solver.iterate.value,
        gradient_norm=solver.relative_norm,
        gap=math.nan,
        reason=reason,
        steps=solver.steps,
        visits=objective.passes * objective.count,
        history=record.history(),
    )


def _stacked_weights(objective: SmoothObjective, start: tuple[Floats, Floats] | None) -> Floats | None:
    """Weights and offsets as one vector; None stays None."""
    if start is None:
        return None
    coef, intercept = start
    offsets = intercept / objective.offset_value if objective.offset_value else np.zeros(objective.planes)
    return np.concatenate([np.ravel(coef), offsets])
