"""A bar on the terminal, for what lasts: reading, with its rate and the time left, and training."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from ..data.batches import Source
    from ..engine import Progress

PATIENCE_SECONDS = 0.5
FORESEEN = 100  # epochs; who allows more ends by something else
SECOND = 1.3  # what reading again, encoding and some epochs take, as a multiple of what reading took
LAST = 0.1  # what the epochs take, as a share of what reading again and encoding takes


class Bar:
    """Watches some work: silent for half a second, then a bar, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self._silent = quiet or not sys.stderr.isatty()
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._began, self._turn = time.perf_counter(), 1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def reading(self, source: "Source") -> None:
        """Show how much of a file is read."""
        if source.turn != self._turn:
            self._began, self._turn = time.perf_counter(), source.turn
        seconds = time.perf_counter() - self._began
        if self._silent or seconds < PATIENCE_SECONDS:
            return
        done, size = source.done / 1e6, source.size / 1e6
        left = f", {time_left(source, seconds):,.0f} s left" if 0 < done <= size else ""
        turn = f" (pass {source.turn} of {source.turns})" if source.turns > 1 else ""
        text = f"{done:,.0f} MB read{turn}, {done / seconds:,.0f} MB/s{left}"
        self._show(f"reading {source.turn}", done, size or None, text)

    def watch(self, progress: "Progress") -> None:
        """Show how far a run is."""
        if self._silent or progress.seconds < PATIENCE_SECONDS:
            return
        mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes"
        known = 0 < progress.epochs <= progress.max_iter <= FORESEEN
        to_go = (progress.max_iter - progress.epochs) / progress.epochs if known else 0.0
        left = f", {progress.seconds * to_go:,.0f} s left" if known else ""
        epochs = (
            f"epoch {progress.epochs:,.{int(known)}f} of {progress.max_iter:,} at most{left}{mistakes}; Ctrl-C stops"
        )
        self._show("training", progress.epochs, progress.max_iter, epochs)

    def _show(self, what: str, done: float, total: float | None, text: str) -> None:
        if self._bars is None:
            self._bars = self._started()
        if what not in self._tasks:
            self._tasks[what] = self._bars.add_task("", total=total)
        self._bars.update(self._tasks[what], completed=done, total=total, description=text)

    def _started(self) -> "Bars":
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        columns = (BarColumn(12), TimeElapsedColumn(), TextColumn("{task.description}"))
        bars = Bars(*columns, console=Console(stderr=True), transient=True)
        bars.start()
        return bars


def time_left(source: "Source", seconds: float) -> float:
    """Of reading, after some seconds of it; where a file is read twice, of all that is to come."""
    whole = seconds * source.size / source.done
    after = 0.0 if source.turns == 1 else LAST if source.turn == source.turns else SECOND
    return whole - seconds + after * whole
