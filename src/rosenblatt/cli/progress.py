"""A bar on the terminal, for what lasts: reading, with its rate and the time left, and training."""

import sys
import time
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID

    from ..data.batches import Source
    from ..engine import Progress

PATIENCE_SECONDS = 0.5
FORESEEN = 100  # epochs; who allows more ends by something else
BEGINNING = 0.05  # of the epochs, which tells little about the others
UNKNOWN = 0.2  # what training may take, as a share of a pass, where nobody can foresee it


class Bar:
    """Watches some work: silent for half a second, then a bar, on a terminal only."""

    def __init__(self, quiet: bool) -> None:
        self.silent = quiet or not sys.stderr.isatty()
        self._bars: Bars | None = None
        self._tasks: dict[str, TaskID] = {}
        self._took: dict[str, str] = {}  # what a finished bar says
        self._began: dict[int, float] = {}  # when each pass did
        self._turn, self._pace = (0, 0), Pace()
        self._training: float | None = None  # seconds of it that are foreseen

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def reading(self, source: "Source") -> None:
        """Show how much of a file is read."""
        if (source.turn, source.turns) != self._turn:  # another pass, or this turns out to be the first of two
            self._pace, self._turn = Pace(), (source.turn, source.turns)
        self._training = source.foreseen and source.foreseen.training
        now = time.perf_counter()
        took, rate = now - self._began.setdefault(source.turn, now), self._pace.rate(now, source.done)
        if self.silent or self._pace.seconds < PATIENCE_SECONDS:
            return
        done, size = source.done / 1e6, source.size / 1e6
        left = f", {shown(time_left(source, rate))} left" if 0 < done <= size and rate else ""
        turn = f" (pass {source.turn} of {source.turns})" if source.turns > 1 else ""
        text = f"{done:,.0f} MB read{turn}, {rate / 1e6:,.0f} MB/s{left}"
        self._took[f"reading {source.turn}"] = f"{size:,.0f} MB read{turn} in {shown(took)}"
        self._show(f"reading {source.turn}", done, size or None, text)

    def watch(self, progress: "Progress") -> None:
        """Show how far a run is."""
        if self.silent or (self._bars is None and progress.seconds < PATIENCE_SECONDS):
            return
        mistakes = "" if progress.mistakes is None else f", {progress.mistakes:,.0f} mistakes"
        known = BEGINNING * progress.max_iter < progress.epochs <= progress.max_iter <= FORESEEN
        rest = None if self._training is None else max(self._training - progress.seconds, 0.0)
        if known:
            rest = progress.seconds * (progress.max_iter - progress.epochs) / progress.epochs
        left = "" if rest is None else f", {shown(rest)} left"
        if progress.epochs >= progress.max_iter:
            left = f" in {shown(progress.seconds)}"
        epochs = (
            f"epoch {progress.epochs:,.{int(known)}f} of {progress.max_iter:,} at most{left}{mistakes}; Ctrl-C stops"
        )
        self._show("training", progress.epochs, progress.max_iter, epochs)

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


class Pace:
    """How fast something grows: over the later half of the time, for what began it is different.

    >>> pace = Pace()
    >>> [pace.rate(now, done) for now, done in ((0.0, 0), (1.0, 1), (2.0, 11), (4.0, 31))]
    [0.0, 1.0, 10.0, 10.0]
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()
        self._began: float | None = None
        self.seconds = 0.0

    def rate(self, now: float, done: int) -> float:
        """A second, up to now."""
        self._began = now if self._began is None else self._began
        self.seconds = now - self._began
        self._seen.append((now, done))
        while len(self._seen) > 2 and self._seen[1][0] <= (self._began + now) / 2:
            self._seen.popleft()
        then, before = self._seen[0]
        return (done - before) / (now - then) if now > then else 0.0


def shown(seconds: float) -> str:
    """
    >>> shown(9.44), shown(1234.5)
    ('9.4 s', '1,234 s')
    """
    return f"{seconds:,.{int(seconds < 10)}f} s"


def time_left(source: "Source", rate: float) -> float:
    """Of reading so many bytes a second; where a file is read twice, of all that is to come.

    What was tried counts for a second pass until it has shown its own pace: it counts for more the further it is.
    """
    whole, done = source.size / rate, source.done / source.size
    if source.turns == 1:
        return (1 - done) * whole
    second, training = source.foreseen or (whole, None)
    after = UNKNOWN * whole if training is None else training
    if source.turn < source.turns:
        return (1 - done) * whole + second + after
    return (1 - done) * (done * whole + (1 - done) * second) + after
