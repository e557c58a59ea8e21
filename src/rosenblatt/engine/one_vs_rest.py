"""Several runs, one after the other or side by side in threads, and their results as one."""

import signal
import time
from collections.abc import Sequence
from functools import partial
from math import nan

import numpy as np

from ..foundation.phrases import count
from ..foundation.types import Floats
from ..parts.stops import INSEPARABLE, REASONS, Status, describe
from .history import columns_of, join_histories, join_traces
from .interrupts import defer_ctrl_c
from .result import Progress, TrainingResult, Watch
from .resume import Bookmark, SharedBookmark, Tree
from .run import Run
from .side_by_side import call_side_by_side


def run_all(runs: Sequence[Run], threads: int, watch: Watch | None, began: float | None, bookmark: Bookmark) -> None:
    """Run from the beginning, or from where an earlier call stopped."""
    saved, now = bookmark.take(), time.perf_counter()
    began = now if began is None else began
    trees: list[Tree | None] = [None] * len(runs) if saved is None else saved["runs"]
    if saved is not None:
        began -= saved["seconds"]
    for run, tree in zip(runs, trees, strict=True):
        if tree is not None:
            run.restore(tree)
    shared = SharedBookmark(
        bookmark, runs, trees, lambda: {"seconds": time.perf_counter() - began}, side_by_side=threads > 1
    )
    if len(runs) == 1:
        runs[0].go(watch, began=began, bookmark=shared.bookmark_of(0))
    else:
        _run_several(runs, threads, watch, began, shared)


def _run_several(runs: Sequence[Run], threads: int, watch: Watch | None, began: float, shared: SharedBookmark) -> None:
    """As many runs at a time as there are threads. Ctrl-C ends all of them."""
    signals: list[int] = []
    with defer_ctrl_c(signals):
        if threads == 1:
            for k, run in enumerate(runs):
                run.go(watch, lambda: bool(signals), began, shared.bookmark_of(k))
                if run.reason == "interrupted":
                    signals.append(signal.SIGINT)
        else:
            _run_in_threads(runs, threads, watch, began, shared, signals)
    if signals and not any(run.reason == "interrupted" for run in runs):  # it came when all runs had just ended
        runs[-1].reason = "interrupted"


def _run_in_threads(
    runs: Sequence[Run],
    threads: int,
    watch: Watch | None,
    began: float,
    shared: SharedBookmark,
    signals: list[int],
) -> None:
    """Run side by side until all have ended. Each ends early once there are signals."""

    def cancelled() -> bool:
        return bool(signals)

    def stop() -> None:
        signals.append(signal.SIGINT)

    def pause() -> None:
        shared.write_if_all_are_fresh()
        if watch is not None:
            try:
                watch(_joint_progress(runs, time.perf_counter() - began))
            except KeyboardInterrupt:
                stop()

    calls = [partial(run.go, None, cancelled, began, shared.bookmark_of(k)) for k, run in enumerate(runs)]
    call_side_by_side(calls, threads, pause, stop)


def _joint_progress(runs: Sequence[Run], seconds: float) -> Progress:
    seen = [run.epochs[-1].mistakes for run in runs if run.epochs]
    epochs = sum(run.epochs_done() for run in runs) / len(runs)
    return Progress(epochs, runs[0].recipe.stops.max_iter, sum(seen) if seen else None, seconds)


def stack_weights(runs: Sequence[Run]) -> tuple[Floats, Floats]:
    """The planes of all runs, one after the other."""
    weights = [run.returned_weights() for run in runs]
    return np.vstack([coef for coef, _ in weights]), np.concatenate([intercept for _, intercept in weights])


def result_of(runs: Sequence[Run], mistakes: int) -> TrainingResult:
    """One result of one run, or of several one-vs-rest runs; `mistakes` are those of all planes together."""
    coef, intercept = stack_weights(runs)
    reason = _reason(runs, mistakes)
    return TrainingResult(
        coef,
        intercept,
        _status(runs, reason, mistakes),
        join_histories([columns_of(run.epochs) for run in runs]),
        n_visits=sum(run.state.visits for run in runs),
        n_updates=sum(run.state.updates for run in runs),
        n_mistakes=sum(run.state.mistakes for run in runs),
        trace=join_traces([run.learner.traces for run in runs]) if runs[0].learner.is_traced else None,
        warm=runs[0].learner.is_warm,
        interrupted=reason == "interrupted",
        mean_loss=runs[0].mean_loss if len(runs) == 1 else nan,
    )


def _reason(runs: Sequence[Run], mistakes: int) -> str:
    """The least final ending of all runs."""
    reason = max((run.reason or "interrupted" for run in runs), key=REASONS.index)
    averaged = runs[0].recipe.keep == "average"
    if reason == "mistakes" and mistakes and averaged and all(run.state.clean for run in runs):
        return "average-errs"
    return reason


def _status(runs: Sequence[Run], reason: str, mistakes: int) -> Status:
    recipe, epochs = runs[0].recipe, max(len(run.epochs) for run in runs)
    status = describe(reason, recipe.stops, mistakes, runs[0].learner.count, epochs, recipe.keep)
    if len(runs) == 1:
        return status
    if reason == "overlap":
        proved = sum(run.reason == reason for run in runs)
        sentence = status.replace(INSEPARABLE, f"{proved} of {len(runs)} classes cannot be separated from the rest")
        return Status(sentence, reason, mistakes, status.rows, epochs)
    several = count(len(runs), "one-vs-rest problem")
    all_ended_so = all(run.reason == reason for run in runs)
    note = f" (all {several})" if all_ended_so else f" (the last of {several} to end)"
    return Status(status + note, reason, mistakes, status.rows, epochs)
