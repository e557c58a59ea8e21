"""Rows in, model out: the loop around the core's one resumable call, `State.advance`.

Nothing here imports scikit-learn or SciPy (importing them takes longer than most training). A `Run` takes one state
through the data in slices of about 20 ms, between which Ctrl-C, progress and limits are heard; `train` makes one run
for two classes or joint classes, and one for each class otherwise. Rows that pass only once are in `stream.py`.
"""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from math import nan, sqrt
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.phrases import count
from ..foundation.types import Codes, Floats, History
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from ..parts.stops import PATIENCE, PATIENT_EPOCHS, PATIENT_VISITS, REASONS, Status, describe
from .resume import NOWHERE, Bookmark, Shelf, Tree

SLICE_SECONDS = 0.02
SLICE_VALUES = 1 << 20  # stored values visited in the first slice; the next ones go by the clock
WAIT_SECONDS = 0.1  # between looks at runs that go side by side
TRACE_LINES = 4096


class Progress(NamedTuple):
    """What a watcher is told after each slice."""

    epochs: float
    max_iter: int
    mistakes: float | None
    seconds: float


Watch = Callable[[Progress], None]


@dataclass(frozen=True)
class Trained:
    """What a run leaves."""

    coef: Floats
    intercept: Floats
    status: Status
    history: History
    n_visits: int
    n_updates: int
    n_mistakes: int
    trace: History | None = None
    interrupted: bool = False
    mean_loss: float = nan  # of the returned weights, where all rows were looked at once more
    objective: float = nan
    gradient_norm: float = nan
    duality_gap: float = nan

    @property
    def n_iter(self) -> int:
        return self.status.epochs


class Epoch(NamedTuple):
    """What happened in n visits."""

    visits: int
    updates: int
    mistakes: float
    loss: float
    seconds: float
    objective: float = nan  # where the criterion makes the pass that it takes
    held_out: float = nan  # the criterion on rows held out


MEANS, LASTING = ("loss", "held_out"), ("objective", "held_out")


class HeldOut(NamedTuple):
    """Rows that are not learned from: training ends when they are predicted no better."""

    rows: _core.Rows
    codes: Codes
    weights: Floats | None


class Jury(NamedTuple):
    """Rows held out, as one run sees them, and their weight."""

    problem: _core.Problem
    weight: float

    def quality(self, criterion: str, weights: tuple[Floats, Floats]) -> float:
        """The share of mistakes, or the mean loss."""
        _, mistakes, loss, _, _ = _core.inspect(self.problem, *weights)
        return float(mistakes if criterion == "mistakes" else loss) / self.weight


