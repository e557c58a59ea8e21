"""Rows to lift, lifts, and every classifier that takes them."""

import numpy as np
from scipy import sparse

from rosenblatt import (
    AveragedPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
)

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR_Y = np.array([0, 1, 1, 0])

FORMS = {"dense": np.asarray, "csr": sparse.csr_matrix, "csc": sparse.csc_matrix}
FAMILY = {
    "perceptron": Perceptron(max_iter=20),
    "joint": Perceptron(max_iter=20, multi_class="joint"),
    "working-set": Perceptron(order="working-set", max_iter=20),
    "averaged": AveragedPerceptron(max_iter=20),
    "pocket": PocketPerceptron(max_iter=20),
    "passive-aggressive": PassiveAggressive(),
    "hinge": LinearSVM(),
    "squared hinge": LinearSVM(loss="squared-hinge"),
    "logistic": LogisticRegression(),
    "softmax": LogisticRegression(multi_class="joint"),
    "unpenalised": LogisticRegression(penalty=None, max_iter=30),
    "sgd": LogisticRegression(solver="sgd", max_iter=20),
    "gd": LinearSVM(solver="gd", max_iter=20),
    "early": LinearSVM(solver="sgd", max_iter=20, early_stopping=True),
}


def some_rows(classes=2, n=80, d=4, seed=0):
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, d)) < 0.6, random.standard_normal((n, d)), 0.0)
    y = np.digitize(X[:, 0] * X[:, -1] + 0.1 * random.standard_normal(n), [0.0, 0.3][: classes - 1])
    return X, y
