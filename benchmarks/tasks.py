"""A task is one row of the results: the work, the peer that does the same work, and the mark to meet.

`@task(...)` makes a task of the function that prepares both sides. A goal is a mark for several tasks together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import geometric_mean

from benchmarks.timing import Stopwatch


def format_seconds(seconds: float) -> str:
    """
    >>> format_seconds(1.5), format_seconds(0.0123), format_seconds(4.58e-6)
    ('1.5 s', '12.3 ms', '4.58 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def format_megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"


@dataclass(frozen=True)
class Mark:
    """What our measurement must be, given the peer's. An empty `text` means that there is no mark."""

    text: str
    ratio: Callable[[float, float], str]
    met: Callable[[float, float], bool]
    unit: Callable[[float], str] = format_seconds


def faster(times: float) -> Mark:
    """The peer takes at least `times` as long as we do."""
    return Mark(f"{times:g} x", lambda ours, peer: f"{peer / ours:.2f} x", lambda ours, peer: peer >= times * ours)


def smaller(times: float) -> Mark:
    """The peer takes at least `times` as much memory; both sides measure bytes."""
    return Mark(
        f"{times:g} x less",
        lambda ours, peer: f"{peer / ours:.2f} x less",
        lambda ours, peer: peer >= times * ours,
        format_megabytes,
    )


def share(part: float) -> Mark:
    """Our rate is at least this part of the peer's."""
    return Mark(f"{part:.0%}", lambda ours, peer: f"{peer / ours:.0%}", lambda ours, peer: peer >= part * ours)


def within(times: float) -> Mark:
    """We take at most `times` as long as the peer."""
    return Mark(
        f"at most {times:g} x", lambda ours, peer: f"{ours / peer:.2f} x", lambda ours, peer: ours <= times * peer
    )


def under(milliseconds: float) -> Mark:
    """We take less than this; the peer is there for scale, and no ratio is shown."""
    return Mark(f"under {milliseconds:g} ms", lambda ours, peer: "", lambda ours, peer: 1000 * ours < milliseconds)


def compared() -> Mark:
    """No mark: the ratio is shown, or the task counts in a goal."""
    return Mark("", lambda ours, peer: f"{peer / ours:.2f} x", lambda ours, peer: True)


def nothing() -> None:
    """The peer needs no preparation."""


def needs(library: str) -> Callable[[], object]:
    """A `prepare_peer` that imports a library; the task is skipped where it is not installed."""
    return lambda: import_module(library)


@dataclass(frozen=True)
class Pair:
    """Both sides of a task, ready to run.

    `remark` is called after the timing and tells the quality that both sides reached. `prepare_peer` holds what only
    the peer needs, so that our side can be run alone; it is called before the timing.
    """

    ours: Stopwatch
    peer: Stopwatch
    remark: Callable[[], str] = str
    prepare_peer: Callable[[], object] = nothing


@dataclass(frozen=True)
class Task:
    name: str
    work: str
    peer: str
    mark: Mark
    prepare: Callable[[], Pair]


@dataclass(frozen=True)
class Goal:
    """A mark for the geometric mean of several tasks."""

    work: str
    peer: str
    mark: Mark
    tasks: tuple[Task, ...]

    def mean(self, each: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """The geometric mean of the seconds of each side."""
        ours, peer = map(geometric_mean, zip(*each, strict=True))
        return ours, peer


def task(name: str, work: str, peer: str, mark: Mark) -> Callable[[Callable[[], Pair]], Task]:
    """Make a task of a function that prepares the pair; the preparation is not timed."""
    return lambda prepare: Task(name, work, peer, mark, prepare)
