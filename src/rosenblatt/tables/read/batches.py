"""The interface of all sources: batches of rows as Arrow tables, which can name the line of a row in its file."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...foundation.errors import InputError

# How to read a column. In files with typed columns this matters only if the type does not fit.
NUMBER, CATEGORY, TEXT, DATE, NUMBERED = "number", "category", "text", "date", "numbered"
RAW = "raw"  # texts as they are written, without conversion or missing values
Reading = Mapping[str, str]  # how to read each column, by name


@dataclass(frozen=True)
class Batch:
    """Some rows as an Arrow table, the path of their file, and a function that locates a row, counted from 0, in it."""

    table: Any
    path: str
    place: Callable[[int], str]

    def where(self, row: int) -> str:
        """The file and line of a row, for error messages.

        >>> Batch(None, "flowers.csv", lambda row: f"line {row + 2}").where(0)
        'flowers.csv, line 2'
        """
        return f"{self.path}, {self.place(row)}"


class Source(ABC):
    """A table that can be read in batches.

    `size` is its size on disk in bytes, and `done` how many of these were read; both are 0 if unknown.
    """

    path: str
    names: list[str]
    rereadable = True  # whether it can be read more than once
    target: str | None = None  # the column to predict, if the file format defines one
    in_memory = False  # whether the whole table is in memory already
    models: Sequence[str] = ()  # model files among the tables, which are left out
    size: int = 0
    done: int = 0
    pass_number: int = 1  # of the pass in which it is being read
    passes: int = 1  # in which it will be read
    block_index: Any = None  # where blocks of rows begin, known after the first read
    time_estimate: Any = None  # of reading and training, set by training for whoever reports progress

    @property
    def files(self) -> list[str]:
        """The files that can be read again; none for standard input and tables in memory."""
        return [self.path] if self.rereadable else []

    def open_files(self, names: Iterable[str]) -> "Iterator[tuple[Source, dict[str, str]]]":
        """Its files one after the other, each with the partition values of its folders; all must have these columns."""
        yield self, {}

    def pieces(self, whole: int = 0) -> Iterator[Any]:
        """What can be read apart from the rest, in order: descriptions for `piece`; None is everything.

        Files of up to `whole` bytes that must be read through to be cut are one piece. `done` tells where pieces end.
        """
        yield None

    def piece(self, which: Any) -> "Source":
        """The source of one of its pieces."""
        return self

    @abstractmethod
    def sample(self) -> Batch:
        """The first rows, with a detected type for each column."""

    @abstractmethod
    def batches(self, reading: Reading) -> Iterator[Batch]:
        """Read these columns in batches of bounded size. Standard input can be read only once."""

    def batches_as_written(self, reading: Reading, names: Sequence[str]) -> Iterator[tuple[Batch, Any]]:
        """Yield the same batches, each with a table of the columns `names` as they are written."""
        for batch in self.batches({**dict.fromkeys(names, RAW), **reading}):
            yield batch, batch.table.select(names)

    def read_all(self, reading: Reading, on_batch: Callable[["Source"], None] | None = None) -> list[Batch]:
        """Read all batches, and raise an error if there are no rows; `on_batch` is called after each batch."""
        found = []
        for batch in self.batches(reading):
            if batch.table.num_rows:
                found.append(batch)
            if on_batch is not None:
                on_batch(self)
        if not found:
            raise InputError(f"{self.path} names columns but has no rows.")
        return found


def check_column_names(path: str, names: Sequence[str], place: str = "") -> list[str]:
    """Return the column names; raise an error if one occurs twice or all are empty. Empty names are allowed."""
    for name, count in Counter(filter(None, names)).items():
        if count > 1:
            raise InputError(f"{path}{place} names the column {name!r} twice: rename one of them.")
    if not any(names):
        raise InputError(f"{path} is empty; its first line must name the columns.")
    return list(names)
