"""Everything but training: margins, predictions, single rows, importing."""

import subprocess
import sys
import time
from itertools import cycle

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron

from benchmarks.datasets import gaussian
from benchmarks.machine import reader
from benchmarks.tasks import Pair, faster, share, task, under, within
from benchmarks.timing import Stopwatch, stopwatch
from rosenblatt import Perceptron

CALLS = 1000  # single rows a run


@task("stream", "margins of all rows, 2,000,000 x 100 float64", "reading the same 1.6 GB on all cores", share(0.8))
def stream() -> Pair:
    X, y = gaussian(2_000_000, 100)
    model = Perceptron(max_iter=1, random_state=0).fit(X[:10_000], y[:10_000])
    return Pair(stopwatch(lambda: model.decision_function(X)), stopwatch(reader(X)))


@task("predict-many", "predict, 1,000,000 x 100 float64", "X @ w", within(1.1))
def predict_many() -> Pair:
    X, y = gaussian(1_000_000, 100)
    model = Perceptron(max_iter=1, random_state=0).fit(X[:10_000], y[:10_000])
    w = model.coef_.ravel()

    def remark() -> str:
        return f"labels as X @ w gives them: {np.mean((model.predict(X) > 0) == (X @ w + model.intercept_ >= 0)):.2%}"

    return Pair(stopwatch(lambda: model.predict(X)), stopwatch(lambda: X @ w), remark)


@task("predict-one", "predict, one row of 100", "scikit-learn Perceptron", faster(5))
def predict_one() -> Pair:
    X, y = gaussian(10_000, 100)
    x = X[:1]
    ours = Perceptron(max_iter=10, random_state=0).fit(X, y)
    peer = ScikitPerceptron(max_iter=10, tol=None, random_state=0).fit(X, y)
    return Pair(stopwatch(lambda: ours.predict(x), CALLS), stopwatch(lambda: peer.predict(x), CALLS))


def learning(model, X: np.ndarray, y: np.ndarray) -> Stopwatch:
    """One `partial_fit` of one row, on the rows in turn."""
    model.partial_fit(X[:1], y[:1], classes=[-1, 1])
    rows = cycle([(X[i : i + 1], y[i : i + 1]) for i in range(len(X))])
    return stopwatch(lambda: model.partial_fit(*next(rows)), CALLS)


@task("partial-fit", "partial_fit, one row of 100", "scikit-learn Perceptron", faster(20))
def partial_fit() -> Pair:
    X, y = gaussian(10_000, 100)
    ours, peer = Perceptron(), ScikitPerceptron()
    return Pair(
        learning(ours, X, y),
        learning(peer, X, y),
        lambda: f"accuracy afterwards {ours.score(X, y):.4f}, peer {peer.score(X, y):.4f}",
    )


def importing(statement: str) -> Stopwatch:
    """The seconds of an import statement in a fresh interpreter, by that interpreter's clock."""
    program = f"import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"

    def seconds() -> float:
        return float(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout)

    return seconds


def bare_interpreter() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - start


@task("import", "import rosenblatt", "starting and ending a bare interpreter", under(60))
def importing_rosenblatt() -> Pair:
    return Pair(importing("import rosenblatt"), bare_interpreter)
