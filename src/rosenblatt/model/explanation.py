"""Explain a model: the weights of its columns, and what each column adds to the score of a row."""

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
    """An encoded column and its weight; it adds weight times value to a score."""

    name: str
    weight: float


def column_names(model: Model) -> list[str]:
    """The names of the encoded columns."""
    if model.encoder is not None:
        return model.encoder.names
    return model.columns or [f"column {place}" for place in range(model.learned.coef.shape[1])]


def term_names(model: Model) -> list[str]:
    """The name of each weight: a column, or a term of several columns if the model lifts its rows."""
    if model.class_name in KERNEL_NAMES:
        raise InputError(
            "A kernel model weighs rows, not columns: train a model without a kernel to see weights of columns."
        )
    if not lifts(model):
        return column_names(model)
    names = model.columns if model.encoder is None else model.encoder.names
    return model.features.named(model.row_columns, names)


def top_weights(model: Model, most: int) -> dict[Any, list[Weight]]:
    """The columns with the largest weights for each class. Of two classes, a negative weight is for the first."""
    names, coef, classes = term_names(model), model.learned.coef, model.classes.tolist()
    planes = np.vstack([-coef, coef]) if len(classes) == 2 else coef
    return {label: _largest(names, planes[k], most) for k, label in enumerate(classes)}


def _largest(names: list[str], weights: Floats, most: int) -> list[Weight]:
    positive = np.flatnonzero(weights > 0)
    order = positive[np.argsort(-weights[positive], kind="stable")][:most]
    return [Weight(names[k], float(weights[k])) for k in order]


def lifts(model: Model) -> bool:
    """Whether the model lifts rows to features, so that weights do not belong to columns."""
    return model.features != IDENTITY


def refuse_lifted(model: Model, form: str) -> None:
    """Refuse a model with features or a kernel, whose weights do not belong to columns."""
    if model.class_name in KERNEL_NAMES or lifts(model):
        raise InputError(
            f"A model that lifts its rows cannot be written as {form}: train one without features or kernel."
        )


class Contribution(NamedTuple):
    """What a column of the table adds to a score, and the encoded columns that contribute."""

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
    if lifts(model):  # a term may belong to several columns, so it is listed by itself
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
    """The terms and values of one lifted row."""
    lifted = model.features.transform(encoded.matrix())
    if isinstance(lifted, np.ndarray):
        return np.arange(lifted.shape[1]), lifted[0]
    return lifted.indices, lifted.data


def entries(encoded: EncodedRows) -> tuple[Any, Any]:
    """The columns and values of one row."""
    if encoded.dense is not None:
        return np.arange(encoded.columns), encoded.dense[0]
    assert encoded.sparse is not None
    return encoded.sparse.places, encoded.sparse.values
