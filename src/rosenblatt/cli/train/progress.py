"""A progress bar on the terminal: reading, with its rate and the time left, then training."""

import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ...training.pass_times import processor_seconds
from .time_left import Forecast

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from ...engine.result import Progress
    from ...solvers.tuning.search import SearchProgress
    from ...tables.read.batches import Source

QUIET_SECONDS = 0.5  # shorter work gets no bar
MIN_WIDTH_FOR_BAR = 100  # columns of the terminal


class ProgressBar:
    """Shows progress on a terminal after half a second. Elsewhere it shows nothing."""

    def __init__(self, quiet: bool) -> None:
        self.silent = quiet or not sys.stderr.isatty()
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._final_texts: dict[str, str] = {}  # what a bar shows when its work is done
        self._pass_starts: dict[int, float] = {}
        self._forecast = Forecast()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def show_reading(self, source: "Source") -> None:
        """Show how much of a table is read."""
        now = time.perf_counter()
        elapsed = now - self._pass_starts.setdefault(source.pass_number, now)
        seconds_left = self._forecast.reading_left(source, now, processor_seconds())
        if self.silent or self._forecast.seconds < QUIET_SECONDS:
            return
        done, size = source.done / 1e6, source.size / 1e6
        left = "" if seconds_left is None else f", {format_seconds(seconds_left)} left"
        which = f" (pass {source.pass_number} of {source.passes})" if source.passes > 1 else ""
        text = f"{done:,.0f} MB read{which}, {self._forecast.rate / 1e6:,.0f} MB/s{left}"
        self._final_texts[f"reading {source.pass_number}"] = f"{size:,.0f} MB read{which} in {format_seconds(elapsed)}"
        self._show(f"reading {source.pass_number}", done, size or None, text)

    def show_training(self, progress: "Progress") -> None:
        """Show how far training is."""
        if self.silent or (self._bars is None and progress.seconds < QUIET_SECONDS):
            return
        mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes"
        seconds_left = self._forecast.training_left(progress)
        left = "" if seconds_left is None else f", {format_seconds(seconds_left)} left"
        if progress.epochs >= progress.max_iter:
            left = f" in {format_seconds(progress.seconds)}"
        epochs = f"{progress.epochs:,.{int(seconds_left is not None)}f} of {progress.max_iter:,} at most"
        self._show("training", progress.epochs, progress.max_iter, f"epoch {epochs}{left}{mistakes}; Ctrl-C stops")

    def show_search(self, progress: "SearchProgress") -> None:
        """Show how far the search for parameters is."""
        if self.silent or (self._bars is None and progress.seconds < QUIET_SECONDS):
            return
        least = "" if progress.least == math.inf else f", least mean loss {progress.least:.4f}"
        text = f"tuning: {progress.done:,} of at most {progress.total:,} trainings{least}; Ctrl-C takes the best so far"
        self._show("tuning", progress.done, progress.total, text)

    def _show(self, what: str, done: float, total: float | None, text: str) -> None:
        if self._bars is None:
            self._bars = self._start_bars()
        if what not in self._tasks:
            for past, task in self._tasks.items():
                self._bars.update(task, total=1, completed=1, description=self._final_texts.get(past, ""))
                self._bars.stop_task(task)
            self._tasks[what] = self._bars.add_task("", total=total)
        self._bars.update(self._tasks[what], completed=done, total=total, description=text)

    def _start_bars(self) -> "Bars":
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        console = Console(stderr=True)
        bar = [BarColumn(12)] if console.width >= MIN_WIDTH_FOR_BAR else []  # the words come first
        bars = Bars(*bar, TimeElapsedColumn(), TextColumn("{task.description}"), console=console, transient=True)
        bars.start()
        return bars


def format_seconds(seconds: float) -> str:
    """
    >>> format_seconds(9.44), format_seconds(1234.5)
    ('9.4 s', '1,234 s')
    """
    return f"{seconds:,.{int(seconds < 10)}f} s"
