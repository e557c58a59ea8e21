"""The widest direction of a cloud of rows within a hyperplane: a principal direction, by power iteration."""

from typing import Any

import numpy as np

from ..foundation.types import Floats

MAX_ITERATIONS = 100
TOLERANCE = 1e-9  # the largest change of a coordinate that ends the iteration


def widest_direction_within(Z: Any, normal: Floats) -> Floats:
    """The first principal direction of the rows Z, orthogonal to a unit normal. Z is not copied.

    >>> widest_direction_within(np.array([[1.0, 0, 0], [0, 2.0, 0], [5.0, -2.0, 0]]), np.array([1.0, 0, 0])).tolist()[1]
    1.0
    """
    mean = np.asarray(Z.mean(axis=0), dtype=np.float64).ravel()
    direction = _unit(_project(_farthest_row(Z, mean, normal) - mean, normal))
    for _ in range(MAX_ITERATIONS):
        spread = Z @ direction - mean @ direction
        before, direction = direction, _unit(_project(Z.T @ spread - mean * spread.sum(), normal))
        if float(np.abs(direction - before).max()) < TOLERANCE:
            break
    return direction if direction[np.argmax(np.abs(direction))] >= 0 else -direction


def _project(vector: Floats, normal: Floats) -> Floats:
    """The part of a vector that is orthogonal to a unit normal."""
    return np.asarray(vector - normal * (normal @ vector))


def _farthest_row(Z: Any, mean: Floats, normal: Floats) -> Floats:
    """The row farthest from the mean, measured within the hyperplane."""
    squares = (Z * Z).sum(axis=1) if isinstance(Z, np.ndarray) else Z.multiply(Z).sum(axis=1)
    far = np.asarray(squares, dtype=np.float64).ravel() - 2 * (Z @ mean) - (Z @ normal - mean @ normal) ** 2
    row = Z[int(np.argmax(far))]
    return np.asarray(row if isinstance(Z, np.ndarray) else row.toarray(), dtype=np.float64).ravel()


def _unit(vector: Floats) -> Floats:
    """The vector scaled to length 1; a vector of zeros stays as it is."""
    norm = float(np.linalg.norm(vector))
    return np.asarray(vector / norm) if norm else vector
