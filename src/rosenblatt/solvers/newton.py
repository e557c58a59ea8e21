"""Newton's method for a smooth penalised loss, with the gradient's norm as proof.

The objective is C sum_i s_i loss_i + 1/2 ||w||^2. A step solves H p = -gradient and goes along p as far as the
objective falls; the scores of all rows are kept, so looking along p reads no rows. Where H is small it is made and
factored; where it is not, conjugate gradients multiply by it, with the factored H of some rows, or its diagonal, to
guide them. Large data begin near the optimum of every seventh row, or fifth; the squared hinge, where its
columns are too many for that, with coordinate descent on its dual, and it often ends there. Only passes over the rows
take time, and between them Ctrl-C, limits and progress are heard.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from .. import _core
from ..engine.class_problems import ClassProblem
from ..engine.resume import NO_BOOKMARK, Bookmark, Tree
from ..foundation.errors import TooLarge
from ..foundation.types import Floats
from ..parts.losses import LOSSES
from ..parts.recipe import Recipe

SMALL = 600  # coordinates whose H is made whole, where that costs no more than some passes
PASSES_FOR_H = 12  # what making H may cost, as passes over the rows
GUIDED = 2000  # coordinates up to which the H of some rows guides the conjugate gradients
THINNED = (7, 5)  # every so-manieth row finds the start; primes, since rows may come in rounds
COPIED = 1 << 25  # stored numbers of sparse rows that such a start may copy
ROUGH = 1e-3  # how far it goes there
ROWS_PER_COORDINATE = 12  # that a start needs
FLAT = 1e-13  # of its own curvature: what is left of a coordinate that others already span
RUNAWAY = 0.3  # a step that still moves some score by so much is not the last one before an optimum
FEW = 0.01  # of what a direction has to gain: what it may leave, whatever the units of the columns
SETTLED = 0.1  # of the tolerance: how far the objective may still fall, as the Hessian sees it
SLOW = 0.8  # of the gap: a pass over the dual that leaves more is the last one
DUAL_PASSES = 60
SLICE_VALUES = 1 << 20  # stored values visited between two looks for Ctrl-C
PATIENT_STEPS = 6  # before separation is suspected
SEPARATED = ("complete", "quasi")
STOPPED: dict[str, type[BaseException]] = {"interrupted": KeyboardInterrupt, "max_seconds": TimeoutError}

Judge = Callable[[], str]  # tells the kind of separation
Inverse = Callable[[Floats], Floats]  # of the Hessian, at least nearly


@dataclass
class Landscape:
    """C sum_i s_i loss_i + 1/2 ||w||^2 of rows, at weights z = (w, offsets)."""

    rows: _core.Rows
    labels: ClassProblem
    loss: str
    C: float
    weights: Floats | None = None
    penalize_offset: bool = False
    offset_value: float = 1.0
    threads: int = 1
    passes: int = field(default=0, init=False)
    drowned: bool = field(default=False, init=False)  # rounding hid a penalised coordinate from the last H
    spare: list[Floats] = field(default_factory=list, init=False, repr=False)  # memory to use again

    def __post_init__(self) -> None:
        fit = self.offset_value != 0
        scaling = self.offset_value if fit else 1.0
        recipe = Recipe(
            self.loss, fit_intercept=fit, intercept_scaling=scaling, penalize_intercept=self.penalize_offset
        )
        self.problem = self.labels.native(self.rows, self.weights, recipe, self.threads)
        self.planes = self.labels.plane_count
        self.free = math.isinf(self.C)
        self.factor = 1.0 if self.free else self.C
        self.size = self.planes * (self.rows.columns + 1)
        self.ridge = np.zeros(self.size) if self.free else np.ones(self.size)
        if not self.penalize_offset:
            self.ridge[-self.planes :] = 0.0

    def thinned(self, step: int) -> "Landscape":
        """The same of every step-th row, each counting for so many."""
        labels = self.labels.every(step)
        weights = None if self.weights is None else np.ascontiguousarray(self.weights[::step])
        few = self.rows.every(step, self.threads)
        return replace(self, rows=few, labels=labels, weights=weights, C=self.C * self.rows.count / few.count)

    def room(self) -> Floats:
        """Memory for the scores of all rows; used again, since fresh pages cost more to get than to fill."""
        return self.spare.pop() if self.spare else np.empty(self.rows.count * self.planes)

    def scores(self, z: Floats) -> Floats:
        self.passes += 1
        coef, out = z[: -self.planes].reshape(self.planes, -1), self.room()
        _core.scores_into(self.rows, coef, z[-self.planes :] * self.offset_value, self.threads, out)
        return out

    def penalty(self, z: Floats) -> float:
        return 0.5 * _core.dot(self.ridge * z, z)

    def gradient(self, z: Floats, pull: Floats) -> Floats:
        self.passes += 1
        out = np.empty(self.size)
        _core.pull_together(self.problem, pull, out)
        return self.ridge * z - self.factor * out

    def curve(self, curvature: Floats, p: Floats, along: Floats) -> Floats:
        """H p, and in `along` the scores that p gives."""
        self.passes += 1
        out = np.empty(self.size)
        _core.curve(self.problem, curvature, p, along, out)
        return self.factor * out + self.ridge * p

    @property
    def makes_hessian(self) -> bool:
        stored = self.rows.stored_values / max(self.rows.count, 1)
        cost = stored / 4 if self.rows.sparse else self.rows.columns / 16
        return self.planes == 1 and self.size <= SMALL and cost <= PASSES_FOR_H

    @property
    def scattered(self) -> bool:
        """Too many coordinates for the H of some rows."""
        return self.planes > 1 or self.size > GUIDED

    @property
    def picked(self) -> npt.NDArray[np.uint32]:
        """The rows whose H guides the conjugate gradients."""
        some = min(self.rows.count, max(4 * self.size, 2000))
        return (np.arange(some) * (self.rows.count / some)).astype(np.uint32)


class Place:
    """Weights, the scores they give, and the loss's slopes there."""

    def __init__(self, objective: Landscape, z: Floats, scores: Floats) -> None:
        self.z, self.scores = z, scores
        self.pull, self.curvature = objective.room(), objective.room()
        loss = _core.slopes(objective.problem, scores, self.pull, self.curvature)
        self.value = objective.factor * loss + objective.penalty(z)

    def leave(self, objective: Landscape) -> None:
        """Nobody comes back here: its memory is free."""
        objective.spare += [self.scores, self.pull, self.curvature]


