"""How far the main jobs are from the least time that memory allows: `python -m benchmarks.roofs`.

A job must read its rows once in each pass. The roof is the time to read them at the rate at which all cores together
read memory. A job in one thread cannot reach it where one core reads more slowly, so that rate is printed, too. The
table replaces the one in docs/performance.md.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.datasets import MissingData, gaussian, imdb, mnist, noisy
from benchmarks.machine import cores, processor, read_rate
from benchmarks.report import commit
from benchmarks.timing import run_after_pause, stopwatch
from rosenblatt import AveragedPerceptron, LinearSVM, LogisticRegression, Perceptron

PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
FIRST, LAST = "<!-- roofs -->\n", "<!-- end of roofs -->\n"
RUNS = 5


class Job(NamedTuple):
    """A call, the passes over its rows, and the bytes of the rows."""

    name: str
    run: Callable[[], object]
    passes: float
    bytes: int


def row_bytes(X: Any) -> int:
    return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def fit_job(name: str, model: Any, X: Any, y: np.ndarray) -> Job:
    """Training of a model. Its visits, checks included, tell the passes."""
    model.fit(X, y)
    return Job(name, lambda: model.fit(X, y), float(np.sum(model.n_visits_)) / len(y), row_bytes(X))


def jobs() -> Iterator[Job]:
    X, y = gaussian(480_000, 100)
    perceptron = Perceptron(max_iter=10, n_iter_no_change=10, random_state=0)
    yield fit_job("Perceptron, 10 epochs, 480,000 x 100", perceptron, X, y)
    yield fit_job("LinearSVM by SGD, 10 epochs, 480,000 x 100", LinearSVM(solver="sgd", max_iter=10, tol=0), X, y)
    yield Job("predict, 480,000 x 100", lambda: perceptron.predict(X), 1.0, row_bytes(X))
    X, y = noisy(480_000, 100)
    yield fit_job("LogisticRegression, optimum, 480,000 x 100", LogisticRegression(), X, y)
    X, y = mnist(np.float32)
    yield fit_job("Perceptron, 10 epochs, MNIST float32", Perceptron(max_iter=10, n_iter_no_change=10), X, y)
    X, y = imdb()
    averaged = AveragedPerceptron(max_iter=10, n_iter_no_change=10, random_state=0)
    yield fit_job("AveragedPerceptron, 10 epochs, IMDB tf-idf", averaged, X, y)
    yield fit_job("LogisticRegression, optimum, IMDB tf-idf", LogisticRegression(), X, y)


def table(rate: float) -> list[str]:
    lines = ["| job | bytes a pass | passes | roof | measured | share of the roof |", "|---|---:|---:|---:|---:|---:|"]
    for job in jobs():
        seconds = min(run_after_pause(stopwatch(job.run)) for _ in range(RUNS))
        roof = job.passes * job.bytes / rate
        cells = (job.name, f"{job.bytes / 1e6:.0f} MB", f"{job.passes:.1f}", f"{roof * 1e3:.1f} ms")
        lines.append(f"| {' | '.join(cells)} | {seconds * 1e3:.1f} ms | {100 * roof / seconds:.0f} % |")
        print(lines[-1], file=sys.stderr)
    return lines


def one_core_rate() -> float:
    """The rate at which one core reads memory."""
    X = np.ones(2**27)
    return X.nbytes / min(stopwatch(X.max)() for _ in range(RUNS))


def main() -> None:
    rate = read_rate()
    machine = (
        f"{processor()}, {cores()} cores, reading {rate / 1e9:.1f} GB/s together and {one_core_rate() / 1e9:.1f} alone"
    )
    head = f"`python -m benchmarks.roofs` on {date.today()}, commit {commit()}: {machine}; best of {RUNS}."
    text = "\n".join([head, "", *table(rate), ""])
    before, _, rest = PAGE.read_text().partition(FIRST)
    PAGE.write_text(before + FIRST + text + LAST + rest.partition(LAST)[2])
    print(text)


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # ten epochs end with mistakes left
    if not os.environ.get("ROSENBLATT_DATA"):
        sys.exit("Set ROSENBLATT_DATA to the folder of the real datasets.")
    try:
        main()
    except MissingData as error:
        sys.exit(f"{error}.")
