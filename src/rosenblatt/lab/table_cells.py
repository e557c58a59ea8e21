"""The cells of a table as they stand in it, from batches of rows or from an array in memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tables.encode.encoder import Encoder
from ..tables.read.batches import NUMBERED, Batch
from .seen_model import json_cell


class BatchCells:
    """The cells of batches. A column of numbered entries is shown entry by entry, as the encoder names them."""

    def __init__(self, batches: Sequence[Batch], encoder: Encoder) -> None:
        self._batches, self._encoder = batches, encoder
        self._starts = np.cumsum([0, *(batch.table.num_rows for batch in batches)])
        self.names = [name for name, kind in encoder.kinds.items() if kind != NUMBERED]

    def __call__(self, row: int, column: str) -> Any:
        place = int(np.searchsorted(self._starts, row, side="right")) - 1
        table, inside = self._batches[place].table, row - int(self._starts[place])
        if column in self._encoder.column_encoders and self._encoder.kinds[column] != NUMBERED:
            return json_cell(table.column(column)[inside].as_py())
        [numbered] = [name for name, kind in self._encoder.kinds.items() if kind == NUMBERED]
        entries = table.column(numbered)[inside].as_py()
        return next((entry["value"] for entry in entries if str(entry["index"]) == column), 0.0)


class MatrixCells:
    """The cells of a matrix of numbers, dense or sparse, or of a data frame, whose columns have names."""

    def __init__(self, X: Any, names: Sequence[str]) -> None:
        self._X, self.names = X, list(names)
        self._place = {name: k for k, name in enumerate(names)}

    def __call__(self, row: int, column: str) -> Any:
        X = getattr(self._X, "iloc", self._X)
        return json_cell(X[row, self._place[column]])
