"""The mistake bound in spaces too wide for exact proofs: many coordinates, or those of a kernel.

Every plane that separates the rows bounds the mistakes, by (R/γ)² of its own margin γ. So one that floats find will do;
only the last digits are theirs, and it may not be the widest.
"""

import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..classifiers.linear_svm import LinearSVM
from ..foundation.types import Floats
from ..prove.mistakes.mistake_bound import MistakeBound

NEARLY_HARD = 1e8  # C: a margin that no row may break
SECONDS = 0.3
NOISE = 1e-13  # eigenvalues below this part of the largest are rounding


class Bound(NamedTuple):
    """A separating plane through the origin, its margin, the longest row, and the mistakes that they allow."""

    star: Floats
    margin: float
    radius: float
    mistakes: float
    exact: bool


def exact_bound(proved: MistakeBound) -> Bound:
    """The widest, as it was proved."""
    assert proved.hyperplane is not None
    coef = proved.hyperplane.coef
    return Bound(coef / np.linalg.norm(coef), proved.margin, proved.radius, proved.bound, True)


def found_bound(Z: Floats, y: npt.NDArray[np.int64]) -> Bound | None:
    """A plane that floats find; None if it does not separate the rows.

    >>> found = found_bound(np.array([[3.0, 3.0, 1.0], [4.0, 3.0, 1.0], [1.0, 1.0, 1.0]]), np.array([1, 1, 0]))
    >>> round(found.mistakes, 2), found.exact
    (117.0, False)
    """
    radius = float(np.sqrt((Z * Z).sum(axis=1).max()))
    if not radius:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says so itself, by its margin
        model = LinearSVM(C=NEARLY_HARD, fit_intercept=False, max_seconds=SECONDS, random_state=0).fit(Z / radius, y)
    size = float(np.linalg.norm(model.coef_))
    if not size:
        return None
    star = model.coef_[0] / size
    margin = float((np.where(y == model.classes_[1], 1.0, -1.0) * (Z @ star)).min())
    return Bound(star, margin, radius, (radius / margin) ** 2, False) if margin > 0 else None


def coordinates(K: Floats) -> Floats:
    """Rows whose products are the entries of a kernel matrix: the points in the kernel's own space.

    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> bool(np.allclose(coordinates(K) @ coordinates(K).T, K))
    True
    """
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    kept = values > NOISE * max(values[-1], 0.0)
    rows: Floats = vectors[:, kept] * np.sqrt(values[kept])
    return rows
