"""The first pass over a table: its classes, which rows are held out, and what there is to know of its columns.

Rows are looked at as they come and not kept, so that a table of any size can be surveyed.
"""

import numpy as np
import numpy.typing as npt

from ..foundation.errors import InputError
from ..foundation.splitting import VALIDATION, Sieve
from ..foundation.types import Codes, Labels
from ..tables.encode.encoder import Encoder
from ..tables.encode.leaks import Suspects
from ..tables.encode.prepare import rows_of
from ..tables.encode.targets import Seen, check_classes, held_out_in, numbered
from ..tables.read.batches import Batch
from .request import Request

TRAINED, STOPPED_BY, TESTED = range(3)
Kinds = npt.NDArray[np.int8]


class Parting:
    """What each row is for, as rows come: to train on, to stop by, or to measure by. Asked again, it says the same."""

    def __init__(self, request: Request) -> None:
        self._test = Sieve(request.test_fraction, request.seed)
        self._stop = Sieve(VALIDATION, request.seed) if request.early_stopping else None
        column = request.split_column
        self._words = None if column is None else Seen(column, "word for training or test")

    def __call__(self, batch: Batch, codes: npt.NDArray[np.int64]) -> Kinds:
        out = self._test(codes) if self._words is None else held_out_in(self._words, batch)
        kinds = np.where(out, np.int8(TESTED), np.int8(TRAINED))
        if self._stop is not None:
            kinds[np.flatnonzero(~out)[self._stop(codes[~out])]] = STOPPED_BY
        return kinds


class Survey:
    """What is known of a table after a pass over it."""

    def __init__(self, encoder: Encoder, request: Request, target: str) -> None:
        self.encoder, self.rows = encoder, 0
        self._request, self._seen = request, Seen(target, "class")
        self._parting, self._suspects = Parting(request), Suspects(encoder)
        self._counts = np.zeros((3, 0), np.int64)  # rows of each class, to train on, to stop by and to measure by

    def see(self, batch: Batch) -> None:
        """Some rows, the next ones."""
        codes = self._seen.codes(batch)
        kinds = self._parting(batch, codes)
        classes = len(self._seen.texts)
        counts = np.bincount(kinds * classes + codes, minlength=3 * classes).reshape(3, -1)
        counts[:, : self._counts.shape[1]] += self._counts
        self._counts = counts
        self.rows += len(codes)
        learned = np.flatnonzero(kinds != TESTED)
        if len(learned):
            rows = rows_of(batch, learned)
            self.encoder.see(rows)
            self._suspects.see(rows, codes[learned])

    def finish(self, path: str) -> "Surveyed":
        """After the last rows."""
        labels, numbers = numbered(self._seen.texts, self._counts.sum(axis=0))
        check_classes(path, self._seen.column, labels, self.rows)
        counts = self._counts[:, numbers >= 0][:, np.argsort(numbers[numbers >= 0])]
        learned = counts[TRAINED] + counts[STOPPED_BY]
        column = self._request.split_column
        if column is not None and not learned.any():
            raise InputError(f"{path}, column {column!r} leaves no rows to train on.")
        if column is not None and not learned.all():
            label = labels[np.flatnonzero(learned == 0)[0]].item()
            raise InputError(f"column {column!r} leaves no row of class {label!r} to train on.")
        if self._request.early_stopping and not counts[STOPPED_BY].any():
            raise InputError("early stopping holds out a tenth of each class, and no class has rows enough for that.")
        self.encoder.settle(path)
        return Surveyed(labels, self._seen.texts, numbers, counts, self._suspects.names(self.encoder))


class Surveyed:
    """The classes, the number of each text that stands for one, how many rows are for what, and columns that leak."""

    def __init__(
        self, labels: Labels, texts: list[str], numbers: Codes, counts: npt.NDArray[np.int64], leaks: list[str]
    ) -> None:
        self.labels, self.texts, self.numbers, self.counts, self.leaks = labels, texts, numbers, counts, leaks
