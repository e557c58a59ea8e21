"""The learners of a penalised loss, their losses, and rows whose classes overlap."""

import numpy as np
import pytest

from rosenblatt import LinearSVM, LogisticRegression

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def hinge(**parameters):
    return LinearSVM(**parameters)


def squared_hinge(**parameters):
    return LinearSVM(loss="squared-hinge", **parameters)


LEARNERS = [LogisticRegression, hinge, squared_hinge]
SMOOTH = [LogisticRegression, squared_hinge]
LOSSES = {
    "logistic": lambda m: np.logaddexp(0, -m),
    "hinge": lambda m: np.maximum(0, 1 - m),
    "squared-hinge": lambda m: np.maximum(0, 1 - m) ** 2,
}


def overlapping(rows=300, columns=5, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, columns))
    return X, (X[:, 0] - X[:, 1] + random.normal(size=rows) > 0.3).astype(int)
