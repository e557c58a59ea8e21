"""The commands that `crash_recovery` kills, and what their files must hold. Each takes less than a second."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow.csv

from rosenblatt import load
from rosenblatt.model.file import read, write
from rosenblatt.model.header import to_header
from rosenblatt.training.online.endless_input import EndlessInput
from rosenblatt.training.request import Request

TABLE, MODEL, OUT = "table.csv", "model", "out"
ROWS, NUMBERS, NAMES = 12_000, 12, 100
TWO, THREE = ("--target", "two", "--drop", "three"), ("--target", "three", "--drop", "two")
CHECK = ("check", TABLE, *TWO, "--drop", "u", "--drop", "v")  # with categories the proof takes minutes
NO_EARLY_STOP = ("--set", "n_iter_no_change=1000")
PRECISE = ("--set", "tol=1e-10")
WRITE = ("-o", OUT, "--force")
SAVE = ("--checkpoint", "saved", "--checkpoint-every", "0.000001")
CACHE = ("--cache", "cache")


class Command(NamedTuple):
    """A command that writes the file OUT."""

    words: Sequence[str]
    content: Callable[[Path], Any]  # all that OUT says, except what depends on time
    saved: str = ""  # what it saves on the way: a pattern of paths
    stdin: str = os.devnull
    is_right_on_the_way: Callable[[Path], bool] = lambda _: False  # whether OUT is as it should be amid the run
    on_disk: bool = False  # whether the table is encoded in a cache


def train(*options: str) -> Command:
    words = ("train", TABLE, *options, *WRITE, *SAVE, "--quiet")
    return Command(words, model_content, "saved/checkpoint.safetensors")


def model_content(path: Path) -> Any:
    """All that a model file holds except times, and into how many pieces the input was cut."""
    header, tensors = to_header(read(path))
    if "stream" in header:
        del header["stream"]["calls"]
        for state in header["stream"]["states"]:
            del state["passes"]
    return header, {name: values.tobytes() for name, values in tensors.items() if name != "history.seconds"}


def is_model_of_first_rows(path: Path) -> bool:
    """Whether a model is that of so many rows, and learns the rows after them with the same result."""
    rows = read(path).learned.n_visits
    lines = path.with_name(TABLE).read_bytes().splitlines(keepends=True)
    endless = EndlessInput(Request(target="two", drop=("three",)))
    endless.feed(b"".join(lines[: 1 + rows]))
    expected = path.with_name("first rows")
    write(endless.model(), expected)
    try:
        return model_content(path) == model_content(expected) and continued(path, rows) == continued(expected, rows)
    finally:
        expected.unlink()


def continued(path: Path, rows: int) -> bytes:
    """The weights after all rows but the first ones were learned, too."""
    encoder, classifier = load(path)
    rest = pyarrow.csv.read_csv(path.with_name(TABLE)).slice(rows)
    return bytes(classifier.partial_fit(encoder.transform(rest), rest["two"].to_numpy()).coef_.tobytes())


COMMANDS = {
    "perceptron": train(*THREE, "--algorithm", "perceptron", "--max-iter", "60"),
    "cyclic": train(*TWO, "--algorithm", "perceptron", "--order", "cyclic", "--max-iter", "150"),
    "averaged": train(*THREE, "--algorithm", "averaged", "--multi-class", "joint", "--max-iter", "40", *NO_EARLY_STOP),
    "pocket": train(*TWO, "--algorithm", "pocket", "--max-iter", "150", *NO_EARLY_STOP),
    "passive-aggressive": train(*TWO, "--algorithm", "passive-aggressive", "--max-iter", "80", *NO_EARLY_STOP),
    "svm": train(*TWO, "--algorithm", "svm"),
    "squared-hinge": train(*THREE, "--algorithm", "svm", "--set", "loss=squared-hinge", *PRECISE),
    "logistic": train(*TWO, "--algorithm", "logistic", *PRECISE),
    "softmax": train(*THREE, "--algorithm", "logistic", "--multi-class", "joint", *PRECISE),
    "sgd": train(*TWO, "--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--max-iter", "20"),
    "train-on-disk": train(*TWO, "--algorithm", "averaged", "--max-iter", "20", *NO_EARLY_STOP, *CACHE)._replace(
        saved="cache/[!.]*", on_disk=True
    ),
    "endless": Command(
        ("train", "-", *TWO, "--save-every", "1500rows", *WRITE, "--quiet"),
        model_content,
        saved=OUT,
        stdin=TABLE,
        is_right_on_the_way=is_model_of_first_rows,
    ),
    "check": Command((*CHECK, *WRITE, "--quiet"), Path.read_bytes),
    "check-on-disk": Command((*CHECK, *WRITE, *CACHE, "--quiet"), Path.read_bytes, "cache/[!.]*", on_disk=True),
    "predict": Command(("predict", MODEL, TABLE, "--add", "--probabilities", *WRITE), Path.read_bytes),
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
