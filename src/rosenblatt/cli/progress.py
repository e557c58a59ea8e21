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


class Bar:
    """Watches some work: silent for half a second, then a bar, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self._silent = quiet or not sys.stderr.isatty()
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._began = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def reading(self, source: "Source") -> None:
        """Show how much of a file is read."""
        seconds = time.perf_counter() - self._began
        if self._silent or seconds < PATIENCE_SECONDS:
            return
        done, size = source.done / 1e6, source.size / 1e6
        left = f", {seconds * (size - done) / done:,.0f} s left" if 0 < done <= size else ""
        self._show("reading", done, size or None, f"{done:,.0f} MB read, {done / seconds:,.0f} MB/s{left}")

    def watch(self, progress: "Progress") -> None:
        """Show how far a run is."""
        if self._silent or progress.seconds < PATIENCE_SECONDS:
            return
        mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes"
        epochs = f"epoch {progress.epochs:,.0f} of {progress.max_iter:,} at most{mistakes}; Ctrl-C stops"
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
