"""Time limits: work that may be long asks the clock now and then."""

import time


class OutOfTime(Exception):
    """The time limit has passed."""


class Clock:
    """Counts down from a limit in seconds; None never ends.

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
        """Seconds that remain."""
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise OutOfTime if none remain."""
        if self.seconds_left() == 0.0:
            raise OutOfTime
