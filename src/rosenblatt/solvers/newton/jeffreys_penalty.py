"""What the objectives with Jeffreys' penalty share: its limits, the columns it refuses, and sums over planes."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ... import _core
from ...engine.class_problems import whole_problem
from ...foundation.collinear_columns import CollinearColumns
from ...foundation.errors import InputError
from ...foundation.types import Floats
from .hessian import MIN_PIVOT
from .information import Information
from .rows_objective import RowsObjective

MAX_COORDINATES = 5000  # whose information is factored: 800 MB, and about a minute for each step
NUMBERS_AT_ONCE = 1 << 22  # of products of rows with the inverse information


@dataclass
class JeffreysPenalty(RowsObjective):
    """sum_i s_i loss_i + 1/2 log(det A(0) / det A(z)) over rows in memory, A the Fisher information."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size > MAX_COORDINATES:
            raise InputError(
                f"penalty='jeffreys' factors a matrix of all {self.size:,} weights, and {MAX_COORDINATES:,} are the "
                "most: leave columns out, or choose penalty='l2'."
            )
        self._largest_log_determinant = self.log_determinant_at_zero()

    @abstractmethod
    def log_determinant_at_zero(self) -> float:
        """log det A(0). Refuses columns that others determine."""

    def quarter_information(self) -> Information:
        """The information of rows whose curvature is 1/4, with columns that do not depend on others."""
        quarter = Information(self.gram(self._weighted(np.full(self.count, 0.25))))
        refuse_collinear(quarter, self.count, self.columns)
        return quarter

    @property
    def bounds_weights(self) -> bool:
        return True

    @property
    def computes_hessian(self) -> bool:
        return True

    @property
    def default_tol(self) -> float:
        return 1e-10  # steps may converge linearly, and then the last one is about as long as what is left

    def penalty_of(self, log_determinant: float) -> float:
        """1/2 log(det A(0) / det A(z)), given log det A(z)."""
        return 0.5 * (self._largest_log_determinant - log_determinant)

    def _weighted(self, values: Floats) -> Floats:
        return values if self.weights is None else values * self.weights

    def _products(self, planes: Floats) -> Floats:
        """The products of all rows with these planes, one row for each."""
        products = np.empty(self.count * len(planes))
        coef, offsets = np.ascontiguousarray(planes[:, :-1]), planes[:, -1] * self.offset_value
        _core.scores_into(self.rows, coef, offsets, self.threads, products)
        return products.reshape(self.count, -1)

    def _sums(self, numbers: Floats) -> Floats:
        """sum_i numbers_ik x_i for each column k of the numbers, one row for each."""
        planes = numbers.shape[1]
        out = np.empty(planes * (self.columns + 1))
        sums = whole_problem(np.zeros(self.count, np.int32), planes).native(self.rows, None, self.recipe, self.threads)
        _core.transpose_product(sums, numbers.ravel(), out)
        return np.column_stack([out[:-planes].reshape(planes, -1), out[-planes:]])


def is_positive_definite(matrix: Floats) -> bool:
    """Whether the rows and columns that are not 0 are positive definite."""
    diagonal = np.diagonal(matrix)
    return _core.factor(matrix.copy(), MIN_PIVOT * float(diagonal.max())) == int((diagonal == 0).sum())


def refuse_collinear(information: Information, rows: int, columns: int) -> None:
    """Refuse columns that others determine, and rows that are too few to determine the weights."""
    if not len(information.dependent):
        return
    weights = int(information.used.sum())
    if rows < weights:
        raise InputError(f"{rows} rows cannot determine {weights} weights: leave columns out, or choose penalty='l2'.")
    column = int(information.dependent[0])
    raise CollinearColumns([*information.combination(column), column], columns)
