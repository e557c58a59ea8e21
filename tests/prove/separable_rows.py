"""Rows that a known plane separates, the three points of the notes, and exclusive or, which none separates."""

import numpy as np

NOTES = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]


def separable(seed, rows=40, columns=3, gap=0.3, offset=0.3):
    """Rows further than `gap` from a plane at distance `offset` from the origin."""
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((rows, columns)), rng.standard_normal(columns)
    w /= np.linalg.norm(w)
    distance = X @ w - offset
    side = np.where(distance > 0, 1, -1)
    side[:2] = -1, 1
    return X + (side * (np.abs(distance) + gap) - distance)[:, None] * w, side
