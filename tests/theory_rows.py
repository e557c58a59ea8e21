"""Rows for the theorems: separable by a known plane, or overlapping; and the loop of notes 001 itself."""

import numpy as np
from sklearn.datasets import make_blobs

XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])


def separable(seed, rows=60, columns=3, margin=0.1):
    """Rows at least `margin` from a plane with an offset, on both sides of it, and that plane."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((rows, columns)) * rng.choice([0.1, 1, 10])
    b = -np.median(X @ w)
    side = np.where(X @ w + b > 0, 1, -1)
    X += np.outer(side * np.maximum(margin - np.abs(X @ w + b), 0), w)
    return X, side, w, b


def overlapping(seed=0, rows=300):
    X, y = make_blobs(rows, centers=[[0, 0], [1.5, 1]], cluster_std=1.2, random_state=seed)
    return X, y


def loop_of_notes_001(X, y, epochs):
    """Notes 001, section 1, word for word; yields the weights after each visit."""
    theta, theta_0 = np.zeros(X.shape[1]), 0.0
    for _ in range(epochs):
        for x, label in zip(X, y, strict=True):
            if label * (theta @ x + theta_0) <= 0:
                theta = theta + label * x
                theta_0 = theta_0 + label
            yield theta, theta_0
