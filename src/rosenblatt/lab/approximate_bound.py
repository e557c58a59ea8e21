"""The mistake bound in spaces too wide for exact proofs: many coordinates, or the space of a kernel.

Every plane that separates the rows bounds the mistakes by (R/γ)² with its own margin γ. So a plane found in floating
point is enough: R is rounded up and γ down, as `prove` does. A wider margin may exist.
"""

import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..classifiers.linear_svm import LinearSVM
from ..foundation.types import Floats
from ..prove.exact.row_norms import max_row_norm
from ..prove.mistakes.mistake_bound import MistakeBound, dot_rounding, squared_ratio

HARD_MARGIN_C = 1e8  # so large that the margin is practically hard
MAX_TRAINING_SECONDS = 0.3
EIGENVALUE_TOLERANCE = 1e-13  # eigenvalues below this share of the largest are rounding errors


class Bound(NamedTuple):
    """The unit normal of a separating plane through the origin, its margin, the longest row, and the mistake bound."""

    normal: Floats
    margin: float
    radius: float
    mistakes: float
    exact: bool


def exact_bound(proved: MistakeBound) -> Bound:
    """The bound of the widest margin, as proved."""
    assert proved.hyperplane is not None
    coef = proved.hyperplane.coef
    return Bound(coef / np.linalg.norm(coef), proved.margin, proved.radius, proved.bound, True)


def approximate_bound(Z: Floats, y: npt.NDArray[np.int64]) -> Bound | None:
    """The bound of a plane found in floating point; None if the plane does not separate the rows.

    >>> found = approximate_bound(np.array([[3.0, 3.0, 1.0], [4.0, 3.0, 1.0], [1.0, 1.0, 1.0]]), np.array([1, 1, 0]))
    >>> round(found.mistakes, 2), found.exact
    (117.0, False)
    """
    radius = max_row_norm(Z)
    if not 0 < radius < np.inf:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the margin below tells whether the plane is good enough
        model = LinearSVM(C=HARD_MARGIN_C, fit_intercept=False, max_seconds=MAX_TRAINING_SECONDS, random_state=0).fit(
            Z / radius, y
        )
    norm = float(np.linalg.norm(model.coef_))
    if not norm:
        return None
    normal = model.coef_[0] / norm
    least = float((np.where(y == model.classes_[1], 1.0, -1.0) * (Z @ normal)).min())
    margin = least - dot_rounding(len(normal)) * radius
    mistakes = squared_ratio(radius, max(margin, 0.0))
    return Bound(normal, margin, radius, mistakes, False) if mistakes < np.inf else None


def kernel_coordinates(K: Floats) -> Floats:
    """Rows whose inner products are the entries of a kernel matrix: the points in the kernel's space.

    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> bool(np.allclose(kernel_coordinates(K) @ kernel_coordinates(K).T, K))
    True
    """
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    kept = values > EIGENVALUE_TOLERANCE * max(values[-1], 0.0)
    rows: Floats = vectors[:, kept] * np.sqrt(values[kept])
    return rows
