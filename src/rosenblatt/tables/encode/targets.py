"""The column to predict: its classes, and the number of each row's class; and the column that splits rows."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.types import Codes, Labels
from ..read.arrow_arrays import coded, distinct
from ..read.batches import Batch

# More different numbers than MANY, with fewer rows to each than FEW, are a quantity rather than classes.
MANY, FEW = 20, 10
MOST = 1 << 20  # texts of a target
HELD_OUT = ("test", "testing", "held out", "held-out", "holdout", "valid", "validation", "true", "1")
KEPT = ("train", "training", "false", "0")


class Seen:
    """The texts of a column, numbered as they turn up, batch by batch; `what` they are is named where one is missing.

    >>> import pyarrow as arrow
    >>> seen = Seen("kind", "class")
    >>> seen.codes(Batch(arrow.table({"kind": ["b", "a", "b"]}), "", str)).tolist(), seen.texts
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self, column: str, what: str, texts: Sequence[str] = ()) -> None:
        self.column, self.what = column, what
        self._numbers = {text: number for number, text in enumerate(texts)}

    @property
    def texts(self) -> list[str]:
        return list(self._numbers)

    def codes(self, batch: Batch, others: Sequence[Batch] = ()) -> npt.NDArray[np.int64]:
        """The number of each row's text. The rows that miss one are counted in the others, too."""
        found, texts = coded(batch.table.column(self.column))
        if (found < 0).any():
            row = int(np.flatnonzero(found < 0)[0])
            gaps = sum(int((coded(each.table.column(self.column)).codes < 0).sum()) for each in others or [batch])
            count = f"{gaps:,} row{'s' if gaps > 1 else ''}" + ("" if others else " at least")
            raise InputError(
                f"{batch.path}, column {self.column!r} has no {self.what} in {count}, the first in "
                f"{batch.place(row)}: fill in or drop."
            )
        known = [self._numbers.setdefault(text.strip(), len(self._numbers)) for text in texts]
        if len(known) > MOST:
            raise InputError(
                f"{batch.path}, column {self.column!r} has more than {MOST:,} different values, hardly classes: choose "
                "a target whose values repeat."
            )
        return np.array(known, dtype=np.int64)[found] if known else found


def texts_of(batches: Sequence[Batch], column: str, what: str) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Numbers of all rows' texts, and the texts; refused where one is missing."""
    seen = Seen(column, what)
    codes = [seen.codes(batch, batches) for batch in batches]
    return np.concatenate(codes), seen.texts


def classes_of(batches: Sequence[Batch], column: str) -> tuple[Labels, Codes]:
    """The sorted classes of a column read as text, and the number of each row's class."""
    codes, texts = texts_of(batches, column, "class")
    labels, numbers = numbered(texts, np.bincount(codes, minlength=len(texts)))
    check_classes(batches[0].path, column, labels, len(codes))
    return labels, numbers[codes]


def numbered(texts: Sequence[str], counts: npt.NDArray[np.int64]) -> tuple[Labels, Codes]:
    """The sorted classes that texts stand for, and the number of each text's class; -1 where no row has the text.

    >>> numbered(["9", "10", "8"], np.array([1, 5, 0]))
    (array([ 9, 10]), array([ 0,  1, -1], dtype=int32))
    """
    met = np.flatnonzero(counts)  # a dictionary may name others
    numbers = np.full(len(texts), -1, dtype=np.int32)
    labels, numbers[met] = distinct(typed([texts[place] for place in met.tolist()]))
    return labels, numbers


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


def says_train_or_test(values: Sequence[str]) -> bool:
    """
    >>> says_train_or_test(["test", "Train"]), says_train_or_test(["false", "true"])
    (True, False)
    """
    words = {value.lower() for value in values}
    return len(words) > 1 and bool(words & {"train", "training"}) and words <= {*KEPT, *HELD_OUT}


def split_of(batches: Sequence[Batch], column: str) -> npt.NDArray[np.bool_]:
    """Which rows a split column holds out."""
    seen = Seen(column, "word for training or test")
    held_out: npt.NDArray[np.bool_] = np.concatenate([held_out_in(seen, batch, batches) for batch in batches])
    if held_out.all():
        raise InputError(f"{batches[0].path}, column {column!r} leaves no rows to train on.")
    return held_out


def held_out_in(seen: Seen, batch: Batch, others: Sequence[Batch] = ()) -> npt.NDArray[np.bool_]:
    """Which rows of a batch a split column holds out."""
    codes = seen.codes(batch, others)
    words = [text.lower() for text in seen.texts]
    for text, word in zip(seen.texts, words, strict=True):
        if word not in (*HELD_OUT, *KEPT):
            raise InputError(f"{batch.path}, column {seen.column!r} must say train or test, not {text!r}.")
    return np.array([word in HELD_OUT for word in words], dtype=bool)[codes]
