"""Kernel perceptron on 10,000 digits, against scikit-learn's SVC with the same Gaussian kernel."""

import numpy as np
from sklearn.svm import SVC

from benchmarks.datasets import even_and_odd
from benchmarks.tasks import Pair, faster, task
from benchmarks.timing import stopwatch
from rosenblatt import KernelPerceptron

ROWS, GAMMA, CACHE = 10_000, 0.03, 1000
PEER = "scikit-learn SVC, C=10"


def models() -> tuple[KernelPerceptron, SVC]:
    """Both models, with a cache for the whole kernel matrix. C and gamma give SVC its least test error."""
    ours = KernelPerceptron(gamma=GAMMA, keep="average", cache_size=CACHE, random_state=0)
    return ours, SVC(C=10.0, gamma=GAMMA, cache_size=CACHE)


def digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    X, y, Z, z = even_and_odd(np.float32)
    return X[:ROWS], y[:ROWS], Z, z


@task("kernel-fit", "KernelPerceptron.fit, Gaussian, 10,000 digits", PEER, faster(10))
def fit() -> Pair:
    X, y, Z, z = digits()
    ours, peer = models()
    wide = X.astype(np.float64)  # SVC needs float64
    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(lambda: peer.fit(wide, y)),
        lambda: f"test error {np.mean(ours.predict(Z) != z):.2%}, peer {np.mean(peer.predict(Z) != z):.2%}",
    )


@task("kernel-predict", "KernelPerceptron.predict, Gaussian, 10,000 digits", PEER, faster(10))
def predict() -> Pair:
    X, y, Z, _ = digits()
    ours, peer = (model.fit(X, y) for model in models())
    wide = Z.astype(np.float64)
    return Pair(
        stopwatch(lambda: ours.predict(Z)),
        stopwatch(lambda: peer.predict(wide)),
        lambda: f"{len(ours.support_):,} support vectors, peer {len(peer.support_):,}",
    )
