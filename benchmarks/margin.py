"""Maximum margin, against support vector machines that approximate it with C = 1e6.

A peer stops by its own criterion. The remark tells the relative gap of both sides: how far the margin of their
hyperplane, with the best intercept, is below the proved upper bound.
"""

from typing import Any

import numpy as np
from sklearn.svm import SVC, LinearSVC

from benchmarks.datasets import imdb, mushrooms, standardised
from benchmarks.tasks import Pair, faster, task
from benchmarks.timing import stopwatch
from rosenblatt import max_margin


def margin_of(w: np.ndarray, X: Any, y: np.ndarray) -> float:
    """The margin of the weights with the best intercept."""
    scores = np.asarray(X @ w)
    return float(scores[y > 0].min() - scores[y < 0].max()) / 2 / float(np.linalg.norm(w))


def against(peer: Any, X: Any, y: np.ndarray) -> Pair:
    def remark() -> str:
        best = max_margin(X, y)
        reached = margin_of(peer.coef_.reshape(-1), X, y)
        return f"gap {best.gap:.0e}, proved; peer {1 - reached / best.upper:.0e}"

    return Pair(stopwatch(lambda: max_margin(X, y)), stopwatch(lambda: peer.fit(X, y)), remark)


@task("margin-sonar", "max_margin, sonar, 208 x 60", "LIBSVM, C = 1e6", faster(5))
def sonar() -> Pair:
    return against(SVC(kernel="linear", C=1e6, cache_size=1000), *standardised("sonar.csv.xz", "M"))


@task("margin-cancer", "max_margin, breast cancer, 569 x 30", "LIBSVM, C = 1e6", faster(5))
def cancer() -> Pair:
    X, y = standardised("breast_cancer_wdbc.csv.xz", "malignant")
    return against(SVC(kernel="linear", C=1e6, cache_size=1000), X, y)


@task("margin-mushrooms", "max_margin, mushrooms, 8,124 x 126", "LIBSVM, C = 1e6, tol = 1e-6", faster(5))
def mushroom_rows() -> Pair:
    return against(SVC(kernel="linear", C=1e6, tol=1e-6, cache_size=1000), *mushrooms())


@task("margin-imdb", "max_margin, IMDB tf-idf, 25,000 x 74,873", "LIBLINEAR, C = 1e6, 5,000 epochs", faster(5))
def reviews() -> Pair:
    return against(LinearSVC(C=1e6, loss="hinge", tol=1e-9, max_iter=5000, random_state=0), *imdb())
