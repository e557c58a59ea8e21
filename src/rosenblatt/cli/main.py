"""The entry point. Well-formed commands skip typer: importing it takes longer than training on a small table."""

import gc
import io
import os
import sys
from importlib import import_module

from .commands import COMMANDS


def main() -> None:
    """Run `rosenblatt` with the arguments it was called with."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage: collecting would take 15 ms
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's idle threads sleep instead of spinning for 60 ms
    _write_whole_texts()
    try:
        if not _run_without_typer(sys.argv[1:]):
            from .app import app

            app(prog_name="rosenblatt")
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
    """Run a command whose words are plainly correct. Return whether it ran."""
    if not words or words[0] not in COMMANDS:
        return False
    from .fast_parser import TyperNeeded, parse_words

    command = getattr(import_module(f".{words[0]}", __package__), words[0])
    try:
        given = parse_words(command, words[1:])
    except TyperNeeded:
        return False
    command(**given)
    gc.freeze()  # the process ends now: a last collection would take 20 ms
    return True
