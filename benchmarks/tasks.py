"""A task: a work, the peer that does it too, and what we must reach. One function each, made a task by `task`.

A goal is what several tasks must reach together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean

from benchmarks.timing import Stopwatch


def in_words(seconds: float) -> str:
    """Seconds in the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


@dataclass(frozen=True)
class Target:
    """What our seconds must be, given the peer's."""

    text: str
    measured: Callable[[float, float], str]
    reached: Callable[[float, float], bool]
    words: Callable[[float], str] = in_words


def faster(times: float) -> Target:
    """The peer takes at least `times` as long as we do."""
    return Target(f"{times:g} x", lambda ours, peer: f"{peer / ours:.2f} x", lambda ours, peer: peer >= times * ours)


def smaller(times: float) -> Target:
    """The peer takes at least `times` as much memory; both sides measure bytes."""
    return Target(
        f"{times:g} x less",
        lambda ours, peer: f"{peer / ours:.2f} x less",
        lambda ours, peer: peer >= times * ours,
        lambda size: f"{size / 1e6:,.0f} MB",
    )


def share(part: float) -> Target:
    """Our rate is at least this part of the peer's."""
    return Target(f"{part:.0%}", lambda ours, peer: f"{peer / ours:.0%}", lambda ours, peer: peer >= part * ours)


def within(times: float) -> Target:
    """We take at most `times` as long as the peer."""
    return Target(
        f"at most {times:g} x", lambda ours, peer: f"{ours / peer:.2f} x", lambda ours, peer: ours <= times * peer
    )


def under(milliseconds: float) -> Target:
    """We take less than this, whatever the peer takes."""
    return Target(
        f"under {milliseconds:g} ms",
        lambda ours, peer: f"{1000 * ours:.1f} ms",
        lambda ours, peer: 1000 * ours < milliseconds,
    )


def compared() -> Target:
    """Nothing to reach by itself: the task is part of a goal."""
    return Target("", lambda ours, peer: f"{peer / ours:.2f} x", lambda ours, peer: True)


@dataclass(frozen=True)
class Pair:
    """Both sides of a task, ready to run; the remark, asked for afterwards, tells the quality both reached."""

    ours: Stopwatch
    peer: Stopwatch
    remark: Callable[[], str] = str


@dataclass(frozen=True)
class Task:
    name: str
    work: str
    peer: str
    target: Target
    prepare: Callable[[], Pair]


@dataclass(frozen=True)
class Goal:
    """What tasks must reach on the geometric mean."""

    work: str
    peer: str
    target: Target
    tasks: tuple[Task, ...]

    def seconds(self, each: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """The mean seconds of both sides."""
        ours, peer = map(geometric_mean, zip(*each, strict=True))
        return ours, peer


def task(name: str, work: str, peer: str, target: Target) -> Callable[[Callable[[], Pair]], Task]:
    """Make a task of a function that prepares the pair; preparing is not timed."""
    return lambda prepare: Task(name, work, peer, target, prepare)
