"""Validate tables read from Parquet and Arrow files before they are used.

Arrow does not check what it reads: the offsets of texts, the indices into a dictionary. In a damaged file these can
point outside the buffers, and following them crashes the process.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...foundation.errors import InputError
from .stored_files import is_address

MAX_MESSAGE_CHARACTERS = 200  # of Arrow's message, which may repeat the content of a damaged file


def validate_tables(tables: Iterator[Any], path: str, kind: str) -> Iterator[Any]:
    """Read each table, validate it in full, and yield it; `kind` is the format that errors name."""
    while True:
        with report_damage(path, kind):
            table = next(tables, None)
            if table is not None:
                table.validate(full=True)
        if table is None:
            return
        yield table


@contextmanager
def report_damage(path: str, kind: str) -> Iterator[None]:
    """Turn every error into one sentence that names the file. Wrap only calls that read the file.

    Damaged bytes lead to Arrow's errors, and to Python's when they are decoded as texts, types or sizes, so no list of
    exceptions would be complete.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and is_address(path):  # the network, rather than the content
            from .remote_files import remote_error

            raise remote_error(path, error) from None
        raise damage_error(path, kind, error) from None


def damage_error(path: str, kind: str, error: BaseException) -> InputError:
    """
    >>> str(damage_error("rows.arrow", "Arrow", ValueError("Too short.")))
    'rows.arrow is damaged or not in Arrow format (Too short): fetch or write it again.'
    """
    first = next(iter(str(error).splitlines()), "") or type(error).__name__
    what = "".join(letter if letter.isprintable() else "?" for letter in first[:MAX_MESSAGE_CHARACTERS]).rstrip(". ")
    return InputError(f"{path} is damaged or not in {kind} format ({what}): fetch or write it again.")
