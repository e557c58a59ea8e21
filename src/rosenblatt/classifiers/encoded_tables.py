"""Tables as input of classifiers: with `encode=True` their columns become numbers by a `TableEncoder` inside.

Without it, an error about texts, dates or missing values says how to encode them.
"""

from collections.abc import Mapping
from typing import Any

from ..parts.parameter_checks import check_bool
from .messages import warn

REFERENCE_LEVEL_ADVICE = (
    "encode=True gives every value of a category a column, so fit a formula instead, such as "
    "fit(table, formula='y ~ a + b'), which leaves out one value of each"
)
ADVICE = "Set encode=True, or turn the table into numbers by a TableEncoder first."
MISSING_ADVICE = "Fill in or drop such values first, or set encode=True, as TableEncoder gives them a column."


class EncodesTables:
    """The parameter `encode`, and the encoder of the last `fit`; None if its rows were numbers."""

    encode: bool = False
    _encoder: Any = None
    _table_advice: str = ADVICE  # what to do with columns that are not numbers


def is_table(model: Any, anew: bool) -> bool:
    """Whether the rows of a model are those of a table to encode. `anew`: in `fit`, as the parameter says."""
    return check_bool("encode", model.encode) if anew else model._encoder is not None


def encode_input(model: Any, X: Any, anew: bool) -> tuple[Any, Any]:
    """A table as numbers, by an encoder fitted to it or, unless `anew`, by that of the model; and the encoder."""
    from ..tables.table_encoder import TableEncoder  # models of numbers do without it, and start faster

    if not anew:
        return model._encoder.transform(X), model._encoder
    if model.__sklearn_tags__().input_tags.pairwise:
        raise ValueError("encode=True does not go with kernel='precomputed', whose input are no columns.")
    encoder = TableEncoder().set_output(transform="default")
    encoded = encoder.fit_transform(X)
    _warn_of_unreadable(type(model).__name__, encoder.left_out_)
    return encoded, encoder


def _warn_of_unreadable(name: str, left_out: Mapping[str, str]) -> None:
    """Warn of columns whose type says nothing to a classifier, such as durations: they may have been meant."""
    from ..tables.encode.column_kinds import UNREADABLE

    for column, why in left_out.items():
        if why.startswith(UNREADABLE):
            warn(
                f"{name}: column {column!r} is left out, because {why}: turn it into numbers, texts or dates.",
                UserWarning,
            )


def refuse_encoding(model: Any, what: str, why: str) -> None:
    """Refuse what does not go with a table encoded inside."""
    if model.encode or model._encoder is not None:
        raise ValueError(f"{what}, {why}, does not go with encode=True: encode the rows by a TableEncoder first.")
