"""The time left that `rosenblatt train` shows is right within 20%, except in the first and last tenth of a run.

Training runs in a terminal of its own on generated tables and texts larger than its memory limit, and each estimate is
compared with the time that was really left. Training does not stop before its last epoch here, because an early stop
cannot be estimated. The check needs a machine with no other load.
`python -m evidence.time_estimate 5 numbers` runs one kind on a table of 5 GB.
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

from .checks import Finding, print_findings

GIGABYTES = 2.0
EDGE, WITHIN = 0.1, 0.2
ROUNDED = 0.5  # seconds; the display shows whole seconds
LEFT = re.compile(rb"([\d,.]+) s left")
MEMORY = "256MiB"
ROWS = 10_000  # generated at a time


class Estimate(NamedTuple):
    """The time left that was shown, and when; in seconds from the start."""

    at: float
    left: float


def numbers(random: np.random.Generator) -> list[str]:
    X = random.standard_normal((ROWS, 40))
    yes = X[:, :9].sum(axis=1) + 2 * random.standard_normal(ROWS) > 0
    return [",".join([*(f"{x:.5f}" for x in row), "ny"[label]]) for row, label in zip(X, yes.astype(int), strict=True)]


def mixture(random: np.random.Generator) -> list[str]:
    X, names = random.standard_normal((ROWS, 12)), random.integers(0, 500, (ROWS, 12)) ** 2 // 500
    yes = X[:, :3].sum(axis=1) + (names[:, 0] % 7 - 3) + random.standard_normal(ROWS) > 0
    rows = zip(X, names, yes.astype(int), strict=True)
    return [",".join([*(f"{x:.3f}" for x in row), *(f"name{n}" for n in own), "ny"[y]]) for row, own, y in rows]


def words(random: np.random.Generator) -> list[str]:
    places = np.minimum((20 * random.pareto(0.9, (ROWS, 80))).astype(int), 500_000)
    yes = (places % 11).sum(axis=1) + 30 * random.standard_normal(ROWS) > 290
    rows = zip(places, yes.astype(int), strict=True)
    return [" ".join(f"w{place:x}" for place in row) + f",{'ny'[label]}" for row, label in rows]


SGD = ("--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--max-iter", "3")
KINDS = {"numbers": (numbers, 40, SGD), "mixture": (mixture, 24, SGD), "words": (words, 1, ())}


def write(kind: str, path: Path, size: float) -> None:
    rows, columns, _ = KINDS[kind]
    random = np.random.default_rng(0)
    some = ["\n".join(rows(random)) + "\n" for _ in range(8)]  # repeated, because only the time matters
    with path.open("w") as file:
        file.write(",".join([*(f"c{k}" for k in range(columns)), "label"]) + "\n")
        while file.tell() < size:
            file.writelines(some)


def run(path: Path, *options: str) -> tuple[list[Estimate], float]:
    """The estimates that a run shows, and its duration."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "rosenblatt.cli", "train", path, "--target", "label", "--memory", MEMORY, *options]
    start = time.perf_counter()
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
            now = time.perf_counter() - start
            shown += [Estimate(now, float(found.replace(b",", b""))) for found in LEFT.findall(piece)[-1:]]
    except OSError:  # the process closed the terminal
        pass
    os.close(ours)
    if process.wait() != 0:
        raise RuntimeError(f"rosenblatt train failed with exit code {process.returncode}")
    return shown, time.perf_counter() - start


def check_time_estimates(gigabytes: float = GIGABYTES, kinds: Sequence[str] = tuple(KINDS)) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            path = Path(folder, f"{kind}.csv")
            write(kind, path, gigabytes * 1e9)
            os.sync()  # pending writes to the disk would slow the run
            shown, whole = run(path, *KINDS[kind][2])
            rest = [(each.left, whole - each.at) for each in shown if EDGE * whole <= each.at <= (1 - EDGE) * whole]
            errors = [left / true - 1 for left, true in rest] or [float("inf")]
            result = f"{len(rest)} estimates in {whole:.1f} s, off by {min(errors):+.0%} to {max(errors):+.0%}"
            within = bool(rest) and all(abs(left - true) <= WITHIN * true + ROUNDED for left, true in rest)
            yield Finding(kind, f"time left within {WITHIN:.0%}", result, whole, within)
            path.unlink()
            shutil.rmtree(path.parent / "cache")


if __name__ == "__main__":
    size, *chosen = sys.argv[1:] or [str(GIGABYTES)]
    sys.exit(print_findings(check_time_estimates(float(size), chosen or tuple(KINDS))))
