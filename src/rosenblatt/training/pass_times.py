"""How long the passes over a table and its training take: measured times, and estimates for the whole table."""

import os
from typing import NamedTuple

MAX_ESTIMATED_EPOCHS = 100  # with a larger max_iter, training most often ends by another criterion


class PassTime(NamedTuple):
    """The elapsed seconds of a pass, and the processor's seconds in it."""

    seconds: float
    busy: float


def processor_seconds() -> float:
    """Processor time of this process in user mode, so without the system's work such as loading pages."""
    try:
        import resource
    except ImportError:  # Windows, whose own clock is as fine
        return os.times().user
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


class TimeEstimate(NamedTuple):
    """The estimated times for a whole table: both passes, and the seconds of training.

    `before` is the time between the passes and the first epoch, `training` the time of all epochs if it is known, and
    `after` the time after the last epoch.
    """

    first: PassTime
    second: PassTime
    before: float = 0.0
    training: float | None = None
    after: float = 0.0

    def seconds(self) -> float:
        """The sum of all times that are known."""
        return self.first.seconds + self.second.seconds + self.before + (self.training or 0.0) + self.after
