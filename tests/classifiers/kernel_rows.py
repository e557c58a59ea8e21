"""Rows for kernel perceptrons: whole numbers that no plane gets right, spirals, exclusive or."""

import numpy as np

from rosenblatt.parts.keeps import KEEPS

XOR = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 1, 1, 0])
PLANES_KEPT = [keep for keep in KEEPS if keep != "vote"]


def whole_numbers(seed=0, rows=60, columns=4, classes=2):
    """Small whole numbers, so that every sum is exact, with labels that no plane gets right."""
    random = np.random.default_rng(seed)
    return random.integers(-3, 4, (rows, columns)).astype(float), random.integers(0, classes, rows)


def spirals(rows=200, turns=1.75):
    """Two arms, one the other turned half round."""
    t = np.sqrt(np.linspace(0.02, 1.0, rows // 2)) * turns * 2 * np.pi
    arm = np.column_stack([t * np.cos(t), t * np.sin(t)])
    return np.vstack([arm, -arm]), np.repeat([0, 1], rows // 2)
