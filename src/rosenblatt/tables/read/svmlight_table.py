"""LIBSVM text as a table of two columns: `label`, and `features`, lists of (index, value) as in the file."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as arrow

from ...foundation.errors import InputError
from .arrow_arrays import csr_from_lists, from_numpy
from .batches import Batch, Reading, Source
from .compressed import STDIN, ByteStream, file_size
from .svmlight import RawRows, parse_svmlight
from .text_lines import BLOCK_SIZE, Block, TextSource

LABEL, FEATURES = "label", "features"
ENTRY_TYPE = arrow.struct([("index", arrow.int32()), ("value", arrow.float64())])


class SvmlightText(TextSource):
    """A file of LIBSVM text, plain or compressed."""

    target = LABEL

    def __init__(self, path: str, stream: ByteStream) -> None:
        self.path, self.size = path, file_size(path)
        self.names = [LABEL, FEATURES]
        self._stream = stream if path == STDIN else None
        self.rereadable = path != STDIN
        self._head = stream.peek(BLOCK_SIZE)
        if not self._head.strip():
            raise InputError(f"{path} is empty.")
        if self._stream is None:
            stream.close()

    def sample(self) -> Batch:
        whole = self._head[: self._head.rfind(b"\n") + 1] or self._head
        return next(self._batches_of(parse_svmlight([whole], self.path), self.names))

    def batches(self, reading: Reading) -> Iterator[Batch]:
        if self.only_block is not None:
            yield self.reader(reading)(self.only_block)
            return
        stream = self._stream or ByteStream(self.path)

        def buffers() -> Iterator[bytes]:
            while piece := stream.read(4 * BLOCK_SIZE):
                self.done = stream.done
                yield piece

        yield from self._batches_of(parse_svmlight(buffers(), self.path), list(reading))
        stream.close()

    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        def batch(block: Block) -> Batch:
            pieces = parse_svmlight([block.text], self.path, before=block.line - 1)
            return next(self._batches_of(pieces, list(reading), block.line))

        return batch

    def _batches_of(self, pieces: Iterator[RawRows], columns: list[str], first: int = 1) -> Iterator[Batch]:
        for piece in pieces:
            entries = arrow.StructArray.from_arrays(
                [from_numpy(piece.indices), from_numpy(piece.values)], fields=ENTRY_TYPE
            )
            rows = arrow.ListArray.from_arrays(from_numpy(piece.indptr.astype("int32")), entries)
            table = arrow.table({LABEL: from_numpy(piece.labels), FEATURES: rows}).select(columns)
            yield Batch(table, self.path, lambda row, first=first: f"row {first + row}")  # type: ignore[misc]
            first += table.num_rows


def is_svmlight(source: Source) -> bool:
    """Whether a source is LIBSVM text, in one file or many."""
    return source.target == LABEL and source.names == [LABEL, FEATURES]


def is_index_value_list(kind: Any) -> bool:
    """Whether an Arrow type is the type of `features`."""
    return bool(arrow.types.is_list(kind) and kind.value_type == ENTRY_TYPE)


def has_valid_entries(values: Any) -> bool:
    """Whether the indices of each row increase and are not negative, values are finite, and nothing is missing.

    >>> rows = [[{"index": 1, "value": 2.0}, {"index": 3, "value": 1.0}], [{"index": 0, "value": 1.0}]]
    >>> [has_valid_entries(arrow.array(lists, arrow.list_(ENTRY_TYPE))) for lists in (rows, [None])]
    [True, False]
    """
    entries = values.flatten()
    if values.null_count or entries.null_count or any(entries.field(k).null_count for k in (0, 1)):
        return False
    starts, indices, numbers = csr_from_lists(values)
    row = np.repeat(np.arange(len(values)), np.diff(starts))
    falls = (np.diff(indices) <= 0) & (row[1:] == row[:-1])
    return bool(not falls.any() and not (indices < 0).any() and np.isfinite(numbers).all())
