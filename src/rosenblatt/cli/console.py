"""What is said on standard error, and how a command ends: 0 for success, 2 for what it cannot use, 130 after Ctrl-C."""

import errno
import os
import shlex
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..foundation.errors import ColumnError, InputError

UNUSABLE, BROKEN_PIPE = 2, 141
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
ENDING = ("SIGTERM", "SIGHUP")  # what else asks for an end: that is heard as Ctrl-C is


def say(text: str) -> None:
    print(text, file=sys.stderr)


@contextmanager
def ending_well(can_drop: bool = False) -> Iterator[None]:
    """Turn what can go wrong outside the program into one sentence and an exit code. Some commands have --drop.

    A KeyboardInterrupt may say what is left of the work.
    """
    asked: list[int] = []
    try:
        with heard_as_ctrl_c(asked):
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
    except MemoryError:
        say("error: the system has no more memory for this: close other programs, or take fewer rows or columns.")
        raise SystemExit(UNUSABLE) from None
    except KeyboardInterrupt as interruption:
        word, left = "terminated" if asked else "interrupted", str(interruption) or "nothing was saved"
        say(f"{word}: {left}.")
        raise SystemExit(128 + (asked or [signal.SIGINT])[0]) from None


@contextmanager
def heard_as_ctrl_c(asked: list[int]) -> Iterator[None]:
    """Whatever is done on Ctrl-C is done when the system asks for an end, too; by what signal is written down."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def hear(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, hear)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def sentence(error: OSError) -> str:
    """
    >>> sentence(FileNotFoundError(2, "No such file or directory", "rows.csv"))
    'rows.csv: no such file or directory.'
    """
    what = (error.strerror or str(error)).rstrip(".")
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    room = "; make room there, or name another place" if error.errno in FULL else ""
    return f"{where}{what[:1].lower()}{what[1:]}{room}."
