"""What the peers need before they can do the same work."""

import bisect
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.sparse

from benchmarks.datasets import cache_folder

MOST_EPOCHS = 1024
VOWPAL_WABBIT_CONSTANT = 11650396  # its index for the weight of the constant


def fewest_epochs(peer: str, mistakes: Callable[[int], int]) -> int:
    """The fewest epochs after which the peer makes no training mistakes, by bisection; remembered between runs.

    A perceptron without mistakes never moves again, so the epochs that suffice are all those from the fewest on.
    Other peers may err again later; for them it is a number that suffices where one less does not.
    """
    memory = cache_folder() / "fewest-epochs.json"
    known = json.loads(memory.read_text()) if memory.is_file() else {}
    key = f"{peer}, numpy {version('numpy')}"
    if key not in known:
        known[key] = 1 + bisect.bisect_left(range(1, MOST_EPOCHS), True, key=lambda epochs: mistakes(epochs) == 0)
        memory.write_text(json.dumps(known, indent=1))
    return int(known[key])


def vowpal_wabbit_rows(name: str, X: scipy.sparse.csr_matrix, y: np.ndarray) -> Path:
    """The rows in Vowpal Wabbit's text format, columns as numbers; it makes its own binary cache beside it."""
    path = cache_folder() / f"{name}.vw"
    if not path.is_file():
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("w") as file:
            for row, label in enumerate(y):
                entries = slice(X.indptr[row], X.indptr[row + 1])
                pairs = zip(X.indices[entries].tolist(), X.data[entries].tolist(), strict=True)
                file.write(f"{label} | " + " ".join(f"{column}:{value:.17g}" for column, value in pairs) + "\n")
        unfinished.rename(path)
    return path
