"""A bar on the terminal, for runs that last."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from ..engine import Progress

PATIENCE_SECONDS = 0.5


class Bar:
    """Watches a run: silent for half a second, then a bar, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self._silent = quiet or not sys.stderr.isatty()
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def watch(self, progress: "Progress") -> None:
        """Show how far a run is."""
        if self._silent or progress.seconds < PATIENCE_SECONDS:
            return
        if self._bars is None:
            self._start(progress.max_iter)
        assert self._bars is not None
        assert self._task is not None
        mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes"
        epochs = f"epoch {progress.epochs:,.0f} of {progress.max_iter:,} at most{mistakes}; Ctrl-C stops"
        self._bars.update(self._task, completed=progress.epochs, description=epochs)

    def _start(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        columns = (BarColumn(12), TimeElapsedColumn(), TextColumn("{task.description}"))
        self._bars = Bars(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bars.add_task("", total=total)
        self._bars.start()
