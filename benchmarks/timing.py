"""Two pieces of work timed in turn, in one process.

Both sides meet the same moods of the machine, and the best run of each is the least disturbed one.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

Stopwatch = Callable[[], float]  # does the work once and returns its seconds

LONG, LONGEST = 1.0, 10.0  # seconds; a work that takes more is run fewer times, and its first run counts
PAUSE = 0.5  # seconds before each run: threads of the side before may still be spinning in wait for more work


@dataclass(frozen=True)
class Rounds:
    """How often each side runs."""

    short: int = 15
    long: int = 5
    longest: int = 2

    def of(self, seconds: float) -> int:
        """The runs of a work that takes so long."""
        return self.short if seconds <= LONG else self.long if seconds <= LONGEST else self.longest


FULL = Rounds()
QUICK = Rounds(short=3, long=1, longest=1)


def stopwatch(work: Callable[[], object], calls: int = 1) -> Stopwatch:
    """The seconds of one call of `work`, over `calls` calls in a row where one is too short to time."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - start) / calls

    return seconds


def rested(work: Stopwatch) -> float:
    """The seconds of one run, after a pause."""
    time.sleep(PAUSE)
    return work()


def best_of_both(ours: Stopwatch, peer: Stopwatch, rounds: Rounds = FULL) -> tuple[float, float]:
    """The best seconds of each side, in alternation, without garbage collection."""
    gc.collect()
    gc.disable()
    try:
        first = rested(ours), rested(peer)
        runs = [first] if max(first) > LONG else []  # a short work is warmed up first
        while len(runs) < rounds.of(max(first)):
            runs.append((rested(ours), rested(peer)))
    finally:
        gc.enable()
    return min(run[0] for run in runs), min(run[1] for run in runs)
