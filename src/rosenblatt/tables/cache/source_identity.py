"""What tells a table from another, and from itself after a change: paths, sizes, times, and some of the bytes."""

import hashlib
import os
from typing import Any

from ...foundation.errors import InputError
from ..read.batches import Source

PIECE = 1 << 16  # bytes at the beginning and at the end of a file that are looked at


class Identity:
    """The files of a source as they are now.

    >>> import tempfile
    >>> from rosenblatt.tables.read.sources import open_source
    >>> path = tempfile.mktemp(suffix=".csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("width,kind\\n1.5,a\\n2.5,b\\n")
    >>> identity = Identity(open_source(path))
    >>> os.utime(path, (0, 0))
    >>> identity.changed() == path
    True
    """

    def __init__(self, source: Source) -> None:
        self._states = {path: _state(path) or (0, 0) for path in source.files}

    def known(self) -> list[list[Any]]:
        """As JSON keeps it."""
        return [[os.path.abspath(path), *state, _digest(path)] for path, state in self._states.items()]

    def changed(self) -> str | None:
        """The first file that has changed since."""
        return next((path for path, state in self._states.items() if _state(path) != state), None)

    def must_be_the_same(self) -> None:
        path = self.changed()
        if path is not None:
            raise changed(path)


def changed(path: str) -> InputError:
    return InputError(f"{path} changed while it was read: train again when nothing writes to it.")


def _state(path: str) -> tuple[int, int] | None:
    try:
        about = os.stat(path)
    except FileNotFoundError:
        return None
    return about.st_size, about.st_mtime_ns


def _digest(path: str) -> str:
    with open(path, "rb") as file:
        found = hashlib.sha256(file.read(PIECE))
        file.seek(max(os.fstat(file.fileno()).st_size - PIECE, 0))
        found.update(file.read(PIECE))
    return found.hexdigest()
