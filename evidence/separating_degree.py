"""separating_degree: the least polynomial degree that separates a table, with proofs; training reaches it too."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt import Perceptron, separating_degree

from .checks import Finding

MAX_DEGREE = 4
SECONDS = 60.0
FILES: dict[str, int | None] = {"banknote.csv.xz": 2, "pima_diabetes.csv.xz": 4, "haberman.csv.xz": None}


def check_separating_degree(file: str, X: Any, y: np.ndarray) -> Iterator[Finding]:
    if file not in FILES:
        return
    start = time.perf_counter()
    answer = separating_degree(X, y, max_degree=MAX_DEGREE, time_limit=SECONDS)
    verified, seconds = answer.verify(X, y), time.perf_counter() - start
    kinds = ", ".join(f"{degree}: {verdict.kind}" for degree, verdict in answer.verdicts.items())
    result = f"{kinds}{', two equal rows have different classes' if answer.twins else ''}; verified: {verified}"
    claim = f"degree {FILES[file]}" if FILES[file] else "no degree"
    yield Finding("separating_degree", claim, result, seconds, verified and answer.degree == FILES[file])
    if answer.degree == 2:  # few enough features for training
        start = time.perf_counter()
        model = Perceptron(features="polynomial-2", order="working-set", max_iter=100_000, random_state=0).fit(X, y)
        result, seconds = str(model.status_), time.perf_counter() - start
        yield Finding("Perceptron, polynomial-2", "no mistakes", result, seconds, model.status_.mistakes == 0)
