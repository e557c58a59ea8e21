"""What a model says of rows whose classes are known: everything that the data view is computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..foundation.splitting import TEST, TRAIN, Uses
from ..foundation.types import Codes, Floats, Mask, Places
from .weight_space import WeightSpace

MAX_CELL_CHARACTERS = 200
UNKNOWN_ROWS = "Measured on all rows given. If the model was trained on some of them, the figures are too good."


class Cells(Protocol):
    """The table's own cells: the names of its columns, and the cell in a row and column."""

    @property
    def names(self) -> Sequence[str]: ...

    def __call__(self, row: int, column: str) -> Any: ...


class JudgedProbabilities(NamedTuple):
    """Probabilities of rows that neither the model nor its calibration was fitted to, and the classes of the rows."""

    probabilities: Floats
    codes: Codes


@dataclass(frozen=True)
class SeenModel:
    """A model and the rows that it is shown with.

    `uses` says which rows were trained on and which are held out; `numbers` are the rows' numbers in the table, from 1.
    `notes` are what the user should know about the figures. `space` is None for models that are not linear in columns.
    """

    name: str
    classes: list[str]
    codes: Codes
    uses: Uses
    numbers: Places
    scores: Floats
    decided: npt.NDArray[np.integer[Any]]  # the number of the class that the model decides for
    cells: Cells
    space: WeightSpace | None
    probabilities: Floats | None  # of all classes; None if the model has none
    judged: JudgedProbabilities | None
    status: str = ""
    history: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    all_rows: int = 0  # of the table, where some are neither trained on nor held out

    @property
    def is_held_out(self) -> bool:
        """Whether some rows are held out, which the figures are then measured on."""
        return bool((self.uses == TEST).any() and (self.uses == TRAIN).any())

    @property
    def measured(self) -> Mask:
        """The rows that figures are measured on: those held out, or all."""
        return self.uses == TEST if self.is_held_out else np.ones(len(self.codes), dtype=bool)


def json_cell(value: Any) -> Any:
    """A cell as JSON content: a number, None, or text of limited length."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or isinstance(value, int | float):
        return value
    text = str(value)
    return text if len(text) <= MAX_CELL_CHARACTERS else f"{text[: MAX_CELL_CHARACTERS - 1]}…"