class Factored:
    """A symmetric matrix, scaled to a diagonal of ones and factored; flat coordinates stay where they are."""

    def __init__(self, square: Floats) -> None:
        size = len(square)
        diagonal = square.ravel()[:: size + 1]
        if not np.isfinite(diagonal).all():
            raise TooLarge
        unused = int((diagonal <= 0).sum())
        self.scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        square *= self.scale
        square *= self.scale[:, None]
        self.drowned = _core.factor(square, FLAT) > unused
        self.square = square

    def solve(self, b: Floats) -> Floats:
        x = self.scale * b
        _core.solve(self.square, x)
        return self.scale * x


def newton_hessian(objective: Landscape, curvature: Floats) -> Floats:
    square = np.zeros((objective.size, objective.size))
    _core.hessian(objective.problem, curvature, None, square)
    objective.passes += 1
    square *= objective.factor
    square.ravel()[:: objective.size + 1] += objective.ridge
    return square


@dataclass
class Guide:
    """An approximate inverse of H: that of some rows, factored, which serves for many steps; or of its diagonal."""

    inverse: Inverse
    bends: Floats | None = None  # the curvature of the rows that it was made of
    rounds: int = 0  # that a direction took when it was new
    late: int = 0  # rounds more that directions have taken since

    @classmethod
    def at(cls, objective: Landscape, place: Place) -> "Guide":
        return cls(diagonal_inverse(objective, place)) if objective.scattered else cls.of(objective, place.curvature)

    @classmethod
    def of(cls, objective: Landscape, curvature: Floats, rounds: int = 0, late: int = 0) -> "Guide":
        """Of the curvature of all rows, or of the rows picked."""
        picked, size = objective.picked, objective.size
        bends = curvature[picked] if len(curvature) > len(picked) else curvature.copy()
        square = np.zeros((size, size))
        _core.hessian(objective.problem, bends, picked, square)
        square *= objective.factor * objective.rows.count / len(picked)
        square.ravel()[:: size + 1] += objective.ridge
        return cls(Factored(square).solve, bends, rounds, late)

    def used(self, rounds: int) -> None:
        self.rounds, self.late = self.rounds or rounds, self.late + max(0, rounds - (self.rounds or rounds))

    def serves(self, objective: Landscape) -> bool:
        """Until the rounds that its age has cost are about those that making another would; that of all rows is exact
        where it was made, and few rows soon make another."""
        made_of = 0 if self.bends is None else len(self.bends)
        rows = objective.rows.count
        return 0 < made_of < rows and self.late * rows * 8 <= made_of * objective.size

    def saved(self) -> Tree:
        return {"curvature": self.bends, "rounds": self.rounds, "late": self.late}


