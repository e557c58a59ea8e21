"""Recognise the files of a source, and notice changes: by path, size, time of change, and some of the bytes."""

import hashlib
from typing import Any

from ...foundation.errors import InputError
from ..read.batches import Source
from ..read.stored_files import absolute_path, file_state, open_bytes

DIGESTED_BYTES = 1 << 16  # at the beginning and at the end of each file


class SourceIdentity:
    """The files of a source as they are now.

    >>> import tempfile
    >>> from rosenblatt.tables.read.sources import open_source
    >>> path = tempfile.mktemp(suffix=".csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("width,kind\\n1.5,a\\n2.5,b\\n")
    >>> identity = SourceIdentity(open_source(path))
    >>> import os
    >>> os.utime(path, (0, 0))
    >>> identity.changed_file() == path
    True
    """

    def __init__(self, source: Source) -> None:
        self._states = {path: _state(path) or (0, 0) for path in source.files}

    def as_json(self) -> list[list[Any]]:
        """Path, size, time of change and digest of each file."""
        return [[absolute_path(path), *state, _digest(path)] for path, state in self._states.items()]

    def changed_file(self) -> str | None:
        """The first file that has changed since."""
        return next((path for path, state in self._states.items() if _state(path) != state), None)

    def check_unchanged(self) -> None:
        """Raise an `InputError` if a file has changed."""
        path = self.changed_file()
        if path is not None:
            raise changed_error(path)


def changed_error(path: str) -> InputError:
    """The error for a file that changed between two passes or during one."""
    return InputError(f"{path} changed while it was read: train again when nothing writes to it.")


def _state(path: str) -> tuple[int, int] | None:
    try:
        return file_state(path)
    except FileNotFoundError:
        return None


def _digest(path: str) -> str:
    with open_bytes(path) as file:
        found = hashlib.sha256(file.read(DIGESTED_BYTES))
        file.seek(max(file_state(path).size - DIGESTED_BYTES, 0))
        found.update(file.read(DIGESTED_BYTES))
    return found.hexdigest()
