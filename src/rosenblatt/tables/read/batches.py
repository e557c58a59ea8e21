"""What all sources give: batches of rows as Arrow tables, each of which can say where in its file a row stands."""

import resource
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import get_ident
from typing import Any, NamedTuple, TypeVar

from ...foundation.errors import InputError

# How a column is to be read. Files whose columns have a type of their own only use what does not fit it.
NUMBER, CATEGORY, TEXT, DATE, NUMBERED = "number", "category", "text", "date", "numbered"
RAW = "raw"  # texts as they are written, however they look
Reading = Mapping[str, str]

MAX_THREADS = 8  # threads that read; each has some 20 MB of a file under way

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Batch:
    """Some rows: an Arrow table, the file they are from, and the place in it of a row counted from 0."""

    table: Any
    path: str
    place: Callable[[int], str]

    def where(self, row: int) -> str:
        """
        >>> Batch(None, "flowers.csv", lambda row: f"line {row + 2}").where(0)
        'flowers.csv, line 2'
        """
        return f"{self.path}, {self.place(row)}"


MOST_EPOCHS = 100  # that are foreseen: who allows more ends by something else


class PassTime(NamedTuple):
    """Seconds, and those of the processor."""

    seconds: float
    busy: float


def busy() -> float:
    """Seconds of the processor on this program; what the system does for it, as bringing pages, is apart."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


class TimeEstimate(NamedTuple):
    """What all rows of a table would take if they were like the first: both passes, and in seconds what comes before
    the first epoch, all epochs if that is known, and what comes after the last.
    """

    first: PassTime
    second: PassTime
    before: float = 0.0
    training: float | None = None
    after: float = 0.0

    def seconds(self) -> float:
        """Of all that is known."""
        return self.first.seconds + self.second.seconds + self.before + (self.training or 0.0) + self.after


class Source(ABC):
    """A table somewhere. `size` and `done` are its bytes on the disk, all and those read so far, as far as known."""

    path: str
    names: list[str]
    rereadable = True  # whether it can be read more than once
    target: str | None = None  # the column to predict, where the kind of file says which
    in_memory = False  # whether the whole table is in memory already
    size: int = 0
    done: int = 0
    turn: int = 1  # which time it is being read
    turns: int = 1  # and how often it will be
    block_index: Any = None  # where blocks of rows begin, known after the first read
    time_estimate: TimeEstimate | None = None  # how long that takes, where it was tried

    @property
    def files(self) -> list[str]:
        """Those that it is read from."""
        return [self.path] if self.rereadable else []

    @abstractmethod
    def sample(self) -> Batch:
        """The first rows, each column of the type that it shows."""

    @abstractmethod
    def batches(self, reading: Reading) -> Iterator[Batch]:
        """The columns named, in bounded batches. Can be called again, but for standard input."""

    def batches_as_written(self, reading: Reading, names: Sequence[str]) -> Iterator[tuple[Batch, Any]]:
        """Yield the same batches, each with a table of the columns `names` as they are written."""
        for batch in self.batches({**dict.fromkeys(names, RAW), **reading}):
            yield batch, batch.table.select(names)

    def read_all(self, reading: Reading, tell: Callable[["Source"], None] | None = None) -> list[Batch]:
        """All batches, at least one row among them; `tell` is called after each."""
        found = []
        for batch in self.batches(reading):
            if batch.table.num_rows:
                found.append(batch)
            if tell is not None:
                tell(self)
        if not found:
            raise InputError(f"{self.path} names columns but has no rows.")
        return found


def check_column_names(path: str, names: Sequence[str], place: str = "") -> list[str]:
    """The columns' names; one without a name is left out later, one that is there twice is refused."""
    for name, times in Counter(filter(None, names)).items():
        if times > 1:
            raise InputError(f"{path}{place} names the column {name!r} twice: rename one of them.")
    if not any(names):
        raise InputError(f"{path} is empty; its first line must name the columns.")
    return list(names)


def map_in_parallel(make: Callable[[Item], Result], given: Iterable[Item], threads: int) -> Iterator[Result]:
    """`map`, some steps ahead of who asks, so that nothing more than these is held.

    >>> list(map_in_parallel(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads == 1:
        yield from map(make, given)
        return
    threads = min(threads, MAX_THREADS)
    helpers: set[int] = set()
    pool = ThreadPoolExecutor(threads, initializer=lambda: helpers.add(get_ident()))
    waiting: deque[Any] = deque()
    try:
        for one in given:
            waiting.append(pool.submit(make, one))
            if len(waiting) > threads + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # where nobody asks any more, garbage is collected in any thread, and none can wait for itself
        pool.shutdown(wait=get_ident() not in helpers, cancel_futures=True)
