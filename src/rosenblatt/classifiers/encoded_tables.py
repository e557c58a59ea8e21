"""Tables as input of classifiers: with `encode=True` their columns become numbers by a `TableEncoder` inside.

Without it, an error about texts, dates or missing values says how to encode them.
"""

from typing import Any

from ..parts.parameter_checks import check_bool

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
    return encoder.fit_transform(X), encoder


def refuse_encoding(model: Any, what: str, why: str) -> None:
    """Refuse what does not go with a table encoded inside."""
    if model.encode or model._encoder is not None:
        raise ValueError(f"{what}, {why}, does not go with encode=True: encode the rows by a TableEncoder first.")
