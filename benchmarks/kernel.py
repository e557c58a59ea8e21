"""Kernels: training and prediction on 10,000 digits against scikit-learn's SVC at the same Gaussian."""

import numpy as np
from sklearn.svm import SVC

from benchmarks.datasets import even_and_odd
from benchmarks.tasks import Pair, faster, task
from benchmarks.timing import stopwatch
from rosenblatt import KernelPerceptron

ROWS, GAMMA, CACHE = 10_000, 0.03, 1000
PEER = "scikit-learn SVC, C=10"


def sides() -> tuple[KernelPerceptron, SVC]:
    """Both with room for the whole kernel matrix. C and gamma are those with which SVC errs least."""
    ours = KernelPerceptron(gamma=GAMMA, keep="average", cache_size=CACHE, random_state=0)
    return ours, SVC(C=10.0, gamma=GAMMA, cache_size=CACHE)


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    X, y, Z, z = even_and_odd(np.float32)
    return X[:ROWS], y[:ROWS], Z, z


@task("kernel-fit", "Gaussian kernel, 10,000 digits, fit", PEER, faster(10))
def fitting() -> Pair:
    X, y, Z, z = digits()
    ours, peer = sides()
    wide = X.astype(np.float64)  # what SVC works with
    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(lambda: peer.fit(wide, y)),
        lambda: f"test error {np.mean(ours.predict(Z) != z):.2%}, peer {np.mean(peer.predict(Z) != z):.2%}",
    )


@task("kernel-predict", "Gaussian kernel, 10,000 digits, predict", PEER, faster(10))
def predicting() -> Pair:
    X, y, Z, _ = digits()
    ours, peer = (side.fit(X, y) for side in sides())
    wide = Z.astype(np.float64)
    return Pair(
        stopwatch(lambda: ours.predict(Z)),
        stopwatch(lambda: peer.predict(wide)),
        lambda: f"{len(ours.support_):,} rows of support, peer {len(peer.support_):,}",
    )
