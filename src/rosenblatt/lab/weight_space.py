"""The space in which a model is linear: its weights, and the rows as the model sees them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.matrices import is_sparse
from ..foundation.types import Floats, Places
from ..model.explanation import Contribution, sum_contributions
from ..tables.encode.scaling import Scaling

MAX_SCALING_ROWS = 10_000  # that columns are measured by


@dataclass(frozen=True)
class WeightSpace:
    """Weights and offsets, one row a plane, and a reader of encoded rows at sorted places.

    A weight has a name, the `column` that its contribution is shown under, and the `owner`: the column of the table
    that it is made from; there are no owners if weights belong to several columns. With a `scaling`, weights and
    contributions are shown for centred and scaled columns.
    """

    coef: Floats
    intercept: Floats
    names: Sequence[str]
    columns: Sequence[str]
    owners: Sequence[str]
    read: Callable[[Places], Any]
    scaling: Scaling | None = None

    def weights(self, plane: int) -> Floats:
        """The weights of a plane, as sizes that can be compared."""
        return np.asarray(self.coef[plane] if self.scaling is None else self.coef[plane] * self.scaling.scale)

    def offset(self, plane: int) -> float:
        """The score of a row whose shown columns are all 0."""
        b = float(self.intercept[plane])
        return b if self.scaling is None else b + float(self.coef[plane] @ self.scaling.centre)

    def rows(self, places: Places) -> Any:
        """The rows at these places, as the shown weights take them: an array or a CSR matrix."""
        rows = self.read(places)
        return rows if self.scaling is None else self.scaling.apply(rows)

    def contributions(self, row: int, plane: int) -> list[Contribution]:
        """What each column adds to the score of a row, largest first."""
        values = self.rows(np.array([row]))
        row_values = np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64).reshape(-1)
        used = np.flatnonzero(row_values).tolist()
        added = row_values[used] * self.weights(plane)[used]
        return sum_contributions([self.columns[k] for k in used], [self.names[k] for k in used], added)
