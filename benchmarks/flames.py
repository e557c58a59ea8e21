"""Flame graphs of the three main jobs, for docs/performance.md: `python -m benchmarks.flames`.

Needs py-spy, and a core with symbols: `pip install --editable . -C install.strip=false
-C cmake.build-type=RelWithDebInfo -C "cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O3 -g1 -DNDEBUG"`.
"""

import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.commands import IMDB, OURS, unpack
from benchmarks.datasets import gaussian, mnist, output_folder
from benchmarks.flame_graph import CORE, OTHER, PYTHON, svg, tree
from rosenblatt import LogisticRegression, Perceptron

PY_SPY = Path(sys.executable).with_name("py-spy")
CORE_FOLDER = Path(__file__).parents[1] / "core"
PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
SECONDS = 8.0  # of each job
RATE = 500  # samples a second
REPEATS = 20  # of a command

Frame = tuple[str, str]  # a function and the colour of its box


def perceptron() -> Callable[[], object]:
    X, y = gaussian(480_000, 100)
    return lambda: Perceptron(max_iter=10, n_iter_no_change=10, random_state=0).fit(X, y)


def optimum() -> Callable[[], object]:
    X, y = mnist(np.float64)
    return lambda: LogisticRegression().fit(X, y)


FITS = {
    "perceptron": ("Perceptron, 10 epochs, 480,000 x 100", perceptron),
    "optimum": ("LogisticRegression, optimum, MNIST 60,000 x 784", optimum),
}
COMMAND = "rosenblatt train, IMDB 25,000 reviews"


def repeat(name: str) -> None:
    """Do a job again and again, for py-spy to watch."""
    fit, began = FITS[name][1](), time.monotonic()
    warnings.simplefilter("ignore")
    while time.monotonic() - began < SECONDS:
        fit()


def watched(*command: str | Path) -> list[str]:
    """The stacks that py-spy saw, as lines."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stacks"
        options = ("--native", "--rate", str(RATE), "--format", "raw", "--output", path, "--")
        subprocess.run([PY_SPY, "record", *options, *command], check=True, capture_output=True)
        return path.read_text().splitlines()


def frame(text: str) -> Frame | None:
    """A function as it is shown; None for what only passes calls on, and where nothing is known.

    >>> frame("LinearClassifier.fit (rosenblatt/classifiers/linear.py:123)")
    ('LinearClassifier.fit', '#7fb2e5')
    >>> frame("<module> (rosenblatt/parts/losses.py:9)")
    ('import rosenblatt/parts/losses.py', '#7fb2e5')
    >>> frame("void rosenblatt::avx2::scores<rosenblatt::DenseRows<float> >(int) (scores.hpp:12)")
    ('avx2::scores', '#e8a33d')
    >>> frame("malloc (libc.so.6)"), frame("0x7f00fc04524a (libc.so.6)")
    (('malloc', '#c9c9c9'), None)
    """
    name, _, place = text.removesuffix(")").rpartition(" (")
    file = place.partition(":")[0]
    if file.startswith("<"):
        return None
    if file.endswith(".py"):
        return (f"import {file}" if name == "<module>" else name), PYTHON
    if "rosenblatt::" in name or file in core_files():
        plain = _plain(name)
        return None if PLUMBING.search(plain) else (plain, CORE)
    return None if PLUMBING.search(name) else (name, OTHER)


PLUMBING = re.compile(r"^0x|^<|^_FUN|^_?dl|operator\(?|^std::|^nanobind::|^~|lambda|^__|^Py_|^$")


@cache
def core_files() -> set[str]:
    return {path.name for path in CORE_FOLDER.rglob("*.?pp")}


def _plain(name: str) -> str:
    """The name of a function of the core, without arguments, templates and types."""
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", name)) != name:
        name = shorter
    words = [word for word in name.split() if word not in ("const", "[clone")]
    return words[-1].replace("rosenblatt::", "") if words else ""


def stacks(lines: list[str], begin: str) -> Iterator[tuple[list[Frame], int]]:
    """The stacks from the function `begin` on, and those of the core's other threads."""
    for line in lines:
        names, _, samples = line.rpartition(" ")
        if begin and begin not in names:
            if "rosenblatt" not in names or ".py" in names:
                continue
            names = "other threads (threads);" + names
        elif begin:
            names = names[names.index(begin) :]
        shown = [found for found in map(frame, names.split(";")) if found]
        yield [one for k, one in enumerate(shown) if k == 0 or one != shown[k - 1]], int(samples)


def save(name: str, title: str, lines: list[str], begin: str) -> None:
    path = PICTURES / f"flame-{name}.svg"
    path.write_text(svg(tree(stacks(lines, begin)), title))
    print(f"{path.name}: {sum(int(line.rpartition(' ')[2]) for line in lines):,} samples")


def main() -> int:
    if len(sys.argv) == 2:
        repeat(sys.argv[1])
        return 0
    for name, (title, _) in FITS.items():
        save(name, title, watched(sys.executable, "-m", "benchmarks.flames", name), "LinearClassifier.fit (")
    train, model = unpack("imdb50k.tsv.xz", "train"), output_folder() / "flames-model"
    command = [*OURS, "train", train, "--target", "label", *IMDB, "--quiet", "--force", "--model", model]
    save("train", COMMAND, [line for _ in range(REPEATS) for line in watched(*command)], "")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
