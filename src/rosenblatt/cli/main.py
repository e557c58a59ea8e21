"""Start the command line. Well-formed commands skip typer, which takes longer to import than small tables to train."""

import gc
import os
import sys
from importlib import import_module

from .commands import COMMANDS


def main() -> None:
    """Run `rosenblatt` with the arguments it was called with."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage: looking for some in them would take 15 ms
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's threads wait asleep, instead of 60 ms at work
    try:
        if not _at_once(sys.argv[1:]):
            from .app import app

            app(prog_name="rosenblatt")
    except KeyboardInterrupt:  # so early that no command has begun
        raise SystemExit(130) from None


def _at_once(words: list[str]) -> bool:
    """Run a command whose words are plainly right; whether they were."""
    if not words or words[0] not in COMMANDS:
        return False
    from .fast_parser import Unclear, read

    command = getattr(import_module(f".{words[0]}", __package__), words[0])
    try:
        given = read(command, words[1:])
    except Unclear:
        return False
    command(**given)
    gc.freeze()  # what is left goes with the process: looking for garbage in it would take 20 ms
    return True
