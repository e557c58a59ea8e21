"""Files to tables. A source knows its columns, reads some of them, and can say where in the file a row stands.

Only delimited text so far. Another kind of file is one more class with the same members, and a line in `open_source`.
"""

import csv
import io
import os
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

import pyarrow as arrow
import pyarrow.csv

from ..errors import InputError

DELIMITERS = ",;\t|"


class Source(Protocol):
    """A table in a file."""

    path: str
    names: list[str]

    def read(self, columns: Sequence[str], texts: Collection[str] = ()) -> Any:
        """An Arrow table of some columns; those in `texts` as they are written, the others by the type they show."""

    def where(self, row: int) -> str:
        """The place of a row, counted from 0, as people find it in the file."""


def open_source(path: str | os.PathLike[str]) -> Source:
    """Find out which columns a file has.

    >>> import tempfile
    >>> path = tempfile.mktemp(suffix=".csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("width,kind\\n1.5,a\\n2.5,b\\n")
    >>> source = open_source(path)
    >>> source.names, source.read(["width"]).num_rows, source.where(1)
    (['width', 'kind'], 2, 'line 3')
    """
    return DelimitedText(os.fspath(path))


class DelimitedText:
    """CSV and its relatives, in UTF-8, with the columns' names in the first line; compressed if the name says so."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "rb"):  # raises what Python users know, with the file's name in it
            pass
        first_line = next((line for line in self._text() if line.strip()), "")
        self._delimiter = max(DELIMITERS, key=first_line.count)
        self._first_row, header = next(self._lines(), (0, []))
        self.names = [name.strip() for name in header]
        if not any(self.names):
            raise InputError(f"{path} is empty; its first line must name the columns.")
        for name in filter(None, self.names):
            if self.names.count(name) > 1:
                raise InputError(f"{path}, line {self._first_row} names the column {name!r} twice: rename one of them.")

    def read(self, columns: Sequence[str], texts: Collection[str] = ()) -> Any:
        as_written = arrow.dictionary(arrow.int32(), arrow.string())
        convert = arrow.csv.ConvertOptions(
            include_columns=columns, column_types=dict.fromkeys(texts, as_written), strings_can_be_null=True
        )
        try:
            return arrow.csv.read_csv(
                self.path,
                arrow.csv.ReadOptions(column_names=self.names, skip_rows=self._first_row),
                arrow.csv.ParseOptions(delimiter=self._delimiter),
                convert,
            )
        except arrow.ArrowInvalid as error:
            raise self._explained(str(error)) from None

    def where(self, row: int) -> str:
        line, _ = next(islice(self._lines(), row + 1, None))
        return f"line {line}"

    def _text(self) -> Iterator[str]:
        """The file's lines, slowly; Arrow does the work where there is much of it."""
        try:
            with io.TextIOWrapper(arrow.input_stream(self.path), encoding="utf-8-sig", newline="") as text:
                yield from text
        except UnicodeDecodeError:
            raise InputError(f"{self.path} is not text in UTF-8: save the table as CSV in UTF-8.") from None
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error}.") from None

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Rows that are not blank, header included, each with the number of its line."""
        reader = csv.reader(self._text(), delimiter=self._delimiter)
        try:
            for cells in reader:
                if cells:
                    yield reader.line_num, cells
        except csv.Error as error:
            raise InputError(f"{self.path}, line {reader.line_num} is not CSV: {error}.") from None

    def _explained(self, complaint: str) -> InputError:
        """Arrow does not say in which line a row is too short; find it."""
        width = len(self.names)
        for line, cells in self._lines():
            if len(cells) != width:
                values = f"{len(cells)} value{'' if len(cells) == 1 else 's'}"
                return InputError(f"{self.path}, line {line} has {values} where the first line names {width} columns.")
        return InputError(f"{self.path} cannot be read as a table: {complaint.splitlines()[0]}.")
