"""Why a model decides as it does: the weights of its columns, and what each column adds to the score of a row."""

from typing import Any, NamedTuple

import numpy as np

from ..foundation.errors import InputError
from ..foundation.types import Floats
from ..parts.catalogue import KERNEL_NAMES
from ..parts.features import IDENTITY
from ..tables.encode.encoded_rows import EncodedRows
from ..tables.read.batches import Batch
from .model import Model


class Weight(NamedTuple):
    """An encoded column, the value it has, and its weight; what it adds to a score is their product."""

    name: str
    weight: float


def column_names(model: Model) -> list[str]:
    if model.encoder is not None:
        return model.encoder.names
    return model.columns or [f"column {place}" for place in range(model.learned.coef.shape[1])]


def term_names(model: Model) -> list[str]:
    """What each weight belongs to: a column, or a term of several where the model lifts its rows."""
    if model.class_name in KERNEL_NAMES:
        raise InputError("A kernel's model weighs rows, not columns, so that there are no weights of columns to show.")
    if not lifts(model):
        return column_names(model)
    names = model.columns if model.encoder is None else model.encoder.names
    return model.features.named(model.row_columns, names)


def top_weights(model: Model, most: int) -> dict[Any, list[Weight]]:
    """For each class the columns that speak most for it. Of two classes, what speaks against one is for the other."""
    names, coef, classes = term_names(model), model.learned.coef, model.classes.tolist()
    planes = np.vstack([-coef, coef]) if len(classes) == 2 else coef
    return {label: _largest(names, planes[k], most) for k, label in enumerate(classes)}


def _largest(names: list[str], weights: Floats, most: int) -> list[Weight]:
    positive = np.flatnonzero(weights > 0)
    order = positive[np.argsort(-weights[positive], kind="stable")][:most]
    return [Weight(names[k], float(weights[k])) for k in order]


def lifts(model: Model) -> bool:
    """Whether its weights are those of another space than that of the columns."""
    return model.features != IDENTITY


def refuse_lifted(model: Model, form: str) -> None:
    """Weights of a lifted space or a kernel are not those of the columns."""
    if model.class_name in KERNEL_NAMES or lifts(model):
        raise InputError(
            f"A model that lifts its rows cannot be written as {form}: train one without features or kernel."
        )


class Contribution(NamedTuple):
    """What a column of the table adds to a score, and the encoded columns that make it up."""

    column: str
    adds: float
    made_of: list[str]


def contributions(model: Model, batch: Batch, row: int, plane: int) -> list[Contribution]:
    """What each column of the table adds to the score of one row, largest first."""
    assert model.encoder is not None
    encoder = model.encoder
    from ..tables.encode.prepare import select_rows

    names, owners, weights = term_names(model), encoder.owners, model.learned.coef[plane]
    [alone] = select_rows([batch], np.array([row], dtype=np.intp))
    places, values = entries(encoder.encode(alone))
    if lifts(model):  # a term may belong to several columns, so it stands for itself
        places, values = terms(model, encoder.encode(alone))
        owners = names
    words = {name for name, kind in encoder.kinds.items() if kind in ("text", "numbered")}
    by_column: dict[str, list[tuple[float, str]]] = {}
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        added = value * float(weights[place])
        if added:
            own = names[place] if owners[place] in words else owners[place]
            by_column.setdefault(own, []).append((added, names[place]))
    found = [
        Contribution(column, sum(added for added, _ in made), [name for _, name in made])
        for column, made in by_column.items()
    ]
    return sorted(found, key=lambda each: -abs(each.adds))


def terms(model: Model, encoded: EncodedRows) -> tuple[Any, Any]:
    """Terms and values of one lifted row."""
    lifted = model.features.transform(encoded.matrix())
    if isinstance(lifted, np.ndarray):
        return np.arange(lifted.shape[1]), lifted[0]
    return lifted.indices, lifted.data


def entries(encoded: EncodedRows) -> tuple[Any, Any]:
    """Columns and values of one row."""
    if encoded.dense is not None:
        return np.arange(encoded.columns), encoded.dense[0]
    assert encoded.sparse is not None
    return encoded.sparse.places, encoded.sparse.values
