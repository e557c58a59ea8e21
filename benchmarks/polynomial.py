"""Training on products of two columns: ours computes them row by row, scikit-learn stores them all first.

`python -m benchmarks.polynomial {ours,peer}` runs one side on the digits once and prints its peak memory.
"""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse

from benchmarks.datasets import Absent, a9a, cache_folder, mnist
from benchmarks.tasks import Pair, compared, faster, smaller, task
from benchmarks.timing import Stopwatch, stopwatch

EPOCHS, DIGITS = 5, 5000
PEER = "PolynomialFeatures(2) + SGDClassifier(loss='perceptron')"


def ours(X: scipy.sparse.csr_matrix, y: np.ndarray) -> float:
    """The share of rows right after some epochs of the perceptron."""
    from rosenblatt import Perceptron

    return Perceptron(features="polynomial-2", max_iter=EPOCHS, random_state=0).fit(X, y).score(X, y)


def peer(X: scipy.sparse.csr_matrix, y: np.ndarray) -> float:
    """The same work: the lifted matrix is kept for all epochs, and for the score."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import PolynomialFeatures

    lifted = PolynomialFeatures(2, include_bias=False).fit_transform(X)
    learner = SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        max_iter=EPOCHS,
        tol=None,
        random_state=0,
    )
    return learner.fit(lifted, y).score(lifted, y)


def digits() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Digits as sparse rows: four pixels of five are 0."""
    X, y = mnist(np.float64)
    return scipy.sparse.csr_matrix(X[:DIGITS]), y[:DIGITS]


def both(X: scipy.sparse.csr_matrix, y: np.ndarray) -> Pair:
    def remark() -> str:
        return f"{EPOCHS} epochs and predictions; right: {ours(X, y):.1%}, peer {peer(X, y):.1%}"

    return Pair(stopwatch(lambda: ours(X, y)), stopwatch(lambda: peer(X, y)), remark)


@task("lift-mnist", f"products of two, {DIGITS:,} digits, 308,504 features", PEER, faster(3))
def lift_mnist() -> Pair:
    return both(*digits())


@task("lift-a9a", "products of two, a9a, 7,749 features", PEER, compared())
def lift_a9a() -> Pair:
    return both(*a9a())


def stored_digits() -> tuple[Path, Path]:
    return cache_folder() / "lifting-digits.npz", cache_folder() / "lifting-labels.npy"


@task("lift-memory", f"peak memory of the process, products of two, {DIGITS:,} digits", PEER, smaller(3))
def lift_memory() -> Pair:
    if not Path("/proc/self/status").is_file():
        raise Absent("this system does not tell the peak memory of a process")
    X, y = digits()
    rows, labels = stored_digits()
    scipy.sparse.save_npz(rows, X)
    np.save(labels, y)
    return Pair(peak("ours"), peak("peer"), lambda: "in processes of their own")


def peak(side: str) -> Stopwatch:
    """The peak memory in bytes of a process that does the work once."""

    def measured() -> float:
        command = [sys.executable, "-m", "benchmarks.polynomial", side]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return measured


def main() -> None:
    warnings.simplefilter("ignore")
    rows, labels = stored_digits()
    {"ours": ours, "peer": peer}[sys.argv[1]](scipy.sparse.load_npz(rows).tocsr(), np.load(labels))
    print(1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]))


if __name__ == "__main__":
    main()