def diagonal_inverse(objective: Landscape, place: Place) -> Inverse:
    rows, size = objective.rows, objective.size
    diagonal = np.empty(size)
    chances = place.curvature.reshape(-1, objective.planes)
    single, offsets = np.empty(rows.columns + 1), diagonal[-objective.planes :]
    for k in range(objective.planes):
        bend = place.curvature if objective.planes == 1 else np.ascontiguousarray(chances[:, k] * (1 - chances[:, k]))
        _core.hessian_diagonal(objective.problem, bend, single)
        diagonal[k * rows.columns : (k + 1) * rows.columns] = single[:-1]
        offsets[k] = single[-1]
    diagonal = objective.factor * diagonal + objective.ridge
    inverse = 1 / np.where(diagonal > 0, diagonal, 1.0)
    return lambda r: inverse * r


def norm(x: Floats) -> float:
    """In units of the largest number, so that squares neither overflow nor vanish."""
    largest = float(np.abs(x).max())
    if not math.isfinite(largest):
        raise TooLarge
    if largest == 0:
        return 0.0
    parts = x / largest
    return largest * math.sqrt(_core.dot(parts, parts))


@dataclass
class Conjugate:
    """Where conjugate gradients are on their way to p with H p = -gradient."""

    p: Floats
    moved: Floats  # the scores that p gives
    left: Floats  # the residual
    s: Floats  # where to go next
    product: float  # of the residual and its image
    whole: float  # the first product
    rounds: int = 0


def straight(objective: Landscape, place: Place, gradient: Floats) -> tuple[Floats, Floats, Inverse]:
    """p with H p = -gradient, the scores that p gives, and 1 / H."""
    factored = Factored(newton_hessian(objective, place.curvature))
    objective.drowned = factored.drowned and not objective.free
    p = factored.solve(-gradient)
    return p, objective.scores(p), factored.solve


def direction(
    objective: Landscape,
    place: Place,
    gradient: Floats,
    guide: Guide,
    enough: float,
    pause: Callable[[], None],
    bookmark: Bookmark = NO_BOOKMARK,
) -> tuple[Floats, Floats]:
    """p with H p = -gradient, nearly, up to a residual of norm `enough`; and the scores that p gives."""
    along, inverse = np.empty(len(place.scores)), guide.inverse
    saved = bookmark.take()
    if saved is None:
        q = inverse(-gradient)
        whole = _core.dot(-gradient, q)
        at = Conjugate(np.zeros(objective.size), np.zeros(len(along)), -gradient, q, whole, whole)
    else:
        at = Conjugate(**saved)
    while at.rounds < objective.size + 50:
        pause()
        bookmark.save_if_due(lambda: vars(at).copy(), lambda: objective.passes)
        at.rounds += 1
        bent = objective.curve(place.curvature, at.s, along)
        curvature = _core.dot(at.s, bent)
        if not curvature > 0:
            break
        step = at.product / curvature
        at.p += step * at.s
        at.moved += step * along
        at.left -= step * bent
        q = inverse(at.left)
        at.product, before = _core.dot(at.left, q), at.product
        if norm(at.left) <= enough and at.product <= FEW * at.whole:
            break
        at.s = q + (at.product / before) * at.s
    if not at.p.any():
        at.p = -gradient  # flat along all that was tried
        objective.curve(place.curvature, at.p, at.moved)
    guide.used(at.rounds)
    return at.p, at.moved


