"""Two classes of rows for the search for the widest margin."""

from typing import Any

import numpy as np

from ... import _core
from ...foundation.matrices import as_rows, check_finite, is_sparse
from ...foundation.threads import threads_for
from ...foundation.types import Floats, Places
from ..exact.exact_matrix import as_exact_floats
from ..exact.row_norms import max_row_norm
from ..exact.two_classes import select_two_classes

HALF_ULP = float(np.finfo(np.float64).epsneg)


class ClassHulls:
    """The rows of two classes. `sides` are their labels -1 and 1, or None without an intercept."""

    def __init__(self, X: Any, y: Any, fit_intercept: bool, classes: Any) -> None:
        matrix = _as_finite_floats(X)
        self.classes, self.numbers, self.labels = select_two_classes(y, matrix.shape[0], classes)
        self.X = matrix if len(self.numbers) == matrix.shape[0] else matrix[self.numbers]
        self.sides = self.labels if fit_intercept else None
        self._rows = as_rows(self.X)
        self._threads = threads_for(self._rows, None)
        values = self.X.data if is_sparse(self.X) else self.X
        self.largest = float(max(-values.min(), values.max())) if values.size else 0.0

    @property
    def terms(self) -> int:
        """The largest number of terms of a row."""
        if is_sparse(self.X):
            return int(np.diff(self.X.indptr).max())
        return int(self.X.shape[1])

    def scores(self, w: Floats) -> Floats:
        """w.x of every row."""
        return _core.scores(self._rows, w[None, :], np.zeros(1), self._threads)[0].ravel()

    def radius(self) -> float:
        """An upper bound on the norms of the rows."""
        return max_row_norm(self.X)

    def hard_rows(self, margins: Floats, most: int) -> Places:
        """The rows with the smallest margins, equally many of each class; all rows if there are at most so many."""
        if most >= len(margins):
            return np.arange(len(margins))
        groups = (
            [np.arange(len(margins))] if self.sides is None else [rows_of_side(self.sides, side) for side in (-1, 1)]
        )
        few = most // len(groups)
        return np.sort(np.concatenate([rows_of_least_margin(margins, group, few) for group in groups]))

    def signed_rows(self, places: Places, centre: Floats | None) -> Any:
        """The y_i x_i of some rows, divided by a power of two that brings the largest near 1."""
        scale = float(np.ldexp(1.0, -int(np.frexp(self.largest)[1])))
        chosen = self.X[places] if len(places) < len(self.labels) else self.X
        factors = self.labels[places] * scale
        if not is_sparse(chosen):
            return (chosen if centre is None else chosen - centre) * factors[:, None]
        signed = chosen.copy()
        signed.data = chosen.data * np.repeat(factors, np.diff(chosen.indptr))
        return signed


def _as_finite_floats(X: Any) -> Any:
    """X as finite floats without rounding, copied only if necessary."""
    floats = as_exact_floats(X)
    check_finite(rows := as_rows(floats), X, threads=threads_for(rows, None))
    return floats


def rows_of_side(sides: Floats, side: int) -> Places:
    return np.flatnonzero(sides == side)


def rows_of_least_margin(margins: Floats, group: Places, most: int) -> Places:
    return group if len(group) <= most else group[np.argpartition(margins[group], most)[:most]]


def sample_hard_rows(margins: Floats, group: Places, most: int) -> Places:
    """Rows of a group: a quarter with the smallest margins, which are often alike, the others spread over it."""
    if len(group) <= most:
        return group
    few = most // 4
    return np.union1d(rows_of_least_margin(margins, group, few), group[:: len(group) // (most - few)])
