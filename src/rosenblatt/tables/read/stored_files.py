"""Files by their path, or by an address such as s3://bucket/rows.parquet: how large they are, and their bytes.

Every reader of tables opens files here, so all formats can be read from everywhere. Addresses are only read.
"""

import os
import re
from typing import Any, NamedTuple

from ...foundation.missing_file import explain_missing

ADDRESS = re.compile(r"(s3|gs|gcs|hdfs|viewfs|abfss?|file)://")


class FileState(NamedTuple):
    """The size of a file in bytes and the time of its last change: they show whether it changed."""

    size: int
    changed: int


def is_address(path: Any) -> bool:
    """Whether a path is an address of a file system that Arrow reads.

    >>> is_address("s3://bucket/rows.csv"), is_address("rows.csv")
    (True, False)
    """
    return isinstance(path, str) and ADDRESS.match(path) is not None


def file_state(path: str) -> FileState:
    """How large a file is, and when it changed. Raises an error if it does not exist."""
    if is_address(path):
        from .remote_files import size_and_change

        return FileState(*size_and_change(path))
    with explain_missing(path):
        found = os.stat(_location(path))
    return FileState(found.st_size, found.st_mtime_ns)


def open_bytes(path: str) -> Any:
    """A buffered file of bytes, opened for reading."""
    if is_address(path):
        from .remote_files import open_remote_bytes

        return open_remote_bytes(path)
    with explain_missing(path):
        return open(_location(path), "rb")


def open_random(path: str) -> Any:
    """An Arrow file, whose `read_at(size, offset)` several threads may call at once."""
    if is_address(path):
        from .remote_files import open_remote

        return open_remote(path)
    import pyarrow as arrow

    return arrow.OSFile(_location(path))


def open_mapped(path: str) -> Any:
    """An Arrow file of a path, whose bytes are read where they are used."""
    import pyarrow as arrow

    return arrow.memory_map(_location(path))


class SharedPath(str):
    """A path as the user wrote it, for messages. Processes that run in other folders find its file, too.

    >>> path = SharedPath("rows.csv")
    >>> f"{path} is empty", path.absolute == os.path.abspath("rows.csv")
    ('rows.csv is empty', True)
    """

    absolute: str

    def __new__(cls, path: str) -> "SharedPath":
        made = super().__new__(cls, path)
        made.absolute = absolute_path(path)
        return made

    def __reduce__(self) -> Any:
        return str.__new__, (SharedPath, str(self)), {"absolute": self.absolute}


def absolute_path(path: str) -> str:
    """The same file for every process, wherever it runs."""
    return path if is_address(path) else os.path.abspath(_location(path))


def _location(path: str) -> str:
    return path.absolute if isinstance(path, SharedPath) else path
