"""Parts of a table in files, which workers read: rows of a Parquet file, blocks of a text file, or a whole file.

The parts in their order hold the batches that one process reads, row for row. A part names its file, never a worker.
"""

import socket
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ...foundation.errors import InputError
from .batches import Source
from .sources import MultiFileSource, open_file
from .stored_files import FileState, SharedPath, file_state

MAX_WHOLE_FILE = 1 << 26  # bytes of a file among several that is one part, if only reading it shows where to cut it
MAX_OPEN_FILES = 8  # that a worker remembers: their columns and their first rows


@dataclass(frozen=True)
class TablePart:
    """A piece of a file, the values of its folders, and how the file was when the parts were made."""

    path: SharedPath
    state: FileState
    folders: dict[str, str]
    piece: Any = field(repr=False)
    number: int

    @property
    def name(self) -> str:
        return f"part {self.number} of {self.path}"

    def load(self) -> Source:
        """The source of the rows."""
        try:
            now = file_state(self.path)
        except OSError:
            raise InputError(
                f"a worker on {socket.gethostname()} cannot read {self.path.absolute}: put the table on a file system "
                "that all workers see."
            ) from None
        if now != self.state:
            raise InputError(f"{self.path} changed while it was read: try again when nothing writes to it.")
        source = open_once(self.path, self.path.absolute, self.state)
        source = copy(source) if self.piece is None else source.piece(self.piece)
        return MultiFileSource([(self.path, self.folders)], source) if self.folders else source


@lru_cache(MAX_OPEN_FILES)
def open_once(path: SharedPath, absolute: str, state: FileState) -> Source:
    """A file that was opened once: its format, its columns and the types of its first rows."""
    return open_file(path)


def table_parts(source: Source, names: Iterable[str]) -> Iterator[TablePart]:
    """The parts of a table in files, in the order of the rows. Every file must have these columns."""
    if not source.files:
        raise InputError(f"{source.path} can be read only once, and workers read files: save it to a file first.")
    whole, before = MAX_WHOLE_FILE if len(source.files) > 1 else 0, 0
    for file, folders in source.open_files(names):
        path = SharedPath(file.path)
        state = file_state(path)
        for number, piece in enumerate(file.pieces(whole), start=1):
            source.done = before + (file.size if piece is None else file.done)
            yield TablePart(path, state, folders, piece, number)
        before += file.size
