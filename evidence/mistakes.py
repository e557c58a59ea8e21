"""minimum_mistakes on files with known results."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import minimum_mistakes

from .checks import Finding


class Known(NamedTuple):
    """The lower bound to reach, whether it must be proved to be the minimum, and the time limit in seconds."""

    lower_bound: int
    proved: bool
    seconds: float


KNOWN = {
    "haberman.csv.xz": Known(66, True, 10.0),
    "breast_cancer_wdbc.csv.xz": Known(0, True, 1.0),
    "pima_diabetes.csv.xz": Known(70, False, 60.0),
    "heart_scale.svm.xz": Known(12, False, 30.0),
}


def check_mistakes(file: str, X: Any, y: np.ndarray) -> Iterator[Finding]:
    if file not in KNOWN:
        return
    known = KNOWN[file]
    start = time.perf_counter()
    result = minimum_mistakes(X, y, time_limit=known.seconds)
    seconds = time.perf_counter() - start
    claim = f"{'exactly' if known.proved else 'at least'} {known.lower_bound}, {known.seconds:g} s"
    text = f"{result.lower_bound} to {result.mistakes} mistakes; {len(result.clashes)} clashes"
    reached = result.lower_bound == known.lower_bound if known.proved else result.lower_bound >= known.lower_bound
    holds = reached and result.proved >= known.proved and seconds < known.seconds + 1 and result.verify(X, y)
    yield Finding("minimum_mistakes", claim, f"{text}{'; verified' if holds else ''}", seconds, holds)