class Run:
    """One state on its way through the data, until a stop holds."""

    def __init__(
        self,
        rows: _core.Rows,
        labels: dict[str, Any],
        recipe: Recipe,
        planes: int = 1,
        weights: Floats | None = None,
        seed: int = 0,
        threads: int = 1,
        start: tuple[Floats, Floats] | None = None,
        trace: bool = False,
        jury: Jury | None = None,
    ) -> None:
        self.rows, self.recipe = rows, recipe
        self.jury = jury
        self._best_weights: tuple[Floats, Floats] | None = None  # on rows held out
        with np.errstate(over="ignore"):
            self.total_weight = float(rows.count if weights is None else weights.sum())
        if np.isinf(self.total_weight):
            raise TooLarge
        signs, codes = labels.get("signs"), labels.get("codes")
        self.problem = _core.Problem(rows, signs, codes, weights, recipe.native(), threads)
        self.state = _core.State(planes, rows.columns, KEEPS[recipe.keep].code, seed)
        if start is not None:
            coef, intercept = start
            self.state.set_weights(np.ascontiguousarray(coef), intercept / recipe.intercept_scaling)
        self.reason: str | None = None
        self.going = False
        self._epoch_seconds = 0.0  # before this run went on
        self.epochs: list[Epoch] = []
        self.traces: list[History] = []
        self._trace = _core.Trace(TRACE_LINES) if trace else None
        self._budget = max(1, SLICE_VALUES * rows.count // max(rows.stored_values, 1))
        self._counts = self.state.counts()
        self._best_quality, self._since_best = np.inf, 0
        self._settled: Floats | None = None
        self.mean_loss = nan
        self._last_weights = self.state.kept()[0] if recipe.stops.criterion == "weights" else None

    def saved(self) -> Tree:
        """Everything that decides how this run goes on; the clock's share of it, too."""
        columns = map(np.array, zip(*self.epochs, strict=True))
        return {
            "state": self.state.__getstate__(),
            "passed": self.passed(),
            "reason": self.reason,
            "epochs": dict(zip(Epoch._fields, columns, strict=True)) if self.epochs else None,
            "counts": list(self._counts),
            "epoch_seconds": 0.0 if self.reason else time.perf_counter() - self._epoch_began,
            "best_quality": float(self._best_quality),
            "since_best": self._since_best,
            "settled": self._settled,
            "last_weights": self._last_weights,
            "best_weights": None if self._best_weights is None else list(self._best_weights),
            "trace": list(self.traces),
        }

    def restore(self, saved: Tree) -> None:
        """Go on where a run of the same rows and recipe was saved."""
        state = _core.State.__new__(_core.State)
        state.__setstate__(saved["state"])
        if state.kept()[0].shape != self.state.kept()[0].shape:
            raise ValueError("its weights are not of these columns")
        self.state, self.reason, self._counts = state, saved["reason"], tuple(saved["counts"])
        columns = [] if saved["epochs"] is None else [saved["epochs"][name].tolist() for name in Epoch._fields]
        self.epochs = [Epoch(*values) for values in zip(*columns, strict=True)]
        self._epoch_seconds = saved["epoch_seconds"]
        self._best_quality, self._since_best = saved["best_quality"], saved["since_best"]
        self._settled, self._last_weights = saved["settled"], saved["last_weights"]
        best = saved["best_weights"]
        self._best_weights = None if best is None else (best[0], best[1])
        self.traces = list(saved["trace"])

    def passed(self) -> float:
        """How often it has gone through its rows."""
        return self.state.visits / self.rows.count

    def go(
        self,
        watch: Watch | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        began: float | None = None,
        bookmark: Bookmark = NOWHERE,
    ) -> None:
        """Train until a stop holds. Ctrl-C ends it like any other stop; the caller raises it again.

        `began` is when the clock of max_seconds started, if not now.
        """
        self._watched = time.perf_counter()
        self._began = self._watched if began is None else began
        self._epoch_began = self._watched - self._epoch_seconds
        self.going = True
        try:
            while self.reason is None:
                epochs = len(self.epochs)
                self._slice(watch)
                if self.reason is None:
                    bookmark.pause(self.saved, self.passed, step=len(self.epochs) > epochs)
                if self.reason is None and cancelled():
                    self.reason = "interrupted"
        except KeyboardInterrupt:
            self.reason = "interrupted"
        if self.state.visits > self._counts[0]:
            self._record(time.perf_counter())
        self._count_empty_pocket()
        self.going = False

    def _slice(self, watch: Watch | None) -> None:
        stops, state = self.recipe.stops, self.state
        epoch_end = min(len(self.epochs) + 1, stops.max_iter) * self.rows.count
        began = time.perf_counter()
        state.advance(self.problem, self._budget, max(epoch_end, self._counts[0] + 1), self._trace)
        now = time.perf_counter()
        if state.overflow:
            raise TooLarge
        if now - began > 2 * SLICE_SECONDS or now - began < SLICE_SECONDS / 2:
            pace = min(4.0, max(0.25, SLICE_SECONDS / max(now - began, 1e-6)))
            self._budget = min(int(self._budget * pace) + 1, 1 << 40)
        if self._trace is not None:
            self.traces.append(self._trace.drain())
        if state.clean or state.visits >= epoch_end:
            self._end_epoch(now)
        if self.reason is None and stops.max_seconds is not None and now - self._began >= stops.max_seconds:
            self.reason = "max_seconds"
        if watch is not None and (self.reason is not None or now - self._watched > SLICE_SECONDS / 2):
            self._watched = now
            mistakes = self.epochs[-1].mistakes if self.epochs else None
            watch(Progress(self.passed(), stops.max_iter, mistakes, now - self._began))

    def _record(self, now: float) -> None:
        """Close the epoch under way."""
        counts, before, n = self.state.counts(), self._counts, self.rows.count
        visits, updates = counts[0] - before[0], counts[1] - before[1]
        best = self.recipe.keep == "best"
        mistakes = min(self.state.best_mistakes, self.total_weight) if best else counts[2] - before[2]
        self._mistake_weight = mistakes if best else counts[3] - before[3]
        seen = (counts[5] - before[5]) * (n if self.recipe.order == "batch" else 1) * self.total_weight / n
        loss = (counts[4] - before[4]) / seen if seen else np.nan
        self.epochs.append(Epoch(visits, updates, mistakes, loss, now - self._epoch_began))
        self._counts, self._epoch_began = counts, now

    def _count_empty_pocket(self) -> None:
        """A run too short for the pocket's first check returns its last weights, whose mistakes nothing has counted."""
        if self.recipe.keep == "best" and self.epochs and np.isinf(self.state.best_mistakes):
            wrong = float(_core.inspect(self.problem, *self.returned())[1])
            self.epochs[-1] = self.epochs[-1]._replace(mistakes=wrong)

    def _end_epoch(self, now: float) -> None:
        if self.state.visits > self._counts[0] or not self.epochs:
            self._record(now)
        stops = self.recipe.stops
        if self.jury is not None:
            self._consult(self.jury)
        elif self.state.clean:
            self.reason = "mistakes"
        else:
            self._apply_criterion()
        if self.reason is None and self.state.visits >= stops.max_iter * self.rows.count:
            self.reason = "max_iter"

    def _apply_criterion(self) -> None:
        stops = self.recipe.stops
        quality = self._quality()
        if quality <= stops.tol and self._holds_for_returned_weights():
            self.reason = stops.criterion
            return
        if quality < self._best_quality:
            self._best_quality, self._since_best = quality, 0
        else:
            self._since_best += 1
        if self._out_of_patience() and self._is_settled():
            self.reason = "no-change"

    def _quality(self) -> float:
        """The number that the criterion compares with tol; for mistakes, what the epoch's visits saw."""
        criterion = self.recipe.stops.criterion
        if criterion == "mistakes":
            return self._mistake_weight / self.total_weight
        coef, intercept = self._present()
        if criterion == "weights":
            assert self._last_weights is not None
            change, size = _norm(coef - self._last_weights), _norm(coef)
            self._last_weights = coef
            stands_still = not size or (change == 0 and self.recipe.keep == "best")  # nothing learned, nothing found
            return np.inf if stands_still else change / size
        if not coef.any() and self.recipe.loss == "perceptron":
            return np.inf  # weights of 0 say nothing, though their loss is 0
        _, _, loss, _, gradient = _core.inspect(self.problem, coef, intercept, gradient=criterion == "gradient")
        mean, penalised = float(loss) / self.total_weight, self._penalised(coef, intercept)
        objective = mean + self.recipe.alpha / 2 * float(penalised @ penalised)
        self.epochs[-1] = self.epochs[-1]._replace(objective=objective)
        return mean if criterion == "loss" else self._slope(gradient / self.total_weight, penalised)

    def _penalised(self, coef: Floats, intercept: Floats) -> Floats:
        """All weights that the penalty counts; zeros in the place of offsets that it leaves free."""
        offsets = intercept / self.recipe.intercept_scaling
        return np.concatenate([coef.ravel(), offsets if self.recipe.penalize_intercept else 0 * offsets])

    def _slope(self, downhill: Floats, penalised: Floats) -> float:
        """The norm of the mean gradient, the penalty's part included; the offset is one more coordinate's weight."""
        downhill[len(downhill) // (self.rows.columns + 1) * self.rows.columns :] *= (
            self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        )
        return _norm(downhill - self.recipe.alpha * penalised)

    def _consult(self, jury: Jury) -> None:
        """Judge the weights by the rows held out and keep the best; end when patience does."""
        stops, weights = self.recipe.stops, self._present()
        quality = jury.quality(stops.criterion, weights)
        self.epochs[-1] = self.epochs[-1]._replace(held_out=quality)
        if quality < min((epoch.held_out for epoch in self.epochs[:-1]), default=np.inf):
            self._best_weights = weights
        if quality < self._best_quality - stops.tol:
            self._best_quality, self._since_best = quality, 0
        else:
            self._since_best += 1
        if self._since_best >= (stops.n_iter_no_change or PATIENCE):
            self.reason = "held-out"

    def _out_of_patience(self) -> bool:
        patience = self.recipe.stops.n_iter_no_change
        if patience is None or self.state.visits < min(PATIENT_VISITS, PATIENT_EPOCHS * self.rows.count):
            return False
        return self._since_best >= patience

    def _is_settled(self) -> bool:
        """An average moves on after the weights stopped improving: wait until it moves by less than a twentieth."""
        if self.recipe.keep != "average":
            return True
        before, now = self._settled, self.state.kept()[0]
        self._settled, self._since_best = now, 0
        return before is not None and _norm(now - before) <= 0.05 * _norm(now)

    def _holds_for_returned_weights(self) -> bool:
        """Visits see weights that move; the weights returned may do worse."""
        if self.recipe.stops.criterion != "mistakes" or self.recipe.keep == "best":
            return True
        if self.state.clean and self.recipe.keep != "average":
            return True
        return float(_core.inspect(self.problem, *self.returned())[1]) <= self.recipe.stops.tol * self.total_weight

    def returned(self) -> tuple[Floats, Floats]:
        """The weights kept, and the offsets they add; of those judged by rows held out, the best."""
        return self._present() if self._best_weights is None else self._best_weights

    def _present(self) -> tuple[Floats, Floats]:
        coef, offsets = self.state.kept()
        scaling = self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        return coef, offsets * scaling

    def wrong_rows(self) -> int:
        """How many rows the returned weights misclassify; a look at all of them finds their mean loss, too."""
        if self.state.clean and self.recipe.keep != "average" and self._best_weights is None:
            return 0
        wrong, _, loss, _, _ = _core.inspect(self.problem, *self.returned())
        self.mean_loss = float(loss) / self.total_weight
        return int(wrong)


def _norm(weights: Floats) -> float:
    """The same bits on every machine, which NumPy's does not promise."""
    flat = weights.reshape(-1)
    return sqrt(_core.dot(flat, flat))


def signs_of(codes: Codes, positive: int) -> npt.NDArray[np.int8]:
    signs: npt.NDArray[np.int8] = 2 * (codes == positive).view(np.int8) - np.int8(1)
    return signs


def train(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    recipe: Recipe,
    *,
    multi_class: str = "ovr",
    weights: Floats | None = None,
    seed: int = 0,
    threads: int = 1,
    start: tuple[Floats, Floats] | None = None,
    trace: bool = False,
    watch: Watch | None = None,
    held_out: HeldOut | None = None,
    began: float | None = None,
    bookmark: Bookmark = NOWHERE,
) -> Trained:
    """Train a recipe on rows whose classes are numbered 0 .. classes-1, and say how it ended.

    Two classes make one plane, whose positive side is class 1. More make one plane each: trained apart ("ovr", each
    class against the rest) or together ("joint"). With rows held out, the criterion judges these, each time the weights
    that would be returned, and the best are: training ends when they do no better. `began` is when the clock of
    max_seconds started, if not now. `bookmark` is where an earlier run left off, and where this one does.
    """
    rows = recipe.lifted(rows)
    shared: dict[str, Any] = {"weights": weights, "seed": seed, "trace": trace}
    if classes == 2 or multi_class == "joint":
        labels = {"signs": signs_of(codes, 1)} if classes == 2 else {"codes": codes}
        planes = 1 if classes == 2 else classes
        jury = _jury(held_out, 1 if classes == 2 else None, recipe, threads)
        run = Run(rows, labels, recipe, planes, threads=threads, start=start, jury=jury, **shared)
        _go_on([run], 1, watch, began, bookmark)
        return _summary([run], run.wrong_rows(), joint=True)
    each = max(1, threads // classes)
    runs = [
        Run(
            rows,
            {"signs": signs_of(codes, k)},
            recipe,
            threads=each,
            start=None if start is None else (start[0][k : k + 1], start[1][k : k + 1]),
            jury=_jury(held_out, k, recipe, each),
            **shared,
        )
        for k in range(classes)
    ]
    _go_on(runs, threads, watch, began, bookmark)
    coef, intercept = _stacked(runs)
    together = _core.Problem(rows, None, codes, weights, recipe.native(), threads)
    return _summary(runs, int(_core.inspect(together, coef, intercept)[0]), joint=False)


def _jury(held_out: HeldOut | None, positive: int | None, recipe: Recipe, threads: int) -> Jury | None:
    """The rows held out, one class of them against the rest or all together."""
    if held_out is None:
        return None
    signs = None if positive is None else signs_of(held_out.codes, positive)
    codes = held_out.codes if positive is None else None
    problem = _core.Problem(recipe.lifted(held_out.rows), signs, codes, held_out.weights, recipe.native(), threads)
    return Jury(problem, float(held_out.rows.count if held_out.weights is None else held_out.weights.sum()))


def _go_on(runs: Sequence[Run], threads: int, watch: Watch | None, began: float | None, bookmark: Bookmark) -> None:
    """Runs from their beginning, or from where they were left."""
    saved, now = bookmark.take(), time.perf_counter()
    began = now if began is None else began
    trees: list[Tree | None] = [None] * len(runs) if saved is None else saved["runs"]
    if saved is not None:
        began -= saved["seconds"]
    for run, tree in zip(runs, trees, strict=True):
        if tree is not None:
            run.restore(tree)
    shelf = Shelf(bookmark, runs, trees, lambda: {"seconds": time.perf_counter() - began}, side_by_side=threads > 1)
    if len(runs) == 1:
        runs[0].go(watch, began=began, bookmark=shelf.place(0))
    else:
        _go_together(runs, threads, watch, began, shelf)


def _go_together(runs: Sequence[Run], threads: int, watch: Watch | None, began: float, shelf: Shelf) -> None:
    """Several runs, as many at a time as there are threads. Ctrl-C ends them all."""
    signals: list[int] = []

    def cancelled() -> bool:
        return bool(signals)

    with ctrl_c_noted(signals):
        if threads == 1:
            for k, run in enumerate(runs):
                run.go(watch, cancelled, began, shelf.place(k))
                if run.reason == "interrupted":
                    signals.append(signal.SIGINT)
        else:
            with ThreadPoolExecutor(min(threads, len(runs))) as pool:
                try:
                    pending = {
                        pool.submit(run.go, None, cancelled, began, shelf.place(k)) for k, run in enumerate(runs)
                    }
                    while pending:
                        done, pending = wait(pending, timeout=WAIT_SECONDS)
                        for future in done:
                            future.result()
                        shelf.hand_over()
                        if watch is not None:
                            _watch_together(runs, time.perf_counter() - began, watch)
                except BaseException:
                    signals.append(signal.SIGINT)
                    raise
    if signals and not any(run.reason == "interrupted" for run in runs):  # it came when all had just ended
        runs[-1].reason = "interrupted"


@contextmanager
def ctrl_c_noted(signals: list[int]) -> Iterator[None]:
    """Note Ctrl-C instead of raising it. Raised while threads start, it would leave their locks broken."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or handler is not signal.default_int_handler:
        yield  # signals do not come here, or somebody else handles them
        return
    signal.signal(signal.SIGINT, lambda number, _: signals.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _watch_together(runs: Sequence[Run], seconds: float, watch: Watch) -> None:
    seen = [run.epochs[-1].mistakes for run in runs if run.epochs]
    epochs = sum(run.passed() for run in runs) / len(runs)
    watch(Progress(epochs, runs[0].recipe.stops.max_iter, sum(seen) if seen else None, seconds))


def _stacked(runs: Sequence[Run]) -> tuple[Floats, Floats]:
    returned = [run.returned() for run in runs]
    return np.vstack([coef for coef, _ in returned]), np.concatenate([intercept for _, intercept in returned])


def _summary(runs: Sequence[Run], wrong: int, joint: bool) -> Trained:
    """One account of one run, or of several one-vs-rest runs."""
    recipe = runs[0].recipe
    reason = max((run.reason or "interrupted" for run in runs), key=REASONS.index)
    if reason == "mistakes" and wrong and recipe.keep == "average" and all(run.state.clean for run in runs):
        reason = "average-errs"
    epochs = max(len(run.epochs) for run in runs)
    status = describe(reason, recipe.stops, wrong, runs[0].rows.count, epochs, recipe.keep)
    if not joint:
        ended_so = sum(run.reason == reason for run in runs)
        others = f"the last of {count(len(runs), 'one-vs-rest problem')}"
        note = f" ({others} to end)" if ended_so < len(runs) else f" (all {count(len(runs), 'one-vs-rest problem')})"
        status = Status(status + note, reason, wrong, status.rows, epochs)
    coef, intercept = _stacked(runs)
    return Trained(
        coef,
        intercept,
        status,
        _histories(runs, epochs),
        n_visits=sum(run.state.visits for run in runs),
        n_updates=sum(run.state.updates for run in runs),
        n_mistakes=sum(run.state.mistakes for run in runs),
        trace=_traces(runs, joint) if runs[0]._trace is not None else None,
        interrupted=reason == "interrupted",
        mean_loss=runs[0].mean_loss if joint else nan,
    )


def _histories(runs: Sequence[Run], epochs: int) -> History:
    """One entry an epoch: sums over the runs that were still going (the mean, for the loss).

    Objectives are those of all runs, and the judgement of rows held out is the mean of all, ended or not.
    """

    def told(run: Run, place: int, beyond: Literal["edge", "constant"]) -> npt.NDArray[Any]:
        values = np.array([epoch[place] for epoch in run.epochs])
        missing = epochs - len(values)
        return np.pad(values, (0, missing), beyond) if missing else values

    history = {}
    for place, name in enumerate(Epoch._fields):
        lasting = name in LASTING
        history[name] = reduce(np.add, (told(run, place, "edge" if lasting else "constant") for run in runs))
        if name in MEANS:
            going = [lasting | (np.arange(epochs) < len(run.epochs)) for run in runs]
            history[name] = history[name] / np.sum(going, axis=0)
    return {name: values for name, values in history.items() if name not in LASTING or not np.isnan(values).all()}


def _traces(runs: Sequence[Run], joint: bool) -> History:
    """Every move of w in order, with the number of the class whose plane moved where there are several runs."""
    names = ("visit", "row", "rival", "margin", "change", "norm")
    empty = _core.Trace(1).drain()
    trace = {name: np.concatenate([empty[name], *(t[name] for run in runs for t in run.traces)]) for name in names}
    sizes = [sum(len(t["row"]) for t in run.traces) for run in runs]
    if not joint:
        trace["class"] = np.repeat(np.arange(len(runs)), sizes)
    return trace
