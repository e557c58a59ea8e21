"""Commands in processes forked from one that has imported rosenblatt, which saves most of the time of short runs."""

import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

LOADED = ["rosenblatt.cli.train.run_training", "rosenblatt.cli.train.endless", "rosenblatt.cli.predict.write_labels"]
LOADED += ["rosenblatt.cli.check.decide", "rosenblatt.tables.for_proofs.cached_columns", "safetensors.numpy"]
LOADED += ["evidence.checks", "evidence.killed_commands"]  # what the main module imports, again in each process


def start(place: Path, words: Sequence[str], stdin: str, errors: Path, on_disk: bool) -> ForkServerProcess:
    """Start a command in a folder; what it says on standard error goes to a file."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    process = context.Process(target=run_command, args=(place, words, stdin, errors, on_disk))
    process.start()
    return process


def run_command(place: Path, words: Sequence[str], stdin: str, errors: Path, on_disk: bool) -> None:
    os.chdir(place)
    redirect(0, stdin, os.O_RDONLY)
    sys.stdin = os.fdopen(0)  # multiprocessing puts another file there
    redirect(1, os.devnull, os.O_WRONLY)
    redirect(2, errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    from rosenblatt.cli.main import main
    from rosenblatt.tables.cache import storage

    if on_disk:
        storage.MEMORY_PER_ARROW_BYTE = 1 << 40  # a table of any size goes to the disk
    sys.argv = ["rosenblatt", *words]
    sys.exit(main())


def redirect(number: int, path: str | Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    os.dup2(descriptor, number)
    os.close(descriptor)
