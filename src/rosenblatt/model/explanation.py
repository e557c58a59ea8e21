"""Explain a model: the weights of its columns, and what each column adds to the score of a row."""

from collections.abc import Sequence
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
    if model.learned.vote is not None:
        raise InputError("A vote has many weights for each column: train algorithm='averaged' to see one for each.")
    if not lifts(model):
        return column_names(model)
    names = model.columns if model.encoder is None else model.encoder.names
    return model.features.named(model.row_columns, names)


def top_weights(model: Model, most: int) -> dict[Any, list[Weight]]:
    """The columns with the largest weights for each class. Of two classes, a negative weight is for the first."""
    names, coef, classes = term_names(model), model.learned.coef, model.classes.tolist()
    planes = np.vstack([-coef, coef]) if len(model.plane_labels) < len(classes) else coef
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
    if model.learned.vote is not None:
        raise InputError(f"A vote cannot be written as {form}, because it is no plane: train algorithm='averaged'.")
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
    shown = [names[place] if owners[place] in words else owners[place] for place in places.tolist()]
    return sum_contributions(shown, [names[place] for place in places.tolist()], values * weights[places])


def sum_contributions(columns: Sequence[str], names: Sequence[str], added: Floats) -> list[Contribution]:
    """What each column adds to a score, largest first, from what each of its encoded columns adds.

    >>> sum_contributions(["job", "age", "job"], ["job=cook", "age", "job=other"], np.array([1.0, -3.0, 0.0]))
    [Contribution(column='age', adds=-3.0, made_of=['age']), Contribution(column='job', adds=1.0, made_of=['job=cook'])]
    """
    by_column: dict[str, list[tuple[float, str]]] = {}
    for column, name, value in zip(columns, names, added.tolist(), strict=True):
        if value:
            by_column.setdefault(column, []).append((value, name))
    found = [
        Contribution(column, sum(value for value, _ in made), [name for _, name in made])
        for column, made in by_column.items()
    ]
    return sorted(found, key=lambda each: -abs(each.adds))


class DecisionTerms(NamedTuple):
    """The score of a decision as a sum: its largest contributions, those of all other columns, and the offset.

    It is the score for the decided class; `against` is the rival of two classes, None of more.
    """

    prediction: Any
    against: Any
    score: float
    intercept: float
    contributions: list[Contribution]
    others: int  # columns that are not listed
    others_add: float  # to the score, together


def decision_plane(classes: Sequence[Any], decided: int) -> int:
    """The plane whose score decides: the only one of two classes, or that of the decided class."""
    return 0 if len(classes) == 2 else decided


def decision_terms(
    classes: Sequence[Any], decided: int, score: float, intercept: float, found: list[Contribution], top: int
) -> DecisionTerms:
    """The terms of a decision, from the contributions to the score of its plane (`decision_plane`)."""
    two = len(classes) == 2
    sign = -1.0 if two and decided == 0 else 1.0
    return DecisionTerms(
        prediction=classes[decided],
        against=classes[1 - decided] if two else None,
        score=sign * score,
        intercept=sign * intercept,
        contributions=[each._replace(adds=sign * each.adds) for each in found[:top]],
        others=len(found[top:]),
        others_add=sign * sum(each.adds for each in found[top:]),
    )


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
