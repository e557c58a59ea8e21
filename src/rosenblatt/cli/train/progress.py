"""A bar on the terminal, for what lasts: reading, with its rate and the time left, and training."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from ...tables.read.batches import busy
from .time_left import Forecast

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from ...engine.result import Progress
    from ...tables.read.batches import Source

PATIENCE_SECONDS = 0.5


class Bar:
    """Watches some work: silent for half a second, then a bar, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self.silent = quiet or not sys.stderr.isatty()
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._took: dict[str, str] = {}  # what a finished bar says
        self._began: dict[int, float] = {}  # when each pass did
        self._forecast = Forecast()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def reading(self, source: "Source") -> None:
        """Show how much of a file is read."""
        now = time.perf_counter()
        took = now - self._began.setdefault(source.turn, now)
        rest = self._forecast.reading(source, now, busy())
        if self.silent or self._forecast.seconds < PATIENCE_SECONDS:
            return
        done, size = source.done / 1e6, source.size / 1e6
        left = "" if rest is None else f", {shown(rest)} left"
        turn = f" (pass {source.turn} of {source.turns})" if source.turns > 1 else ""
        text = f"{done:,.0f} MB read{turn}, {self._forecast.rate / 1e6:,.0f} MB/s{left}"
        self._took[f"reading {source.turn}"] = f"{size:,.0f} MB read{turn} in {shown(took)}"
        self._show(f"reading {source.turn}", done, size or None, text)

    def watch(self, progress: "Progress") -> None:
        """Show how far a run is."""
        if self.silent or (self._bars is None and progress.seconds < PATIENCE_SECONDS):
            return
        mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes"
        rest = self._forecast.training(progress)
        left = "" if rest is None else f", {shown(rest)} left"
        if progress.epochs >= progress.max_iter:
            left = f" in {shown(progress.seconds)}"
        epochs = f"{progress.epochs:,.{int(rest is not None)}f} of {progress.max_iter:,} at most"
        self._show("training", progress.epochs, progress.max_iter, f"epoch {epochs}{left}{mistakes}; Ctrl-C stops")

    def _show(self, what: str, done: float, total: float | None, text: str) -> None:
        if self._bars is None:
            self._bars = self._started()
        if what not in self._tasks:
            for past, task in self._tasks.items():  # what they say is over
                self._bars.update(task, total=1, completed=1, description=self._took.get(past, ""))
                self._bars.stop_task(task)
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


def shown(seconds: float) -> str:
    """
    >>> shown(9.44), shown(1234.5)
    ('9.4 s', '1,234 s')
    """
    return f"{seconds:,.{int(seconds < 10)}f} s"
