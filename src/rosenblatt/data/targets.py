"""The column to predict: its classes, and the number of each row's class; and the column that splits rows."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..labels import Codes, Labels
from .arrays import coded, distinct
from .batches import Batch

# More different numbers than MANY, with fewer rows to each than FEW, are a quantity rather than classes.
MANY, FEW = 20, 10
HELD_OUT = ("test", "testing", "held out", "held-out", "holdout", "valid", "validation", "true", "1")
KEPT = ("train", "training", "false", "0")


def texts_of(batches: Sequence[Batch], column: str, what: str) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Numbers of all rows' texts, and the texts; refused where one is missing."""
    numbers: dict[str, int] = {}
    codes = []
    for batch in batches:
        found, texts = coded(batch.table.column(column))
        if (found < 0).any():
            row = int(np.flatnonzero(found < 0)[0])
            gaps = sum(int((coded(each.table.column(column)).codes < 0).sum()) for each in batches)
            count = f"{gaps:,} row{'s' if gaps > 1 else ''}"
            raise InputError(
                f"{batch.path}, column {column!r} has no {what} in {count}, the first in {batch.place(row)}: "
                "fill in or drop."
            )
        known = np.array([numbers.setdefault(text.strip(), len(numbers)) for text in texts], dtype=np.int64)
        codes.append(known[found] if len(known) else found)
    return np.concatenate(codes), list(numbers)


def classes_of(batches: Sequence[Batch], column: str) -> tuple[Labels, Codes]:
    """The sorted classes of a column read as text, and the number of each row's class."""
    codes, texts = texts_of(batches, column, "class")
    labels = typed(texts)
    found, places = distinct(labels)
    codes_of_rows = places.astype(np.int32)[codes]
    counts = np.bincount(codes_of_rows, minlength=len(found))
    if (counts == 0).any():  # texts that only a dictionary names
        kept = np.flatnonzero(counts)
        codes_of_rows = np.searchsorted(kept, codes_of_rows).astype(np.int32)
        found = found[kept]
    check_classes(batches[0].path, column, found, len(codes_of_rows))
    return found, codes_of_rows


def typed(texts: Sequence[str]) -> npt.NDArray[Any]:
    """Labels as whole numbers, numbers or truth values if each is written as Python would write it, else as text.

    >>> typed(["1", "2"]).tolist(), typed(["0.5", "1.0"]).tolist(), typed(["True", "False"]).tolist()
    ([1, 2], [0.5, 1.0], [True, False])
    >>> typed(["007", "8"]).tolist()
    ['007', '8']
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


def check_classes(path: str, column: str, found: npt.NDArray[Any], rows: int) -> None:
    """Refuse a target that is no list of classes."""
    what = f"{path}, column {column!r}"
    if len(found) < 2:
        raise InputError(f"{what} has only one class, {found[0].item()!r}: a classifier needs two or more.")
    if found.dtype.kind in "if" and len(found) > MANY and rows < FEW * len(found):
        quantity = f"{len(found):,} different numbers in {rows:,} rows, a quantity rather than classes"
        raise InputError(f"{what} has {quantity}: choose another target, or cut it into a few named classes.")
    if len(found) > 2 and rows < 2 * len(found):
        names = f"{len(found):,} different values in {rows:,} rows, hardly classes"
        raise InputError(f"{what} has {names}: choose a target whose values repeat.")


def split_of(batches: Sequence[Batch], column: str) -> npt.NDArray[np.bool_]:
    """Which rows a split column holds out."""
    codes, texts = texts_of(batches, column, "word for training or test")
    words = [text.lower() for text in texts]
    for text, word in zip(texts, words, strict=True):
        if word not in (*HELD_OUT, *KEPT):
            raise InputError(f"{batches[0].path}, column {column!r} must say train or test, not {text!r}.")
    held_out: npt.NDArray[np.bool_] = np.isin(words, HELD_OUT)[codes]
    if held_out.all():
        raise InputError(f"{batches[0].path}, column {column!r} leaves no rows to train on.")
    return held_out
