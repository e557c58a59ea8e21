"""Training that is killed (-9) at random moments, as checkpoints are written too, goes on and ends with the same bits.

A part of it: `python -m evidence.crash_recovery 3 svm softmax` kills each of these three times.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from rosenblatt.foundation import state_file as trees
from rosenblatt.model.file import read
from rosenblatt.training.checkpoint import FILE

from .checks import Finding, told

KILLS = 20  # of each run
ROWS, NUMBERS, NAMES = 60_000, 12, 400
TWO, THREE = ("--target", "two", "--drop", "three"), ("--target", "three", "--drop", "two")
HOW = ("from the start", "later", "writing")
PATIENT = ("--set", "n_iter_no_change=1000")
PRECISE = ("--set", "tol=1e-10")

# Each takes about a second, more than half of it training.
RUNS = {
    "perceptron": (*THREE, "--algorithm", "perceptron", "--max-iter", "60"),
    "cyclic": (*TWO, "--algorithm", "perceptron", "--order", "cyclic", "--max-iter", "150"),
    "averaged": (*THREE, "--algorithm", "averaged", "--multi-class", "joint", "--max-iter", "40", *PATIENT),
    "pocket": (*TWO, "--algorithm", "pocket", "--max-iter", "150", *PATIENT),
    "passive-aggressive": (*TWO, "--algorithm", "passive-aggressive", "--max-iter", "80", *PATIENT),
    "svm": (*TWO, "--algorithm", "svm"),
    "squared-hinge": (*THREE, "--algorithm", "svm", "--set", "loss=squared-hinge", *PRECISE),
    "logistic": (*TWO, "--algorithm", "logistic", *PRECISE),
    "softmax": (*THREE, "--algorithm", "logistic", "--multi-class", "joint", *PRECISE),
    "sgd": (*TWO, "--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--max-iter", "20"),
}


def write_table(path: Path) -> None:
    made = np.random.default_rng(0)
    X, names = made.standard_normal((ROWS, NUMBERS)), made.integers(0, NAMES, (ROWS, 2))
    scores = X @ made.standard_normal((NUMBERS, 3)) + 2 * made.standard_normal((ROWS, 3))
    two, three = (scores[:, 0] > scores[:, 1]).astype(int), scores.argmax(axis=1)
    with path.open("w") as file:
        file.write(",".join([*(f"c{k}" for k in range(NUMBERS)), "u", "v", "two", "three"]) + "\n")
        for numbers, (u, v), a, b in zip(X, names, two, three, strict=True):
            file.write(",".join([*(f"{x:.4f}" for x in numbers), f"u{u}", f"v{v}", "ab"[a], "xyz"[b]]) + "\n")


def started(folder: Path, run: Sequence[str], *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rosenblatt.cli", "train", "table.csv", *run, "--quiet", *more]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> None:
    _, said = process.communicate()
    if process.returncode != 0 or said:
        raise RuntimeError(f"ended with {process.returncode}: {said}")


def content(path: Path) -> Any:
    """All of a model but the time it took."""
    learned = read(path).learned
    history = {name: values.tobytes() for name, values in learned.history.items() if name != "seconds"}
    return learned.coef.tobytes(), learned.intercept.tobytes(), str(learned.status), history


def kill(process: subprocess.Popen[str], kept: Path, seconds: float, how: str) -> bool:
    """Kill a run some time after its start, or after its first checkpoint, or as it writes a later one.

    Returns whether it was still going.
    """
    if how != "from the start":
        while process.poll() is None and not (kept / FILE).exists():
            time.sleep(0.001)
    time.sleep(random.uniform(0.0, seconds))
    while how == "writing" and process.poll() is None and not is_writing(kept):
        pass
    process.kill()
    process.communicate()
    return process.returncode == -9


def is_writing(kept: Path) -> bool:
    return kept.is_dir() and any(name.startswith(f".{FILE}") for name in os.listdir(kept))


def check_run(name: str, folder: Path, kills: int) -> Finding:
    """One run, killed so many times, each time from its beginning, in three ways by turns."""
    began, whole = time.perf_counter(), folder / "whole"
    ended(started(folder, RUNS[name], "--model", whole.name))
    seconds = dict.fromkeys(HOW, time.perf_counter() - began)
    same = damaged = resumed = halves = done = 0
    while done < kills:
        how, kept, model = HOW[done % len(HOW)], folder / f"kept-{name}-{done}", folder / f"model-{name}-{done}"
        again = ("--model", model.name, "--checkpoint", kept.name, "--checkpoint-every", "0")
        if not kill(started(folder, RUNS[name], *again), kept, seconds[how], how):
            seconds[how] *= 0.7  # it had ended: sooner, next time
            rmtree(kept)
            model.unlink()
            continue
        done += 1
        resumed += (kept / FILE).exists()
        halves += is_writing(kept)
        damaged += (kept / FILE).exists() and not is_whole(kept / FILE)
        damaged += model.exists() and content(model) != content(whole)
        ended(started(folder, RUNS[name], *again))
        same += content(model) == content(whole) and is_whole(kept / FILE)
    found = f"{same} identical; {resumed} from a checkpoint, {halves} killed as they wrote one, {damaged} files damaged"
    holds = same == kills and damaged == 0
    return Finding(name, f"{kills} kills, same bits", found, time.perf_counter() - began, holds)


def is_whole(file: Path) -> bool:
    try:
        trees.read(file.read_bytes())
    except trees.Damaged:
        return False
    return True


def check_kills(kills: int = KILLS, names: Sequence[str] = tuple(RUNS)) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder, "table.csv"))
        for name in names:
            yield check_run(name, Path(folder), kills)


if __name__ == "__main__":
    count, *chosen = sys.argv[1:] or [str(KILLS)]
    sys.exit(told(check_kills(int(count), chosen or tuple(RUNS))))