def further(objective: Landscape, place: Place, p: Floats, along: Floats, slope: float) -> Place | None:
    """As far along p as the objective falls enough; None where rounding hides any fall."""
    t = 1.0
    while t > 1e-12:
        scores = objective.room()
        _core.move(place.scores, t, along, objective.threads, scores)
        new = Place(objective, place.z + t * p, scores)
        if new.value <= place.value + 1e-4 * t * slope:
            return new
        new.leave(objective)
        if -t * slope <= 1e-14 * abs(place.value):
            return None
        t *= 0.5
    return None


@dataclass
class Found:
    place: Place
    gradient_norm: float
    reason: str
    steps: int
    separation: str = ""


@dataclass(frozen=True)
class Start:
    """Where to begin, about how far the objective has still to fall from there, and what stopped the way there."""

    place: Place
    to_fall: float = math.inf
    stopped: str = ""


def there(objective: Landscape, z: Floats) -> Place:
    return Place(objective, z, objective.scores(z))


def beginning(objective: Landscape, tol: float, pause: Callable[[], None], bookmark: Bookmark) -> Start | None:
    """Where the rows lead one at a time, if nothing can guide a step; else where some of them do, if these are many."""
    if LOSSES[objective.loss].dual_start and not objective.free and objective.size > GUIDED:
        return one_at_a_time(objective, tol, pause, bookmark)
    needed = max(1000, ROWS_PER_COORDINATE * objective.size)
    step = next((step for step in THINNED if objective.rows.count >= step * needed), None)
    if objective.free or step is None or (objective.rows.sparse and objective.rows.stored_values > step * COPIED):
        return None
    few = objective.thinned(step)
    found = descend(few, None, ROUGH, 20, lambda *_: pause(), None, bookmark)
    objective.passes += few.passes * few.rows.count // objective.rows.count
    return Start(there(objective, found.place.z), stopped=found.reason if found.reason in STOPPED else "")


