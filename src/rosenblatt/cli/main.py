"""The entry point. Most command lines skip typer: importing it takes longer than training on a small table."""

import gc
import io
import os
import sys
from importlib import import_module
from typing import NoReturn

from ..foundation.suggestions import did_you_mean
from .commands import COMMANDS, COMPLETION_REQUEST


def main() -> None:
    """Run `rosenblatt` with the arguments it was called with."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage: collecting would take 15 ms
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's idle threads sleep instead of spinning for 60 ms
    _write_whole_texts()
    try:
        words = sys.argv[1:]
        if not _run_without_typer(words):
            _run_with_typer(words)
    except KeyboardInterrupt:  # so early that no command has begun
        raise SystemExit(130) from None


def _write_whole_texts() -> None:
    """Give standard output a buffer where PYTHONUNBUFFERED took it away.

    Without one, Python writes a text by a single call of the system. What the call leaves over, on a full disk or in a
    pipe that is closed meanwhile, is lost without an error.
    """
    stdout = sys.stdout
    if isinstance(stdout, io.TextIOWrapper) and isinstance(stdout.buffer, io.RawIOBase):
        encoding, errors = stdout.encoding, stdout.errors
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(stdout.detach()), encoding, errors, line_buffering=True)


def _run_without_typer(words: list[str]) -> bool:
    """Run a command whose words are plainly correct, and refuse words that are plainly wrong. Return whether it ran."""
    if not words or words[0].startswith("-") or COMPLETION_REQUEST in os.environ:
        return False
    from .fast_parser import TyperNeeded, UsageError, parse_words

    name = words[0]
    try:
        if name not in COMMANDS:
            raise UsageError(f"there is no command {name!r}{did_you_mean(name, COMMANDS)}")
        command = getattr(import_module(f".{name}", __package__), name)
        given = parse_words(command, words[1:])
    except TyperNeeded:
        return False
    except UsageError as error:
        _refuse_words(f"rosenblatt {name}" if name in COMMANDS else "rosenblatt", str(error))
    command(**given)
    gc.freeze()  # the process ends now: a last collection would take 20 ms
    return True


def _run_with_typer(words: list[str]) -> None:
    if words and words[0] in COMMANDS and COMPLETION_REQUEST not in os.environ:
        from .typer_command import run_with_typer

        run_with_typer(words[0], words[1:])
    else:
        from .app import app

        app(prog_name="rosenblatt")


def _refuse_words(command: str, sentence: str) -> NoReturn:
    """Exit with an error about the words of a command."""
    from .console import EXIT_UNUSABLE_INPUT, say

    say(f"error: {sentence}")
    say(f"hint: `{command} --help` lists what there is.")
    raise SystemExit(EXIT_UNUSABLE_INPUT)
