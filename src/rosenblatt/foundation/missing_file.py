"""Files that a user names and that do not exist."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from .errors import InputError
from .suggestions import closest_name

LIKENESS = 0.8  # of names that are suggested: a folder holds many names that have nothing to do with each other
MAX_NAMES = 1000  # of a folder that are compared: more take longer than the user cares to wait


class MissingFile(FileNotFoundError, InputError):
    """A file does not exist. The text is one sentence: which, and what to do."""

    def __str__(self) -> str:
        return str(self.strerror)


@contextmanager
def explain_missing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise `MissingFile` instead of Python's own error.

    >>> with explain_missing("/rows/of/nobody.csv"):
    ...     open("/rows/of/nobody.csv")
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.missing_file.MissingFile: /rows/of/nobody.csv does not exist, nor does its folder /rows/of: \
check the path.
    """
    try:
        yield
    except FileNotFoundError:
        name = os.fspath(path)
        raise MissingFile(errno.ENOENT, _sentence(name), name) from None


def _sentence(path: str) -> str:
    folder, name = os.path.split(path)
    if not os.path.isdir(folder or os.curdir):
        return f"{path} does not exist, nor does its folder {folder}: check the path."
    close = closest_name(name, _names_in(folder or os.curdir), LIKENESS)
    if close is not None:
        return f"{path} does not exist: did you mean {os.path.join(folder, close)!r}?"
    where = "" if os.path.isabs(path) else f", and the current folder, {os.getcwd()}"
    return f"{path or repr(path)} does not exist: check its name{where}."


def _names_in(folder: str) -> list[str]:
    """The names of the first files and folders of a folder; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, MAX_NAMES)]
    except OSError:
        return []
