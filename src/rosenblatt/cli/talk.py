"""What is said on standard error, and how a command ends: 0 for success, 2 for what it cannot use, 130 after Ctrl-C."""

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ColumnError, InputError

UNUSABLE, BROKEN_PIPE, INTERRUPTED = 2, 141, 130


def say(text: str) -> None:
    print(text, file=sys.stderr)


@contextmanager
def ending_well(can_drop: bool = False) -> Iterator[None]:
    """Turn what can go wrong outside the program into one sentence and an exit code. Some commands have --drop."""
    try:
        yield
        sys.stdout.flush()
    except ColumnError as error:
        instead = f", or leave the column out with --drop {shlex.quote(error.column)}" if can_drop else ""
        say(f"error: {str(error).rstrip('.')}{instead}.")
        raise SystemExit(UNUSABLE) from None
    except InputError as error:
        say(f"error: {error}")
        raise SystemExit(UNUSABLE) from None
    except BrokenPipeError:  # the reader of a pipe has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(BROKEN_PIPE) from None
    except OSError as error:
        say(f"error: {sentence(error)}")
        raise SystemExit(UNUSABLE) from None
    except KeyboardInterrupt:
        say("interrupted: nothing was saved.")
        raise SystemExit(INTERRUPTED) from None


def sentence(error: OSError) -> str:
    """
    >>> sentence(FileNotFoundError(2, "No such file or directory", "rows.csv"))
    'rows.csv: no such file or directory.'
    """
    what = (error.strerror or str(error)).rstrip(".")
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    return f"{where}{what[:1].lower()}{what[1:]}."
