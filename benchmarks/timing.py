"""Timing of two sides in turn, in one process.

Alternating exposes both sides to the same disturbances of the machine; the best run of a side is the least disturbed.
"""

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass

Stopwatch = Callable[[], float]  # does the work once and returns its seconds

LONG, LONGEST = 1.0, 10.0  # seconds; longer work runs fewer times, and its first run counts
PAUSE = 0.25  # seconds before each run: threads of the other side may still be spinning, Intel's for 0.2 s


@dataclass(frozen=True)
class Rounds:
    """How many times each side runs."""

    short: int = 15
    long: int = 5
    longest: int = 2
    enough: float = 20.0  # seconds of work after which a third of the runs suffices

    def of(self, seconds: float) -> int:
        """The number of runs for work that takes this long."""
        return self.short if seconds <= LONG else self.long if seconds <= LONGEST else self.longest

    def suffice(self, runs: list[tuple[float, float]], seconds: float) -> bool:
        """Whether these runs of both sides are enough, where the first took this long."""
        wanted = self.of(seconds)
        return len(runs) >= wanted or (sum(map(sum, runs)) > self.enough and 3 * len(runs) >= wanted)

    def __str__(self) -> str:
        often = f"best of {self.short}; of {self.long} above {LONG:g} s, of {self.longest} above {LONGEST:g} s"
        return f"{often}; of a third of that after {self.enough:g} s"


FULL = Rounds()
QUICK = Rounds(short=3, long=1, longest=1)


def stopwatch(work: Callable[[], object], calls: int = 1) -> Stopwatch:
    """Time one call of `work`: the mean over `calls` calls in a row, for work too short to time alone."""

    def seconds() -> float:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return (time.perf_counter() - start) / calls

    return seconds


def run_after_pause(work: Stopwatch) -> float:
    time.sleep(PAUSE)
    return work()


def best_of_both(ours: Stopwatch, peer: Stopwatch, rounds: Rounds = FULL) -> tuple[float, float]:
    """The best seconds of each side. The sides alternate, and garbage collection is off."""
    gc.collect()
    gc.disable()
    try:
        first = run_after_pause(ours), run_after_pause(peer)
        runs = [first] if max(first) > LONG else []  # the first run of short work is a warm-up
        while not rounds.suffice(runs, max(first)):
            runs.append((run_after_pause(ours), run_after_pause(peer)))
    finally:
        gc.enable()
    return min(run[0] for run in runs), min(run[1] for run in runs)
