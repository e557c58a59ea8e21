"""Newton's equations of `nearest.py` for few columns, which are factored, and for many, which are not."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_solve, qr
from scipy.linalg.lapack import dposv

from ..rows import is_sparse

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

ROUGH = 1e9  # sigma times the square of the largest row, from where on a QR factorisation pays


class System(Protocol):
    """The rows, as the method of multipliers uses them."""

    costs: Floats  # the coordinates of u that cost: 1 for w, 0 for b and rho
    sides: Floats | None
    polishes: bool  # whether `polished` does anything

    def times(self, u: Floats) -> Floats: ...
    def pull(self, alpha: Floats) -> Floats: ...
    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats: ...
    def polished(self, alpha: Floats, gap: float, size: float) -> Floats: ...


class Direct:
    """A matrix V of few columns. Newton's steps are as good as they can be: there is nothing to polish."""

    polishes = False

    def __init__(self, rows: Floats, sides: Floats | None) -> None:
        count, columns = rows.shape
        self._v = np.ones((count, columns + 1 + (sides is not None)))
        np.negative(rows, out=self._v[:, :columns])
        if sides is not None:
            self._v[:, columns] = -sides
        self.sides = sides
        self.costs = np.zeros(self._v.shape[1])
        self.costs[:columns] = 1.0
        self._largest = float(np.einsum("ij,ij->i", rows, rows).max())

    def times(self, u: Floats) -> Floats:
        return self._v @ u

    def pull(self, alpha: Floats) -> Floats:
        used = np.flatnonzero(alpha)
        return alpha[used] @ self._v[used]

    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats:
        """Solve (diag(costs) + sigma V'V) step = -slope over the active rows."""
        v = self._v[active]
        if sigma * self._largest < ROUGH:
            hessian = sigma * (v.T @ v)
            hessian.flat[:: len(hessian) + 1] += self.costs + 1e-13 * sigma
            _, step, failed = dposv(hessian, -slope)
            if not failed:
                return np.asarray(step)
        stacked = np.vstack([np.sqrt(sigma) * v, np.diag(np.sqrt(self.costs + 1e-14 * sigma))])
        upper = qr(stacked, mode="r", check_finite=False)[0][: len(slope)]
        return np.asarray(cho_solve((upper, False), -slope, check_finite=False))

    def polished(self, alpha: Floats, gap: float, size: float) -> Floats:
        return alpha


class Iterative:
    """Rows of many columns, dense or CSR: conjugate gradients, preconditioned by the diagonal."""

    polishes = True

    def __init__(self, rows: Any, sides: Floats | None) -> None:
        self._rows, self.sides = rows, sides
        self._columns = rows.shape[1]
        self._squares = rows.multiply(rows).tocsr() if is_sparse(rows) else rows * rows
        self.costs = np.ones(self._columns + 1 + (sides is not None))
        self.costs[self._columns :] = 0.0

    def times(self, u: Floats) -> Floats:
        return _times(self._rows, self.sides, u)

    def pull(self, alpha: Floats) -> Floats:
        return _pull(self._rows, self.sides, alpha)

    def newton(self, active: Places, sigma: float, slope: Floats) -> Floats:
        rows = self._rows[active]
        sides = None if self.sides is None else self.sides[active]
        diagonal = np.full(len(slope), sigma * len(active))
        pushing = np.zeros(self._rows.shape[0])
        pushing[active] = sigma
        diagonal[: self._columns] = 1.0 + self._squares.T @ pushing
        step, rest = np.zeros(len(slope)), -slope
        towards = rest / diagonal
        direction, size = towards.copy(), float(rest @ towards)
        enough = 0.01 * size
        for _ in range(300):
            curved = self.costs * direction + sigma * _pull(rows, sides, _times(rows, sides, direction))
            length = size / float(direction @ curved)
            step += length * direction
            rest -= length * curved
            towards = rest / diagonal
            before, size = size, float(rest @ towards)
            if size <= enough:
                break
            direction *= size / before
            direction += towards
        return step

    def polished(self, alpha: Floats, gap: float, size: float) -> Floats:
        """The nearest points of the affine hulls of the rows in use; rows whose weight would be negative are dropped.

        With conjugate gradients on alpha, far better conditioned than Newton's equations, and right once the rows in
        use are those of the answer.
        """
        for _ in range(3):
            used = np.flatnonzero(alpha)
            rows, centred = self._rows[used], _Centred(None if self.sides is None else self.sides[used])
            weights = alpha[used].copy()
            rest = centred(-(rows @ (rows.T @ weights)))
            direction, now = rest.copy(), float(rest @ rest)
            for _ in range(2000):
                if np.abs(rest).max() <= 0.3 * gap * size**2:
                    break
                moved = centred(rows @ (rows.T @ direction))
                curvature = float(direction @ moved)
                if curvature <= 0:
                    break
                weights += now / curvature * direction
                rest -= now / curvature * moved
                before, now = now, float(rest @ rest)
                direction *= now / before
                direction += rest
            alpha = np.zeros_like(alpha)
            alpha[used] = np.maximum(weights, 0.0)
            alpha = balanced(alpha, self.sides)
            if weights.min() >= 0:
                break
        return alpha


class _Centred:
    """Takes the mean of each class away: a direction in which the sums of the weights stay as they are."""

    def __init__(self, sides: Floats | None) -> None:
        self._classes = [slice(None)] if sides is None else [sides > 0, sides < 0]

    def __call__(self, values: Floats) -> Floats:
        for members in self._classes:
            values[members] -= values[members].mean()
        return values


def _times(rows: Any, sides: Floats | None, u: Floats) -> Floats:
    columns = rows.shape[1]
    margins = rows @ u[:columns]
    return np.asarray(u[-1] - margins if sides is None else u[-1] - margins - sides * u[columns])


def _pull(rows: Any, sides: Floats | None, alpha: Floats) -> Floats:
    last = [float(alpha.sum())] if sides is None else [-float(sides @ alpha), float(alpha.sum())]
    return np.concatenate([-(rows.T @ alpha), last])


def balanced(alpha: Floats, sides: Floats | None) -> Floats:
    """The weights with the sums that they must have.

    >>> balanced(np.array([1.0, 3.0, 1.0]), np.array([1.0, 1.0, -1.0])).tolist()
    [0.125, 0.375, 0.5]
    """
    if sides is None:
        return np.asarray(alpha / alpha.sum())
    above, below = alpha[sides > 0].sum(), alpha[sides < 0].sum()
    return np.asarray(np.where(sides > 0, alpha / (2 * above), alpha / (2 * below)))
