"""Time limits: long computations check the clock between steps."""

import time


class OutOfTime(Exception):
    """The time limit has passed."""


class Clock:
    """A countdown from a limit in seconds; None means no limit.

    >>> Clock(None).seconds_left()
    inf
    >>> Clock(0).check()
    Traceback (most recent call last):
        ...
    rosenblatt.prove.time_limit.OutOfTime
    """

    def __init__(self, limit: float | None) -> None:
        self._end = float("inf") if limit is None else time.monotonic() + limit

    def seconds_left(self) -> float:
        """The seconds that remain, at least 0."""
        return max(0.0, self._end - time.monotonic())

    def at_most(self, seconds: float) -> "Clock":
        """A clock that ends after so many seconds, and no later than this one."""
        return Clock(min(seconds, self.seconds_left()))

    def check(self) -> None:
        """Raise OutOfTime if no time remains."""
        if self.seconds_left() == 0.0:
            raise OutOfTime