def one_at_a_time(objective: Landscape, tol: float, pause: Callable[[], None], bookmark: Bookmark) -> Start:
    """Coordinate descent on the dual, until the objective has no more to fall than it may, or falls slowly."""
    state, left, passed, stopped = _core.Dual(objective.problem, objective.factor, 0), math.inf, 0, ""
    budget = max(1, SLICE_VALUES * objective.rows.count // max(objective.rows.stored_values, 1))
    saved = bookmark.take()
    if saved is not None:
        left, passed = saved["left"], saved["passed"]
        state.restore(saved["dual"])

    def where() -> Tree:
        return {"dual": state.save(), "left": left, "passed": passed}

    try:
        while passed < DUAL_PASSES:
            while state.passes == passed:
                state.descend(objective.problem, budget)
                pause()
                bookmark.save_if_due(where, lambda: objective.passes, step=state.passes > passed)
            objective.passes += 1
            passed += 1
            before, left = left, state.seen_gap
            if left <= SETTLED * tol * (left + state.worth()) or left > SLOW * before:
                break
    except tuple(STOPPED.values()) as stop:
        stopped = name_of(stop)
    return Start(with_best_offset(objective, there(objective, state.theta())), left, stopped)


def with_best_offset(objective: Landscape, place: Place) -> Place:
    """The same weights with the offset that suits them, for which no row is read."""
    value, ridge = objective.offset_value, float(objective.ridge[-1])
    for _ in range(20):
        gain = objective.factor * value * float(place.pull.sum()) - ridge * float(place.z[-1])
        bend = objective.factor * value**2 * float(place.curvature.sum()) + ridge
        if gain * gain <= 1e-14 * bend * place.value:
            break
        p = np.zeros(objective.size)
        p[-1] = gain / bend
        new = further(objective, place, p, np.full(len(place.scores), value * p[-1]), -gain * p[-1])
        if new is None:
            break
        place = new
    return place


def name_of(stop: BaseException) -> str:
    return next(reason for reason, kind in STOPPED.items() if isinstance(stop, kind))


@dataclass
class Way:
    """Where Newton's method is."""

    place: Place
    gradient: Floats
    size: float  # the gradient's norm
    first: float  # and what it was at rest
    steps: int = 0
    begun: bool = False  # a start was looked for; until then it is at rest
    fresh: bool = True  # the scores are those of the weights, not sums of what each step adds
    near: bool = False
    runaway: float = math.inf
    guide: Guide | None = None  # of the conjugate gradients
    to_fall: float = math.inf  # what the objective has left, about; large columns hide the others from the norm
    verdict: str = ""

    @classmethod
    def at_rest(cls, objective: Landscape) -> "Way":
        rest = resting(objective)
        gradient = objective.gradient(rest.z, rest.pull)
        size = norm(gradient)
        return cls(rest, gradient, size, size)

    def measure(self, objective: Landscape, place: Place) -> None:
        self.place, self.gradient = place, objective.gradient(place.z, place.pull)
        self.size = norm(self.gradient)

    def refresh(self, objective: Landscape) -> None:
        last = self.place
        self.measure(objective, there(objective, last.z))
        last.leave(objective)
        self.fresh = True

    def saved(self, objective: Landscape) -> Tree:
        place = {"z": self.place.z, "scores": self.place.scores} if self.begun else None
        guide = None if self.guide is None or self.guide.bends is None else self.guide.saved()
        around = {"passes": objective.passes, "drowned": objective.drowned}
        return {**vars(self), "place": place, "guide": guide, **around}

    @classmethod
    def restored(cls, objective: Landscape, saved: Tree) -> "Way":
        objective.passes, objective.drowned = saved.pop("passes"), saved.pop("drowned")
        place, guide = saved.pop("place"), saved.pop("guide")
        at = resting(objective) if place is None else Place(objective, place["z"], place["scores"])
        return cls(at, **saved, guide=None if guide is None else Guide.of(objective, **guide))


def resting(objective: Landscape) -> Place:
    scores = objective.room()
    scores.fill(0.0)  # np.zeros has no memory until somebody writes; then every thread must hear of each page
    return Place(objective, np.zeros(objective.size), scores)


def arrived(objective: Landscape, at: Way, tol: float, max_iter: int, judge: Judge | None) -> str:
    """Why there is no more step to take, or nothing."""
    endless = objective.free and not LOSSES[objective.loss].reaches_zero  # others come to 0, or to their optimum
    at.near = at.size <= tol * at.first and at.to_fall <= SETTLED * tol * at.place.value
    if at.near and not at.fresh:
        at.refresh(objective)
        at.near = at.size <= tol * at.first
    suspicious = endless and at.runaway > RUNAWAY and (at.near or at.steps >= PATIENT_STEPS)
    apart = endless and at.steps > 0 and separates(objective, at.place)
    if apart:
        at.verdict = "complete"
    elif suspicious and judge is not None and not at.verdict:
        at.verdict = judge()
    if apart or at.verdict == "quasi":
        return "separated"
    if at.near and at.verdict != "complete" and not (suspicious and judge is not None and not at.verdict):
        return "gradient"
    return "max_iter" if at.steps == max_iter else ""


def descend(
    objective: Landscape,
    start: Floats | None,
    tol: float,
    max_iter: int,
    tell: Callable[[int, float, float], None],
    judge: Judge | None,
    bookmark: Bookmark = NO_BOOKMARK,
) -> Found:
    """Newton steps from `start`, or from where few rows lead, until the gradient is at most tol times that at 0.

    And until the objective has about a tenth of tol of itself left to fall.
    """
    saved = bookmark.take() or {}
    begin_saved, turn_saved = saved.pop("begin", None), saved.pop("direction", None)
    at = Way.restored(objective, saved) if saved else Way.at_rest(objective)
    if not math.isfinite(at.first):
        raise TooLarge
    if at.first == 0:
        return Found(at.place, 0.0, "gradient", 0)

    def pause() -> None:
        tell(at.steps, at.place.value, at.size / at.first)

    def where() -> Tree:
        return at.saved(objective)

    reason = ""
    try:
        if not at.begun:
            inside = bookmark.nested("begin", where, begin_saved)
            begin = beginning(objective, tol, pause, inside) if start is None else Start(there(objective, start))
            at.begun = True
            if begin is not None and begin.place.value < at.place.value:
                at.measure(objective, begin.place)
                at.to_fall = begin.to_fall
            if begin is not None and begin.stopped:
                raise STOPPED[begin.stopped]
        while True:
            if turn_saved is None:
                pause()
                bookmark.save_if_due(where, lambda: objective.passes, step=True)
                reason = arrived(objective, at, tol, max_iter, judge)
                if reason:
                    break
            inside, turn_saved = bookmark.nested("direction", where, turn_saved), None
            reason = step(objective, at, tol, pause, inside)
            if reason:
                break
    except tuple(STOPPED.values()) as stop:
        reason = name_of(stop)
    if not at.fresh:
        at.refresh(objective)
    if reason == "gradient" and objective.drowned:
        reason = "precision"
    if at.verdict in SEPARATED and reason not in STOPPED:
        reason = "separated"
    return Found(at.place, at.size / at.first, reason, at.steps, at.verdict if at.verdict in SEPARATED else "")


def step(objective: Landscape, at: Way, tol: float, pause: Callable[[], None], bookmark: Bookmark) -> str:
    """One step on the way, or why there is none."""
    close = at.size / at.first
    least = 0.3 * tol * at.first if close > tol else 0.0
    enough = max(min(0.1, math.sqrt(close)) * at.size, least)
    if objective.makes_hessian:
        p, along, inverse = straight(objective, at.place, at.gradient)
    else:
        if at.guide is None or not at.guide.serves(objective):
            at.guide = Guide.at(objective, at.place)
        p, along = direction(objective, at.place, at.gradient, at.guide, enough, pause, bookmark)
        inverse = at.guide.inverse
    slope_along = _core.dot(at.gradient, p)
    if not math.isfinite(slope_along):
        raise TooLarge
    at.to_fall = -0.5 * slope_along
    if at.size <= tol * at.first and 0 <= at.to_fall <= SETTLED * tol * at.place.value:
        return ""
    new = further(objective, at.place, p, along, slope_along) if slope_along < 0 else None
    if new is None:
        if at.fresh:
            return "gradient" if at.near else "precision"
        at.refresh(objective)
        return ""
    if objective.free and not LOSSES[objective.loss].reaches_zero:
        at.runaway = float(np.abs(new.scores - at.place.scores).max())
    last, at.fresh, at.steps, at.to_fall = at.place, False, at.steps + 1, math.inf
    at.measure(objective, new)
    if at.size <= tol * at.first:
        before, now, least = last.curvature, new.curvature, 0.5  # less says that the last step was long
        if at.guide is not None and at.guide.bends is not None:
            before, now, least = at.guide.bends, now[objective.picked], 0.0
        times = shrunk(before, now, least, objective.threads)
        at.to_fall = 0.5 * _core.dot(at.gradient, inverse(at.gradient)) * times
    last.leave(objective)
    objective.spare.append(along)
    return ""


def shrunk(before: Floats, now: Floats, least: float, threads: int) -> float:
    """How many times less a row may bend now than before: the H of then is at most so many times the one of now.

    Infinity where some row bends no more than `least` of what it did.
    """
    ratio = _core.least_ratio(now, before, threads)
    return 1 / ratio if ratio > least else math.inf


def separates(objective: Landscape, place: Place) -> bool:
    """Whether every row is on its own side: then nothing bounds the weights of an unpenalised loss."""
    signs, codes = objective.labels.signs, objective.labels.codes
    if signs is not None:
        return bool((signs * place.scores > 0).all())
    assert codes is not None
    scores = place.scores.reshape(-1, objective.planes)
    own = scores[np.arange(len(codes)), codes]
    return bool(((scores < own[:, None]).sum(axis=1) == objective.planes - 1).all())
