"""The time that reading and training will still take: first as estimated, then more and more as measured."""

from typing import TYPE_CHECKING

from ...training.pass_times import MAX_ESTIMATED_EPOCHS, PassTime, TimeEstimate

if TYPE_CHECKING:
    from ...engine.result import Progress
    from ...tables.read.batches import Source

ESTIMATE_WEIGHT = 0.1  # share of a pass, or of all epochs, after which the measurement counts as much as the estimate
MIN_MEASURED_SHARE = 0.05  # share of all epochs that must be measured if there is no estimate
DEFAULT_TRAINING_SHARE = 0.2  # training time as a share of a pass if it cannot be estimated
NO_ESTIMATE = TimeEstimate(PassTime(0.0, 0.0), PassTime(0.0, 0.0))


class Forecast:
    """Computes the seconds left from the progress of reading and training.

    A processor that is slower than estimated stays so: what is still to come is scaled by the same factor. Waiting for
    the disk is not scaled: the second pass often finds in memory what the first one read.

    >>> from types import SimpleNamespace
    >>> estimate = TimeEstimate(first=PassTime(10.0, 20.0), second=PassTime(20.0, 40.0), training=6.0)
    >>> source = SimpleNamespace(size=100, done=0, pass_number=1, passes=2, time_estimate=estimate)
    >>> forecast = Forecast()
    >>> for now in (0.0, 2.0):  # twice as slow as estimated
    ...     source.done = int(5 * now)
    ...     left = forecast.reading_left(source, now, busy=2 * now)
    >>> left
    70.0
    """

    def __init__(self) -> None:
        self._pass = (0, 0)
        self._start = (0.0, 0.0, 0)  # where the measurement of this pass began: time, processor time, bytes
        self._busy: dict[int, tuple[float, float]] = {}  # processor seconds of each pass: measured, estimated
        self._estimate: TimeEstimate | None = None
        self.rate = 0.0  # bytes per second
        self.seconds = 0.0  # of this pass

    def reading_left(self, source: "Source", now: float, busy: float) -> float | None:
        """Return the seconds left while a table is read. `busy` is the processor time used so far.

        For a table that is read twice this includes the second pass and training.
        """
        if (source.pass_number, source.passes) != self._pass:  # another pass, or this turns out to be the first of two
            self._pass, self._start = (source.pass_number, source.passes), (now, busy, source.done)
        start_time, start_busy, start_bytes = self._start
        self.seconds, read = now - start_time, source.done - start_bytes
        self.rate = read / self.seconds if self.seconds else 0.0
        if not (read > 0 and self.rate and source.done <= source.size):
            return None
        whole, left = source.size / self.rate, 1 - source.done / source.size
        if source.passes == 1:
            return left * whole
        if source.pass_number == 1 or self._estimate is None:
            alike = PassTime(whole, (busy - start_busy) * source.size / read)
            self._estimate = source.time_estimate or TimeEstimate(alike, alike)
        first, second, before, training, after = self._estimate
        this = first if source.pass_number == 1 else second
        self._busy[source.pass_number] = (busy - start_busy, this.busy * read / source.size)
        expected = blend(self._slowdown() * this.seconds, whole, read / source.size)
        coming = (second.seconds if source.pass_number == 1 else 0.0) + before
        coming += (DEFAULT_TRAINING_SHARE * second.seconds if training is None else training) + after
        return left * expected + self._slowdown() * coming

    def training_left(self, progress: "Progress") -> float | None:
        """Return the seconds left of training and of what follows it, or None if they cannot be known."""
        _, _, _, training, after = self._estimate or NO_ESTIMATE
        after *= self._slowdown()
        done = min(progress.epochs / progress.max_iter, 1.0)
        measurable = progress.max_iter <= MAX_ESTIMATED_EPOCHS and done > 0
        if training is None:
            known = measurable and done > MIN_MEASURED_SHARE
            return (1 - done) / done * progress.seconds + after if known else None
        training *= self._slowdown()
        if not measurable:
            return max(training - progress.seconds, 0.0) + after
        return (1 - done) * blend(training, progress.seconds / done, done) + after

    def _slowdown(self) -> float:
        """Return the measured processor time as a multiple of the estimate."""
        measured, estimated = map(sum, zip(*self._busy.values(), strict=True)) if self._busy else (0.0, 0.0)
        return measured / estimated if estimated else 1.0


def blend(estimate: float, measured: float, done: float) -> float:
    """Return a mean in which the estimate counts less the more is done.

    >>> blend(10.0, 20.0, 0.0), blend(10.0, 20.0, 0.1), round(blend(10.0, 20.0, 1.0), 1)
    (10.0, 15.0, 19.1)
    """
    return (ESTIMATE_WEIGHT * estimate + done * measured) / (ESTIMATE_WEIGHT + done)
