"""Training killed (SIGKILL) at random moments, also while it writes a checkpoint, resumes and ends with the same bits.

`python -m evidence.crash_recovery 3 svm softmax` kills each of these two runs three times.
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

from .checks import Finding, print_findings

KILLS = 20  # per run
ROWS, NUMBERS, NAMES = 60_000, 12, 400
TWO, THREE = ("--target", "two", "--drop", "three"), ("--target", "three", "--drop", "two")
MOMENTS = ("after the start", "after a checkpoint", "during a write")
NO_EARLY_STOP = ("--set", "n_iter_no_change=1000")
PRECISE = ("--set", "tol=1e-10")

# Each run takes about a second, and more than half of that is training.
RUNS = {
    "perceptron": (*THREE, "--algorithm", "perceptron", "--max-iter", "60"),
    "cyclic": (*TWO, "--algorithm", "perceptron", "--order", "cyclic", "--max-iter", "150"),
    "averaged": (*THREE, "--algorithm", "averaged", "--multi-class", "joint", "--max-iter", "40", *NO_EARLY_STOP),
    "pocket": (*TWO, "--algorithm", "pocket", "--max-iter", "150", *NO_EARLY_STOP),
    "passive-aggressive": (*TWO, "--algorithm", "passive-aggressive", "--max-iter", "80", *NO_EARLY_STOP),
    "svm": (*TWO, "--algorithm", "svm"),
    "squared-hinge": (*THREE, "--algorithm", "svm", "--set", "loss=squared-hinge", *PRECISE),
    "logistic": (*TWO, "--algorithm", "logistic", *PRECISE),
    "softmax": (*THREE, "--algorithm", "logistic", "--multi-class", "joint", *PRECISE),
    "sgd": (*TWO, "--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--max-iter", "20"),
}


def write_table(path: Path) -> None:
    generator = np.random.default_rng(0)
    X, names = generator.standard_normal((ROWS, NUMBERS)), generator.integers(0, NAMES, (ROWS, 2))
    scores = X @ generator.standard_normal((NUMBERS, 3)) + 2 * generator.standard_normal((ROWS, 3))
    two, three = (scores[:, 0] > scores[:, 1]).astype(int), scores.argmax(axis=1)
    with path.open("w") as file:
        file.write(",".join([*(f"c{k}" for k in range(NUMBERS)), "u", "v", "two", "three"]) + "\n")
        for numbers, (u, v), a, b in zip(X, names, two, three, strict=True):
            file.write(",".join([*(f"{x:.4f}" for x in numbers), f"u{u}", f"v{v}", "ab"[a], "xyz"[b]]) + "\n")


def start_training(folder: Path, run: Sequence[str], *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rosenblatt.cli", "train", "table.csv", *run, "--quiet", *more]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def wait_for_end(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate()
    if process.returncode != 0 or errors:
        raise RuntimeError(f"rosenblatt train failed with exit code {process.returncode}: {errors}")


def content(path: Path) -> Any:
    """Everything in a model except the times."""
    learned = read(path).learned
    history = {name: values.tobytes() for name, values in learned.history.items() if name != "seconds"}
    return learned.coef.tobytes(), learned.intercept.tobytes(), str(learned.status), history


def kill(process: subprocess.Popen[str], checkpoint: Path, seconds: float, moment: str) -> bool:
    """Kill a run a random time after its start or its first checkpoint, or while it writes a later checkpoint.

    Returns whether it was still running.
    """
    if moment != "after the start":
        while process.poll() is None and not (checkpoint / FILE).exists():
            time.sleep(0.001)
    time.sleep(random.uniform(0.0, seconds))
    while moment == "during a write" and process.poll() is None and not is_writing(checkpoint):
        pass
    process.kill()
    process.communicate()
    return process.returncode == -9


def is_writing(checkpoint: Path) -> bool:
    return checkpoint.is_dir() and any(name.startswith(f".{FILE}") for name in os.listdir(checkpoint))


def check_run(name: str, folder: Path, kills: int) -> Finding:
    """Start a run `kills` times, kill it at each of the moments in turn, resume it, and compare the models."""
    start, whole = time.perf_counter(), folder / "whole"
    wait_for_end(start_training(folder, RUNS[name], "--model", whole.name))
    seconds = dict.fromkeys(MOMENTS, time.perf_counter() - start)
    same = damaged = resumed = half_written = done = 0
    while done < kills:
        moment = MOMENTS[done % len(MOMENTS)]
        checkpoint, model = folder / f"checkpoint-{name}-{done}", folder / f"model-{name}-{done}"
        options = ("--model", model.name, "--checkpoint", checkpoint.name, "--checkpoint-every", "0")
        if not kill(start_training(folder, RUNS[name], *options), checkpoint, seconds[moment], moment):
            seconds[moment] *= 0.7  # the run had ended, so kill earlier next time
            rmtree(checkpoint)
            model.unlink()
            continue
        done += 1
        resumed += (checkpoint / FILE).exists()
        half_written += is_writing(checkpoint)
        damaged += (checkpoint / FILE).exists() and not is_whole(checkpoint / FILE)
        damaged += model.exists() and content(model) != content(whole)
        wait_for_end(start_training(folder, RUNS[name], *options))
        same += content(model) == content(whole) and is_whole(checkpoint / FILE)
    result = f"{same} identical; {resumed} resumed, {half_written} killed during a write, {damaged} damaged files"
    holds = same == kills and damaged == 0
    return Finding(name, f"{kills} kills, same bits", result, time.perf_counter() - start, holds)


def is_whole(file: Path) -> bool:
    try:
        trees.read(file.read_bytes())
    except trees.Damaged:
        return False
    return True


def check_recovery(kills: int = KILLS, names: Sequence[str] = tuple(RUNS)) -> Iterator[Finding]:
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder, "table.csv"))
        for name in names:
            yield check_run(name, Path(folder), kills)


if __name__ == "__main__":
    count, *chosen = sys.argv[1:] or [str(KILLS)]
    sys.exit(print_findings(check_recovery(int(count), chosen or tuple(RUNS))))
