"""Messages on standard error and exit codes: 0 success, 2 input that cannot be used, 130 after Ctrl-C."""

import errno
import os
import re
import shlex
import shutil
import signal
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TextIO

from ..foundation.errors import ColumnError, InputError

EXIT_UNUSABLE_INPUT, EXIT_BROKEN_PIPE = 2, 141
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
TERMINATION_SIGNALS = ("SIGTERM", "SIGHUP")
RESET, BOLD = "\x1b[0m", "\x1b[1m"
COLOURS = {"error": "\x1b[1;31m", "warning": "\x1b[33m", "note": "\x1b[36m", "hint": "\x1b[36m"}
GIVEN_PARAMETER = re.compile(r"(?<![\w/.-])(?P<name>[A-Za-z_]+)=(?P<value>'[^']*'|-?[\w.+-]*\w)")
QUOTE = "'"
TITLE = re.compile(r"(\S[\w -]*?|)\s{2,}(?=\S)")  # the title of a line, if any, and the space after it


def say(text: str) -> None:
    """Print a message to standard error. On a terminal its first word has a colour ("error:", "hint:")."""
    word, colon, rest = text.partition(":")
    if word in COLOURS and has_colour(sys.stderr):
        text = f"{COLOURS[word]}{word}{colon}{RESET}{rest}"
    print(text, file=sys.stderr)


def print_result(text: str) -> None:
    """Print lines of a title and a text. On a terminal, wrap them to its width and set the titles in bold."""
    if not sys.stdout.isatty():
        print(text)
        return
    width = shutil.get_terminal_size().columns
    for line in text.splitlines():
        title = TITLE.match(line)
        wrapped = wrap_line(line, len(title[0]) if title else 0, width)
        if title and title[1] and has_colour(sys.stdout):
            wrapped = f"{BOLD}{title[1]}{RESET}{wrapped[len(title[1]) :]}"
        print(wrapped)


def wrap_line(line: str, indent: int, width: int) -> str:
    """Wrap a line between words. The lines that follow are indented.

    >>> print(wrap_line("columns    number: length, width, height", 11, 30))
    columns    number: length,
               width, height
    """
    if len(line) <= width:
        return line
    from textwrap import wrap

    parts = wrap(line[indent:], max(width - indent, 20), break_long_words=False, break_on_hyphens=False)
    return line[:indent] + f"\n{' ' * indent}".join(parts)


def has_colour(stream: TextIO) -> bool:
    """Return whether to use colour: on a terminal, unless NO_COLOR is set (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def drop_unwritten_output() -> None:
    """Drop what standard output does not take: Python would try again as it exits, and end with a code of its own."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def handle_errors(can_drop: bool = False, options: Collection[str] = ()) -> Iterator[None]:
    """Turn errors of the outside world into one sentence and an exit code.

    `can_drop` says that the command has the option --drop. `options` are the command's: a sentence that begins with the
    name of one begins with its dashes. The text of a KeyboardInterrupt says what was saved.
    """
    received: list[int] = []
    try:
        with treat_termination_as_ctrl_c(received):
            yield
            sys.stdout.flush()
    except ColumnError as error:
        instead = f", or leave the column out with --drop {shlex.quote(error.column)}" if can_drop else ""
        say(f"error: {str(error).rstrip('.')}{instead}.")
        raise SystemExit(EXIT_UNUSABLE_INPUT) from None
    except InputError as error:
        say(f"error: {name_option(str(error), options)}")
        raise SystemExit(EXIT_UNUSABLE_INPUT) from None
    except BrokenPipeError:  # the reader of standard output has closed it
        drop_unwritten_output()
        raise SystemExit(EXIT_BROKEN_PIPE) from None
    except OSError as error:
        say(f"error: {describe_os_error(error)}")
        drop_unwritten_output()
        raise SystemExit(EXIT_UNUSABLE_INPUT) from None
    except MemoryError:
        say("error: the system has no more memory for this: close other programs, or take fewer rows or columns.")
        raise SystemExit(EXIT_UNUSABLE_INPUT) from None
    except KeyboardInterrupt as interruption:
        word, outcome = "terminated" if received else "interrupted", str(interruption) or "nothing was saved"
        say(f"{word}: {outcome}.")
        raise SystemExit(128 + (received or [signal.SIGINT])[0]) from None


def name_option(sentence: str, options: Collection[str]) -> str:
    """Return a sentence about a parameter as users of the command line know it.

    >>> name_option("test_fraction must be below 1, not 2.", {"--test-fraction"})
    '--test-fraction must be below 1, not 2.'
    >>> name_option("order='batch' does not go with solver='optimum'.", {"--order"})
    "--order batch does not go with solver='optimum'."
    >>> name_option("C='auto' is for classifiers: for a table, tune=True chooses C.", {"--C", "--tune"})
    '--C auto is for classifiers: for a table, --tune chooses C.'
    """

    def as_typed(found: re.Match[str]) -> str:
        option = f"--{found['name'].replace('_', '-')}"
        value = "" if found["value"] == "True" else f" {found['value'].strip(QUOTE)}"
        return f"{option}{value}" if option in options else found[0]

    sentence = GIVEN_PARAMETER.sub(as_typed, sentence)
    name, blank, rest = sentence.partition(" ")
    option = f"--{name.replace('_', '-')}"
    return f"{option}{blank}{rest}" if option in options else sentence


@contextmanager
def treat_termination_as_ctrl_c(received: list[int]) -> Iterator[None]:
    """Handle SIGTERM and SIGHUP as Ctrl-C is handled, and append their numbers to `received`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    numbers = [getattr(signal, name) for name in TERMINATION_SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def describe_os_error(error: OSError) -> str:
    """Return one sentence about an error of the system.

    >>> describe_os_error(FileNotFoundError(2, "No such file or directory", "rows.csv"))
    'rows.csv: no such file or directory.'
    """
    what = (error.strerror or str(error)).rstrip(".")
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    advice = "; make room there, or name another place" if error.errno in DISK_FULL_ERRORS else ""
    return f"{where}{what[:1].lower()}{what[1:]}{advice}."
