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

from benchmarks.datasets import MissingData, a9a, mnist, output_folder
from benchmarks.tasks import Pair, compared, faster, smaller, task
from benchmarks.timing import Stopwatch, stopwatch

EPOCHS, DIGITS = 5, 5000
OURS = "Perceptron(features='polynomial-2')"
PEER = "PolynomialFeatures(2) + SGDClassifier(loss='perceptron')"


def ours(X: scipy.sparse.csr_matrix, y: np.ndarray) -> float:
    """Fit the perceptron for EPOCHS epochs and return its training accuracy."""
    from rosenblatt import Perceptron

    return Perceptron(features="polynomial-2", max_iter=EPOCHS, random_state=0).fit(X, y).score(X, y)


def peer(X: scipy.sparse.csr_matrix, y: np.ndarray) -> float:
    """The same work; the matrix of products is in memory for all epochs and for the score."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import PolynomialFeatures

    products = PolynomialFeatures(2, include_bias=False).fit_transform(X)
    learner = SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        max_iter=EPOCHS,
        tol=None,
        random_state=0,
    )
    return learner.fit(products, y).score(products, y)


def digits() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Digits as sparse rows; four of five pixels are 0."""
    X, y = mnist(np.float64)
    return scipy.sparse.csr_matrix(X[:DIGITS]), y[:DIGITS]


def against_products(X: scipy.sparse.csr_matrix, y: np.ndarray) -> Pair:
    def remark() -> str:
        return f"{EPOCHS} epochs and predictions, training accuracy {ours(X, y):.1%}, peer {peer(X, y):.1%}"

    return Pair(stopwatch(lambda: ours(X, y)), stopwatch(lambda: peer(X, y)), remark)


@task("polynomial-mnist", f"{OURS}, {DIGITS:,} digits, 308,504 features", PEER, faster(3))
def polynomial_mnist() -> Pair:
    return against_products(*digits())


@task("polynomial-a9a", f"{OURS}, a9a, 7,749 features", PEER, compared())
def polynomial_a9a() -> Pair:
    return against_products(*a9a())


def stored_digits() -> tuple[Path, Path]:
    return output_folder() / "digits.npz", output_folder() / "digits-labels.npy"


@task("polynomial-memory", f"peak memory, {OURS}, {DIGITS:,} digits", PEER, smaller(3))
def polynomial_memory() -> Pair:
    if not Path("/proc/self/status").is_file():
        raise MissingData("/proc is needed for the peak memory of a process")
    X, y = digits()
    rows, labels = stored_digits()
    scipy.sparse.save_npz(rows, X)
    np.save(labels, y)
    return Pair(peak("ours"), peak("peer"), lambda: "each side in its own process")


def peak(side: str) -> Stopwatch:
    """Measure the peak memory in bytes of a process that does the work once."""

    def peak_bytes() -> float:
        command = [sys.executable, "-m", "benchmarks.polynomial", side]
        return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    return peak_bytes


def main() -> None:
    warnings.simplefilter("ignore")
    rows, labels = stored_digits()
    {"ours": ours, "peer": peer}[sys.argv[1]](scipy.sparse.load_npz(rows).tocsr(), np.load(labels))
    print(1024 * int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]))


if __name__ == "__main__":
    main()
