"""Writing a file so that readers find the old one or the new one, never half of one."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes the place of `path` when the block ends well, and leaves no trace otherwise.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers.txt")
    >>> with replaced(path) as file:
    ...     _ = file.write(b"1 2 3")
    >>> path.read_text(), len(list(path.parent.iterdir()))
    ('1 2 3', 1)
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        with target.open("wb") as file:  # a terminal or a pipe is written to, a folder refused
            yield file
        return
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):  # None: as it was written to
            error.filename = str(path)
        raise
