"""Why a model decides as it does: the weights of its columns, and what each column adds to the score of a row."""

from typing import Any, NamedTuple

import numpy as np

from .data.batches import Batch
from .data.encoded import Encoded
from .engine import Floats
from .errors import InputError
from .modelparts import Model
from .named import KERNEL_NAMES


class Weight(NamedTuple):
    """An encoded column, the value it has, and its weight; what it adds to a score is their product."""

    name: str
    weight: float


def column_names(model: Model) -> list[str]:
    if model.encoder is not None:
        return model.encoder.names
    return model.columns or [f"column {place}" for place in range(model.learned.coef.shape[1])]


def top_weights(model: Model, most: int) -> dict[Any, list[Weight]]:
    """For each class the columns that speak most for it. Of two classes, what speaks against one is for the other."""
    refuse_lifted(model, "weights of columns")
    names, coef, classes = column_names(model), model.learned.coef, model.classes.tolist()
    planes = np.vstack([-coef, coef]) if len(classes) == 2 else coef
    return {label: _largest(names, planes[k], most) for k, label in enumerate(classes)}


def _largest(names: list[str], weights: Floats, most: int) -> list[Weight]:
    positive = np.flatnonzero(weights > 0)
    order = positive[np.argsort(-weights[positive], kind="stable")][:most]
    return [Weight(names[k], float(weights[k])) for k in order]


def refuse_lifted(model: Model, form: str) -> None:
    """Weights of a lifted space or a kernel are not those of the columns."""
    features = model.parameters.get("features", "identity")
    if model.class_name in KERNEL_NAMES or not (features is None or features == "identity"):
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
    from .data.prepare import taken

    [alone] = taken([batch], np.array([row], dtype=np.intp))
    places, values = entries(encoder.encode(alone))
    names, owners, weights = encoder.names, encoder.owners, model.learned.coef[plane]
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


def entries(encoded: Encoded) -> tuple[Any, Any]:
    """Columns and values of one row."""
    if encoded.dense is not None:
        return np.arange(encoded.columns), encoded.dense[0]
    assert encoded.sparse is not None
    return encoded.sparse.places, encoded.sparse.values
