"""What a fit learns from."""

from typing import NamedTuple

import numpy as np

from ..foundation.errors import TooLarge
from ..foundation.types import Codes, Floats, Labels
from .validation import Examples


class TrainingSet(NamedTuple):
    """Checked rows, the classes, the number of each row's class, and the rows' weights if any."""

    data: Examples
    classes: Labels
    codes: Codes
    weights: Floats | None

    @property
    def total_weight(self) -> float:
        with np.errstate(over="ignore"):
            total = float(self.data.rows.count if self.weights is None else self.weights.sum())
        if not np.isfinite(total):
            raise TooLarge
        return total
