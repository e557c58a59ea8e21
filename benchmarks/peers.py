"""What the peers need before they can do the same work."""

import bisect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.datasets import cache_folder
from benchmarks.timing import stopwatch

MOST_EPOCHS = 1024
MOST_SECONDS = 60.0
VOWPAL_WABBIT_CONSTANT = 11650396  # its index for the weight of the constant


def remembered(file: str, key: str, find: Callable[[], Any]) -> Any:
    """What `find` returns, kept between runs."""
    memory = cache_folder() / file
    known = json.loads(memory.read_text()) if memory.is_file() else {}
    key = f"{key}, numpy {version('numpy')}"
    if key not in known:
        known[key] = find()
        memory.write_text(json.dumps(known, indent=1))
    return known[key]


def fewest_epochs(peer: str, mistakes: Callable[[int], int]) -> int:
    """The fewest epochs after which the peer makes no training mistakes, by bisection; remembered between runs.

    A perceptron without mistakes never moves again, so the epochs that suffice are all those from the fewest on.
    Other peers may err again later; for them it is a number that suffices where one less does not.
    """

    def find() -> int:
        return 1 + bisect.bisect_left(range(1, MOST_EPOCHS), True, key=lambda epochs: mistakes(epochs) == 0)

    return int(remembered("fewest-epochs.json", peer, find))


@dataclass(frozen=True)
class Peer:
    """A peer that is told its number of iterations, and what makes its result good."""

    model: Any
    good: Callable[[Any], bool]

    def fit(self, iterations: int, X: Any, y: np.ndarray) -> float:
        """Fit, and return the seconds."""
        self.model.set_params(max_iter=iterations)
        return stopwatch(lambda: self.model.fit(X, y))()

    def fewest_iterations(self, X: Any, y: np.ndarray, patience: float) -> tuple[int, float] | None:
        """The fewest iterations, to a sixteenth, after which the result is good, and the seconds they take.

        None once too few of them take longer than `patience`, so that a slow peer is given up soon. Told the
        iterations, a peer is never slower than with the loosest tolerance that makes its result good.
        """

        def suffice(iterations: int) -> bool:
            self.fit(iterations, X, y)
            return self.good(self.model)

        iterations = 1
        while (seconds := self.fit(iterations, X, y)) and not self.good(self.model):
            if seconds > patience:
                return None
            iterations *= 2
        step = max(1, iterations // 16)
        fewer = range(iterations // 2 + step, iterations, step)
        found = bisect.bisect_left(fewer, True, key=suffice)
        iterations = fewer[found] if found < len(fewer) else iterations
        return iterations, min(self.fit(iterations, X, y) for _ in range(2))


def fastest(work: str, peers: Mapping[str, Peer], X: Any, y: np.ndarray) -> tuple[str, int]:
    """The peer whose result is good soonest, and after how many iterations; remembered between runs."""
    best, patience = ("", 0), MOST_SECONDS
    for name, peer in peers.items():
        find = partial(peer.fewest_iterations, X, y, patience)
        found = remembered("fewest-iterations.json", f"{work}, {name}", find)
        if found is not None and found[1] < patience:
            best, patience = (name, found[0]), found[1]
    return best


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
