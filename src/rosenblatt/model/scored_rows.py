"""Rows of a table with their true class, the decision of a model, and its scores."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..tables.read.arrow_arrays import category_codes
from ..tables.read.batches import CATEGORY, Batch, Source
from .model import Model
from .predict import predict_batches

ScoredRows = tuple[npt.NDArray[np.int64], npt.NDArray[np.intp], Floats]


def scored_rows(model: Model, source: Source, target: str) -> Iterator[ScoredRows]:
    """The true class, the decision and the scores of rows of a table or a part of it, batch by batch."""
    for part in predict_batches(model, source, {target: CATEGORY}):
        yield true_classes(part.batch, target, model.classes.tolist()), part.decided, part.scores


def true_classes(batch: Batch, target: str, classes: list[Any]) -> npt.NDArray[np.int64]:
    """Return the index of each row's class. A class that is missing or unknown to the model is an error."""
    codes, texts = category_codes(batch.table.column(target))
    known = {str(label): place for place, label in enumerate(classes)}
    places = np.array([known.get(text.strip(), -2) for text in texts] + [-1])[codes]
    if (places < 0).any():
        row = int(np.flatnonzero(places < 0)[0])
        what = "no class" if codes[row] < 0 else f"the class {texts[codes[row]]!r}, which the model does not know,"
        raise InputError(f"{batch.path}, column {target!r} has {what} in {batch.place(row)}: correct or drop it.")
    return places
