"""How long reading and training will still take: by what was foreseen, and more and more by what was seen."""

from typing import TYPE_CHECKING

from ..data.batches import MOST_EPOCHS, Foreseen

if TYPE_CHECKING:
    from ..data.batches import Source
    from ..engine import Progress

BELIEVED = 0.1  # of a pass, or of all epochs: what was seen of it by then counts as much as what was foreseen
KNOWN = 0.05  # of all epochs: so much must be seen where nothing was foreseen
UNKNOWN = 0.2  # what training may take, as a share of a pass, where nobody can foresee it


class Forecast:
    """Told of all that is under way, it says how many seconds are left.

    A processor that is busy for longer than was foreseen will be so later, too. A disk that keeps it waiting may not:
    what was read once is often still in memory.

    >>> from types import SimpleNamespace
    >>> source = SimpleNamespace(size=100, done=0, turn=1, turns=2, foreseen=Foreseen(10.0, 10.0, 20.0, 6.0))
    >>> forecast = Forecast()
    >>> for now in (0.0, 2.0):  # twice as slow as foreseen
    ...     source.done = int(5 * now)
    ...     left = forecast.reading(source, now, busy=now)
    >>> left
    70.0
    """

    def __init__(self) -> None:
        self._turn = (0, 0)
        self._since = (0.0, 0.0, 0)  # where this pass began to be watched: the time, the processor's, and bytes
        self._slower = 1.0  # than was foreseen
        self._foreseen: Foreseen | None = None
        self.rate = 0.0  # bytes a second
        self.seconds = 0.0  # of this pass

    def reading(self, source: "Source", now: float, busy: float) -> float | None:
        """Of a pass, and where a file is read twice, of all that comes then. `busy` are seconds of the processor."""
        if (source.turn, source.turns) != self._turn:  # another pass, or this turns out to be the first of two
            self._turn, self._since = (source.turn, source.turns), (now, busy, source.done)
        began, idle, before = self._since
        self.seconds, read = now - began, source.done - before
        self.rate = read / self.seconds if self.seconds else 0.0
        if not (read > 0 and self.rate and source.done <= source.size):
            return None
        whole, left = source.size / self.rate, 1 - source.done / source.size
        if source.turns == 1:
            return left * whole
        if source.turn == 1 or self._foreseen is None:
            effort = (busy - idle) * source.size / read
            self._foreseen = source.foreseen or Foreseen(effort, whole, whole, None)
            self._slower = effort / self._foreseen.busy if self._foreseen.busy else 1.0
        _, first, second, training, after = self._foreseen
        coming = (second if source.turn == 1 else 0.0) + (UNKNOWN * second if training is None else training) + after
        expected = self._slower * (first if source.turn == 1 else second)
        return left * between(expected, whole, read / source.size) + self._slower * coming

    def training(self, progress: "Progress") -> float | None:
        """Of a run, and of what comes after it; None where nobody knows."""
        foreseen = self._foreseen and self._foreseen.training
        done = min(progress.epochs / progress.max_iter, 1.0)
        known = progress.max_iter <= MOST_EPOCHS and done > 0
        after = self._slower * self._foreseen.after if self._foreseen else 0.0
        if foreseen is None:
            return (1 - done) / done * progress.seconds + after if known and done > KNOWN else None
        foreseen *= self._slower
        if not known:
            return max(foreseen - progress.seconds, 0.0) + after
        return (1 - done) * between(foreseen, progress.seconds / done, done) + after


def between(foreseen: float, seen: float, done: float) -> float:
    """What is foreseen counts less the more is done.

    >>> between(10.0, 20.0, 0.0), between(10.0, 20.0, 0.1), round(between(10.0, 20.0, 1.0), 1)
    (10.0, 15.0, 19.1)
    """
    return (BELIEVED * foreseen + done * seen) / (BELIEVED + done)
