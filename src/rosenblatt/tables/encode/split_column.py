"""A column whose words say which rows are for training and which are for testing."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ..read.batches import Batch
from .class_counter import ValueIndex

TEST_WORDS = ("test", "testing", "held out", "held-out", "holdout", "valid", "validation", "true", "1")
TRAIN_WORDS = ("train", "training", "false", "0")


class SplitColumn:
    """Reads which rows a split column holds out, batch by batch.

    >>> import pyarrow as arrow
    >>> SplitColumn("part").held_out(Batch(arrow.table({"part": ["train", "Test"]}), "", str)).tolist()
    [False, True]
    """

    def __init__(self, column: str) -> None:
        self._index = ValueIndex(column, "word for training or test")

    def held_out(self, batch: Batch, batches: Sequence[Batch] = ()) -> npt.NDArray[np.bool_]:
        """Which rows of a batch are held out."""
        codes = self._index.codes(batch, batches)
        words = [text.lower() for text in self._index.texts]
        for text, word in zip(self._index.texts, words, strict=True):
            if word not in (*TEST_WORDS, *TRAIN_WORDS):
                raise InputError(f"{batch.path}, column {self._index.column!r} must say train or test, not {text!r}.")
        return np.array([word in TEST_WORDS for word in words], dtype=bool)[codes]


def says_train_or_test(values: Sequence[str]) -> bool:
    """Whether the values of a column look like a split column.

    >>> says_train_or_test(["test", "Train"]), says_train_or_test(["false", "true"])
    (True, False)
    """
    words = {value.lower() for value in values}
    return len(words) > 1 and bool(words & {"train", "training"}) and words <= {*TRAIN_WORDS, *TEST_WORDS}
