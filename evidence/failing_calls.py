"""Every allocation and every write of a command is made to fail in turn: it ends with one sentence and loses nothing.

`python -m evidence.failing_calls` runs all commands; `python -m evidence.failing_calls train fsync rename` one of them
with two kinds of calls. The library `failing_calls.cpp` is compiled and preloaded, so a C++ compiler is needed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .checks import Finding, print_findings

CALLS = ("allocate", "mmap", "write", "fsync", "rename")
SOURCE = Path(__file__).with_suffix(".cpp")
OLD = b"what the file held before"
TRAIN = ("train", "rows.csv", "--target", "kind", "--quiet", "--force")
# On disk: blocks so small that a table of 2,000 rows has many.
DRIVER = """
import ctypes, sys
import rosenblatt._core
from rosenblatt.cli.main import main
ctypes.CDLL(None).begin_failing_calls()
if sys.argv[1] == "disk":
    from rosenblatt.tables.cache import disk_arrays, storage
    from rosenblatt.tables.read import delimited
    storage.MEMORY_PER_ARROW_BYTE, delimited.BLOCK_SIZE, disk_arrays.BLOCK_BYTES = 1 << 40, 1 << 14, 1 << 13
sys.argv[1:2] = []
sys.exit(main())
"""


class Command(NamedTuple):
    """A command, the file that it writes, and whether its table is encoded in memory or on disk."""

    words: Sequence[str]
    output: str
    where: str = "memory"
    stdin: str = ""


COMMANDS = {
    "train": Command((*TRAIN, "-o", "out"), "out"),
    "train-on-disk": Command((*TRAIN, "-o", "out"), "out", "disk"),
    "train-averaged": Command((*TRAIN, "--algorithm", "averaged", "-o", "out"), "out"),
    "train-svm": Command((*TRAIN, "--algorithm", "svm", "-o", "out"), "out"),
    "checkpoint": Command((*TRAIN, "--checkpoint", "saved", "--checkpoint-every", "0.000001", "-o", "out"), "out"),
    "train-endless": Command(
        ("train", "-", "--target", "kind", "-q", "--force", "--save-every", "100", "-o", "out"), "out", stdin="long.csv"
    ),
    "predict": Command(("predict", "model", "rows.csv", "--force", "-o", "out"), "out"),
    "check": Command(("check", "rows.csv", "--target", "kind", "--drop", "note", "--force", "-o", "out"), "out"),
    "export": Command(("export", "model", "out.json", "--force"), "out.json"),
}


class Run(NamedTuple):
    """How a command ended: its exit code, what it said, how many calls were counted, and its file."""

    code: int
    stderr: str
    counted: int
    content: bytes
    strays: list[str]


def write_tables(folder: Path) -> None:
    generator = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "old", "new"])
    for name, rows in (("rows.csv", 2000), ("long.csv", 4000)):
        X, kinds = generator.normal(size=(rows, 3)), generator.integers(0, 3, rows)
        notes = [" ".join(generator.choice(words, 4)) for _ in range(rows)]
        lines = [
            f"{a:.4f},{b + kind:.4f},{c:.4f},{note},k{kind}"
            for (a, b, c), note, kind in zip(X, notes, kinds, strict=True)
        ]
        (folder / name).write_text("a,b,c,note,kind\n" + "\n".join(lines) + "\n")


def compile_library(folder: Path) -> Path:
    library = folder / "failing_calls.so"
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or "c++"
    command = [compiler, "-std=c++20", "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(library), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return library


def run(folder: Path, library: Path, command: Command, call: str, at: int) -> Run:
    """Run a command with a call that fails, in a fresh folder of its own."""
    place = folder / "place"
    shutil.rmtree(place, ignore_errors=True)
    (place / "tmp").mkdir(parents=True)
    for name in ("rows.csv", "long.csv", "model"):
        if (folder / name).exists():
            os.link(folder / name, place / name)
    (place / command.output).write_bytes(OLD)
    log = folder / "log"
    settings = {"LD_PRELOAD": library, "FAILING_CALL": call, "FAILING_AT": at, "FAILING_LOG": log}
    settings |= {"TMPDIR": place / "tmp", "ROSENBLATT_CACHE": place / "cache", "PYTHONDONTWRITEBYTECODE": 1}
    words = [sys.executable, "-c", DRIVER, command.where, *command.words]
    with open(folder / command.stdin if command.stdin else os.devnull, "rb") as given:
        ended = subprocess.run(
            words,
            cwd=place,
            env={**os.environ, **{k: str(v) for k, v in settings.items()}},
            stdin=given,
            capture_output=True,
            timeout=300,
        )
    strays = [file.name for file in place.iterdir() if file.name.startswith(".")]
    content = (place / command.output).read_bytes() if (place / command.output).exists() else b""
    counted = int(log.read_text()) if log.exists() else -1
    log.unlink(missing_ok=True)
    return Run(ended.returncode, ended.stderr.decode(errors="replace"), counted, content, strays)


def faults(run: Run, whole: int) -> Iterator[str]:
    """What is wrong with a run in which a call failed. `whole` is the size of the file if no call fails."""
    if run.code not in (0, 1, 2):
        yield f"exit code {run.code}"
    if "Traceback" in run.stderr:
        yield "a traceback"
    if run.code == 2 and not re.search(r"^(error|interrupted): \S.*\.$", run.stderr, re.MULTILINE):
        yield "no sentence"
    if run.code == 0 and run.content == OLD:
        yield "success without a file"
    if run.content != OLD and abs(len(run.content) - whole) > whole // 5:
        yield f"a damaged file of {len(run.content)} bytes"
    if run.strays:
        yield f"files left behind: {', '.join(run.strays)}"


def check_command(name: str, call: str, folder: Path, library: Path, every: int = 1) -> Finding:
    """Let each call of a kind fail in turn, or every few of them."""
    start, command = time.perf_counter(), COMMANDS[name]
    undisturbed = run(folder, library, command, call, 0)
    wrong = list(faults(undisturbed, len(undisturbed.content)))
    places = range(1, undisturbed.counted + 1, every)
    for at in places:
        ended = run(folder, library, command, call, at)
        wrong += [
            f"{call} {at}: {fault} (exit code {ended.code}): {ended.stderr[-300:]}"
            for fault in faults(ended, len(undisturbed.content))
        ]
    result = "; ".join(wrong) if wrong else f"{len(places)} of {undisturbed.counted} calls failed, nothing lost"
    return Finding(name, f"{call} fails", result, time.perf_counter() - start, not wrong)


def check_failing_calls(
    names: Sequence[str] = tuple(COMMANDS), calls: Sequence[str] = CALLS, every: int = 1
) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        write_tables(folder)
        library = compile_library(folder)
        first = run(folder, library, COMMANDS["train"], "", 0)
        (folder / "model").write_bytes(first.content)
        for name in names:
            for call in calls:
                yield check_command(name, call, folder, library, every)


if __name__ == "__main__":
    words = sys.argv[1:]
    commands = [word for word in words if word in COMMANDS] or list(COMMANDS)
    kinds = [word for word in words if word in CALLS] or list(CALLS)
    sys.exit(print_findings(check_failing_calls(commands, kinds)))
