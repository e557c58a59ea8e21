"""How long reading and training will still take: by what was foreseen, and more and more by what was seen."""

from typing import TYPE_CHECKING

from ...tables.read.batches import MOST_EPOCHS, Foreseen, Taken

if TYPE_CHECKING:
    from ...engine.result import Progress
    from ...tables.read.batches import Source

BELIEVED = 0.1  # of a pass, or of all epochs: what was seen of it by then counts as much as what was foreseen
KNOWN = 0.05  # of all epochs: so much must be seen where nothing was foreseen
UNFORESEEN = Foreseen(Taken(0.0, 0.0), Taken(0.0, 0.0))
UNKNOWN = 0.2  # what training may take, as a share of a pass, where nobody can foresee it


class Forecast:
    """Told of all that is under way, it says how many seconds are left.

    A processor that is busy for longer than was foreseen will be so later, too. A disk that keeps it waiting may not:
    what was read once is often still in memory.

    >>> from types import SimpleNamespace
    >>> foreseen = Foreseen(first=Taken(10.0, 20.0), second=Taken(20.0, 40.0), training=6.0)
    >>> source = SimpleNamespace(size=100, done=0, turn=1, turns=2, foreseen=foreseen)
    >>> forecast = Forecast()
    >>> for now in (0.0, 2.0):  # twice as slow as foreseen
    ...     source.done = int(5 * now)
    ...     left = forecast.reading(source, now, busy=2 * now)
    >>> left
    70.0
    """

    def __init__(self) -> None:
        self._turn = (0, 0)
        self._since = (0.0, 0.0, 0)  # where this pass began to be watched: the time, the processor's, and bytes
        self._busy: dict[int, tuple[float, float]] = {}  # the processor's seconds in each pass, as seen and foreseen
        self._foreseen: Foreseen | None = None
        self.rate = 0.0  # bytes a second
        self.seconds = 0.0  # of this pass

    def reading(self, source: "Source", now: float, busy: float) -> float | None:
        """Of a pass, and where a file is read twice, of all that comes then. `busy` are seconds of the processor."""
        if (source.turn, source.turns) != self._turn:  # another pass, or this turns out to be the first of two
            self._turn, self._since = (source.turn, source.turns), (now, busy, source.done)
        began, idle, start = self._since
        self.seconds, read = now - began, source.done - start
        self.rate = read / self.seconds if self.seconds else 0.0
        if not (read > 0 and self.rate and source.done <= source.size):
            return None
        whole, left = source.size / self.rate, 1 - source.done / source.size
        if source.turns == 1:
            return left * whole
        if source.turn == 1 or self._foreseen is None:
            alike = Taken(whole, (busy - idle) * source.size / read)
            self._foreseen = source.foreseen or Foreseen(alike, alike)
        first, second, before, training, after = self._foreseen
        this = first if source.turn == 1 else second
        self._busy[source.turn] = (busy - idle, this.busy * read / source.size)
        expected = between(self._slower() * this.seconds, whole, read / source.size)
        coming = (second.seconds if source.turn == 1 else 0.0) + before
        coming += (UNKNOWN * second.seconds if training is None else training) + after
        return left * expected + self._slower() * coming

    def training(self, progress: "Progress") -> float | None:
        """Of a run, and of what comes after it; None where nobody knows."""
        _, _, _, training, after = self._foreseen or UNFORESEEN
        after *= self._slower()
        done = min(progress.epochs / progress.max_iter, 1.0)
        known = progress.max_iter <= MOST_EPOCHS and done > 0
        if training is None:
            return (1 - done) / done * progress.seconds + after if known and done > KNOWN else None
        training *= self._slower()
        if not known:
            return max(training - progress.seconds, 0.0) + after
        return (1 - done) * between(training, progress.seconds / done, done) + after

    def _slower(self) -> float:
        """Than was foreseen."""
        seen, foreseen = map(sum, zip(*self._busy.values(), strict=True)) if self._busy else (0.0, 0.0)
        return seen / foreseen if foreseen else 1.0


def between(foreseen: float, seen: float, done: float) -> float:
    """What is foreseen counts less the more is done.

    >>> between(10.0, 20.0, 0.0), between(10.0, 20.0, 0.1), round(between(10.0, 20.0, 1.0), 1)
    (10.0, 15.0, 19.1)
    """
    return (BELIEVED * foreseen + done * seen) / (BELIEVED + done)
