"""The time left that `rosenblatt train` shows is right within a fifth, from the first tenth of a run to the last.

Tables and texts are made up, larger than the memory allowed, and trained on in a terminal of their own whose lines are
read with the time when they were shown. On a machine that others use, too, nothing can be foreseen; nor can whether
training stops before its last epoch, so here it does not.
`python -m evidence.time_estimate 5 numbers` makes a table of 5 GB.
"""

import os
import pty
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

from .checks import Finding, told

GIGABYTES = 2.0
EDGE, WITHIN = 0.1, 0.2
ROUNDED = 0.5  # seconds: whole ones are shown
LEFT = re.compile(rb"([\d,.]+) s left")
MEMORY = "256MiB"
ROWS = 10_000  # that are made at a time


class Shown(NamedTuple):
    """What a run said would be left, and when it did; in seconds from its start."""

    at: float
    left: float


def numbers(made: np.random.Generator) -> list[str]:
    X = made.standard_normal((ROWS, 40))
    yes = X[:, :9].sum(axis=1) + 2 * made.standard_normal(ROWS) > 0
    return [",".join([*(f"{x:.5f}" for x in row), "ny"[label]]) for row, label in zip(X, yes.astype(int), strict=True)]


def mixture(made: np.random.Generator) -> list[str]:
    X, names = made.standard_normal((ROWS, 12)), made.integers(0, 500, (ROWS, 12)) ** 2 // 500
    yes = X[:, :3].sum(axis=1) + (names[:, 0] % 7 - 3) + made.standard_normal(ROWS) > 0
    rows = zip(X, names, yes.astype(int), strict=True)
    return [",".join([*(f"{x:.3f}" for x in row), *(f"name{n}" for n in own), "ny"[y]]) for row, own, y in rows]


def words(made: np.random.Generator) -> list[str]:
    places = np.minimum((20 * made.pareto(0.9, (ROWS, 80))).astype(int), 500_000)
    yes = (places % 11).sum(axis=1) + 30 * made.standard_normal(ROWS) > 290
    rows = zip(places, yes.astype(int), strict=True)
    return [" ".join(f"w{place:x}" for place in row) + f",{'ny'[label]}" for row, label in rows]


DESCENT = ("--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--max-iter", "3")
KINDS = {"numbers": (numbers, 40, DESCENT), "mixture": (mixture, 24, DESCENT), "words": (words, 1, ())}


def write(kind: str, path: Path, size: float) -> None:
    rows, columns, _ = KINDS[kind]
    made = np.random.default_rng(0)
    some = ["\n".join(rows(made)) + "\n" for _ in range(8)]  # repeated: only the time matters
    with path.open("w") as file:
        file.write(",".join([*(f"c{k}" for k in range(columns)), "label"]) + "\n")
        while file.tell() < size:
            file.writelines(some)


def run(path: Path, *options: str) -> tuple[list[Shown], float]:
    """What a run shows, and how long it takes."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rosenblatt.cli", "train", path, "--target", "label", "--memory", MEMORY, *options]
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--cache", path.parent / "cache", "--model", path.parent / "model"],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "200", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = []
    try:
        while piece := os.read(ours, 1 << 16):
            now = time.perf_counter() - began
            shown += [Shown(now, float(found.replace(b",", b""))) for found in LEFT.findall(piece)[-1:]]
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    if process.wait() != 0:
        raise RuntimeError(f"ended with {process.returncode}")
    return shown, time.perf_counter() - began


def check_forecasts(gigabytes: float = GIGABYTES, kinds: Sequence[str] = tuple(KINDS)) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder, f"{kind}.csv")
            write(kind, path, gigabytes * 1e9)
            os.sync()  # what is still on its way to the disk would be in the way
            shown, whole = run(path, *KINDS[kind][2])
            rest = [(each.left, whole - each.at) for each in shown if EDGE * whole <= each.at <= (1 - EDGE) * whole]
            errors = [told / true - 1 for told, true in rest] or [float("inf")]
            found = f"{len(rest)} forecasts of {whole:.1f} s in all, off by {min(errors):+.0%} to {max(errors):+.0%}"
            within = bool(rest) and all(abs(told - true) <= WITHIN * true + ROUNDED for told, true in rest)
            yield Finding(kind, f"time left within {WITHIN:.0%}", found, whole, within)
            path.unlink()
            shutil.rmtree(path.parent / "cache")


if __name__ == "__main__":
    size, *chosen = sys.argv[1:] or [str(GIGABYTES)]
    sys.exit(told(check_forecasts(float(size), chosen or tuple(KINDS))))
