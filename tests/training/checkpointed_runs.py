"""Runs with checkpoints: trained, killed in this process, refused, and what was learned."""

import numpy as np
from typer.testing import CliRunner

from rosenblatt.cli.app import app
from rosenblatt.engine import run as engine
from rosenblatt.engine import side_by_side
from rosenblatt.model.file import read
from rosenblatt.solvers import dual
from rosenblatt.training.checkpoint import Checkpoint

LONG = ("--algorithm", "perceptron", "--max-iter", "10000000", "--set", "n_iter_no_change=10000000")


class Killed(BaseException):
    """What no code but a test raises."""


def write_table(path, rows=1300, classes=2, seed=0):
    """Classes that overlap."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, 4))
    scores = X @ random.standard_normal((4, classes)) + random.standard_normal((rows, classes))
    lines = [
        ",".join([*(f"{value:.4f}" for value in row), f"k{k}"]) for row, k in zip(X, scores.argmax(1), strict=True)
    ]
    path.write_text("\n".join(["a,b,c,d,kind", *lines]) + "\n")


def train(*words, table="two.csv", model="model", into="kept"):
    where = () if into is None else ("--checkpoint", into)
    return CliRunner().invoke(app, ["train", table, "--target", "kind", "--model", model, *where, *map(str, words)])


def killed(monkeypatch, writes, *words, **how):
    """The same, but killed, if only in this process, after some checkpoints; each of its slices ends with one.

    Returns the result where it ends before.
    """
    write, count = Checkpoint.write, [0]

    def written(self, *given):
        write(self, *given)
        count[0] += 1
        if count[0] == writes:
            raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "write", written)
        patched.setattr(Checkpoint, "due", lambda self, step: True)
        for module in (engine, dual):
            patched.setattr(module, "SLICE_VALUES", 1000)
            patched.setattr(module, "SLICE_SECONDS", 1e-4)
        patched.setattr(side_by_side, "WAIT_SECONDS", 1e-4)
        try:
            return train(*words, **how)
        except Killed:
            return None


def content(path):
    """All of a model but the time it took."""
    model = read(path)
    learned = model.learned
    history = {name: values.tobytes() for name, values in learned.history.items() if name != "seconds"}
    return learned.coef.tobytes(), learned.intercept.tobytes(), str(learned.status), history, model.parameters


def refused(result, *words):
    """One sentence on standard error, after that it resumes if it did, and exit code 2."""
    assert result.exit_code == 2
    *before, line = result.stderr.splitlines()
    assert all(text.startswith("resuming") for text in before)
    assert line.startswith("error: ")
    for word in words:
        assert word in line
    return line
