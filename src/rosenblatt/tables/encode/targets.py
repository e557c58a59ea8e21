"""The labels of a target column: text to sorted classes, and the check that they are classes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.types import Codes, Labels
from ..read.arrow_arrays import unique_inverse
from ..read.notations import group_notation, has_decimal_commas
from .column_kinds import is_numeral

# Numbers are a quantity rather than classes if there are many of them, with fractions or with few rows each.
MIN_QUANTITY_VALUES = 20
MIN_ROWS_PER_NUMBER = 10


def number_classes(texts: Sequence[str], counts: npt.NDArray[np.int64]) -> tuple[Labels, Codes]:
    """The sorted classes that texts stand for, and the number of each text's class; -1 where no row has the text.

    >>> number_classes(["9", "10", "8"], np.array([1, 5, 0]))
    (array([ 9, 10]), array([ 0,  1, -1], dtype=int32))
    """
    met = np.flatnonzero(counts)  # the dictionary of an Arrow column may name values that no row has
    numbers = np.full(len(texts), -1, dtype=np.int32)
    labels, numbers[met] = unique_inverse(typed_labels([texts[place] for place in met.tolist()]))
    return labels, numbers


def typed_labels(texts: Sequence[str]) -> npt.NDArray[Any]:
    """Labels as integers, floats or booleans if Python writes each of them in the same way, else as text.

    >>> typed_labels(["1", "2"]).tolist(), typed_labels(["0.5", "1.0"]).tolist()
    ([1, 2], [0.5, 1.0])
    >>> typed_labels(["True", "False"]).tolist(), typed_labels(["007", "8"]).tolist()
    ([True, False], ['007', '8'])
    """
    for kind in (int, float, {"True": True, "False": False}.__getitem__):
        try:
            values = [kind(text) for text in texts]
        except (ValueError, KeyError):
            continue
        same = all(str(value) == text for value, text in zip(values, texts, strict=True))
        if same and all(math.isfinite(value) and abs(value) < 2**63 for value in values):
            return np.array(values)
    return np.array(texts)


def _are_quantities(labels: npt.NDArray[Any], rows: int) -> bool:
    """Whether labels are numbers that measure something: many fractions, or many numbers with few rows each."""
    if len(labels) <= MIN_QUANTITY_VALUES:
        return False
    if labels.dtype.kind == "U":  # such as 1.50, which Python writes otherwise
        texts = labels.tolist()
        written = has_decimal_commas(texts) or group_notation(texts)
        return bool(written) or (all(map(is_numeral, texts)) and any("." in text for text in texts))
    if labels.dtype.kind == "f" and (labels % 1 != 0).any():
        return True
    return labels.dtype.kind in "if" and rows < MIN_ROWS_PER_NUMBER * len(labels)


def check_classes(path: str, column: str, labels: npt.NDArray[Any], rows: int) -> None:
    """Refuse a target column that holds no classes."""
    what = f"{path}, column {column!r}"
    if len(labels) < 2:
        raise InputError(f"{what} has only one class, {labels[0].item()!r}: a classifier needs two or more.")
    if _are_quantities(labels, rows):
        quantity = f"{len(labels):,} different numbers in {rows:,} rows, a quantity rather than classes"
        advice = "choose another target, or cut it into a few classes such as low, middle and high"
        raise InputError(f"{what} has {quantity}: {advice}.")
    if len(labels) > 2 and rows < 2 * len(labels):
        names = f"{len(labels):,} different values in {rows:,} rows, too many for classes"
        raise InputError(f"{what} has {names}: choose a target whose values repeat.")
