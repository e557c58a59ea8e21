"""What a file gives is sound, or refused: nothing in it may point outside of its own memory.

Arrow reads much of a file as it is: where a text begins, which entry of a dictionary is meant. In a damaged file these
point anywhere, and who follows them crashes. So all that is read passes here before anything looks at it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...foundation.errors import InputError

MAX_MESSAGE_CHARACTERS = 200  # characters of a complaint: it may repeat what a damaged file holds


def validate_tables(tables: Iterator[Any], path: str, kind: str) -> Iterator[Any]:
    """The tables, each read and checked before it is given on; `kind` is what the file claims to be."""
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
    """Around calls of Arrow that read a file, and nothing else.

    Of damaged bytes Arrow makes errors of its own, and Python's where it turns them into texts, types and sizes: no
    list of them is complete.
    """
    try:
        yield
    except Exception as error:
        raise damage_error(path, kind, error) from None


def damage_error(path: str, kind: str, error: BaseException) -> InputError:
    """
    >>> str(damage_error("rows.arrow", "Arrow", ValueError("Too short.")))
    'rows.arrow is damaged, or not Arrow after all (Too short): fetch or write it again.'
    """
    first = next(iter(str(error).splitlines()), "") or type(error).__name__
    what = "".join(letter if letter.isprintable() else "?" for letter in first[:MAX_MESSAGE_CHARACTERS]).rstrip(". ")
    return InputError(f"{path} is damaged, or not {kind} after all ({what}): fetch or write it again.")
