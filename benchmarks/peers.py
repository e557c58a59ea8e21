"""What a peer needs before it can be timed: its number of iterations, or its own file format."""

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
MOST_ITERATIONS = 1 << 20
MOST_SECONDS = 60.0
VOWPAL_WABBIT_CONSTANT = 11650396  # its index of the intercept


class NoPeer(Exception):
    """No peer reaches a good result in the time it is given."""


def cached(file: str, key: str, find: Callable[[], Any]) -> Any:
    """The result of `find`, kept in a JSON file between runs."""
    path = cache_folder() / file
    known = json.loads(path.read_text()) if path.is_file() else {}
    key = f"{key}, numpy {version('numpy')}"
    if key not in known:
        known[key] = find()
        path.write_text(json.dumps(known, indent=1))
    return known[key]


def fewest_epochs(peer: str, mistakes: Callable[[int], int]) -> int:
    """The fewest epochs after which the peer makes no training mistakes, by bisection; cached between runs.

    A perceptron without mistakes makes no further updates, so every larger number of epochs suffices too. Other peers
    may make mistakes again; for them the result is a number that suffices where one less does not.
    """

    def find() -> int:
        return 1 + bisect.bisect_left(range(1, MOST_EPOCHS), True, key=lambda epochs: mistakes(epochs) == 0)

    return int(cached("fewest-epochs.json", peer, find))


@dataclass(frozen=True)
class Peer:
    """A peer with a fixed number of iterations, and the test that its result is good enough."""

    model: Any
    good: Callable[[Any], bool]

    def fit(self, iterations: int, X: Any, y: np.ndarray) -> float:
        """Fit and return the seconds."""
        self.model.set_params(max_iter=iterations)
        return stopwatch(lambda: self.model.fit(X, y))()

    def fewest_iterations(self, X: Any, y: np.ndarray, patience: float) -> tuple[int, float] | None:
        """The fewest iterations, to one sixteenth, that give a good result, and the seconds they take.

        Returns None as soon as too few iterations take longer than `patience` seconds, or are more than any peer
        needs: one that gives up by itself never gets there. With a fixed number of
        iterations, a peer is never slower than with the loosest tolerance that gives a good result.
        """

        def suffice(iterations: int) -> bool:
            self.fit(iterations, X, y)
            return self.good(self.model)

        iterations = 1
        while (seconds := self.fit(iterations, X, y)) and not self.good(self.model):
            if seconds > patience or iterations > MOST_ITERATIONS:
                return None
            iterations *= 2
        step = max(1, iterations // 16)
        fewer = range(iterations // 2 + step, iterations, step)
        found = bisect.bisect_left(fewer, True, key=suffice)
        iterations = fewer[found] if found < len(fewer) else iterations
        return iterations, min(self.fit(iterations, X, y) for _ in range(2))


def fastest(work: str, peers: Mapping[str, Peer], X: Any, y: np.ndarray) -> tuple[str, int]:
    """The peer that reaches a good result first, and its number of iterations; cached between runs."""
    best, patience = ("", 0), MOST_SECONDS
    for name, peer in peers.items():
        find = partial(peer.fewest_iterations, X, y, patience)
        found = cached("fewest-iterations.json", f"{work}, {name}", find)
        if found is not None and found[1] < patience:
            best, patience = (name, found[0]), found[1]
    if not best[0]:
        raise NoPeer(f"no peer reached that within {MOST_SECONDS:.0f} s")
    return best


def write_vowpal_wabbit(path: Path, X: scipy.sparse.csr_matrix, y: np.ndarray) -> None:
    """Write the rows in Vowpal Wabbit's text format; Vowpal Wabbit writes its binary cache next to it."""
    if not path.is_file():
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("w") as file:
            for row, label in enumerate(y):
                entries = slice(X.indptr[row], X.indptr[row + 1])
                pairs = zip(X.indices[entries].tolist(), X.data[entries].tolist(), strict=True)
                file.write(f"{label} | " + " ".join(f"{column}:{value:.17g}" for column, value in pairs) + "\n")
        unfinished.rename(path)
