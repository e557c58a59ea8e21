"""Write a file so that readers find the old content or the new, never a part."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .temporary_paths import open_temporary_file, remove_abandoned

SUFFIX = ".rosenblatt"  # of temporary files, so that no file of somebody else is taken for one


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` when the block succeeds and is removed when it fails.

    If the process is killed, the temporary file stays until `path` is written again.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers.txt")
    >>> with atomic_write(path) as file:
    ...     _ = file.write(b"1 2 3")
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('1 2 3', 1)
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with target.open("wb") as file:  # write to a terminal or pipe; a folder is refused
            yield file
        return
    remove_abandoned(target.parent, re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}{re.escape(SUFFIX)}"))
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}{SUFFIX}")
    try:
        with open_temporary_file(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, target)  # while it is locked
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):  # None: an error of writing
            error.filename = str(path)
        raise
