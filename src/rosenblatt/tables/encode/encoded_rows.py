"""Encoded rows: dense, or CSR where most columns of a row are 0, without SciPy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ...foundation.threads import thread_count
from ...foundation.types import Codes
from .columns.entries import CsrArrays, Entries, SingleEntries


@dataclass(frozen=True)
class EncodedRows:
    """Rows of numbers with `columns` columns: either `dense` or `sparse`."""

    columns: int
    dense: npt.NDArray[np.float64] | None
    sparse: CsrArrays | None

    @property
    def count(self) -> int:
        if self.dense is not None:
            return len(self.dense)
        assert self.sparse is not None
        return len(self.sparse.starts) - 1

    @property
    def bytes(self) -> int:
        """The size of the arrays."""
        return sum(part.nbytes for part in self.sparse or [self.dense] if part is not None)

    def rows(self) -> _core.Rows:
        """The rows as the native core reads them."""
        if self.dense is not None:
            return _core.Rows.dense(self.dense)
        assert self.sparse is not None
        starts, places, values = self.sparse
        return _core.Rows.csr(values, places, starts.astype(places.dtype, copy=False), self.columns, thread_count(None))

    def matrix(self) -> Any:
        """An array, or SciPy's CSR matrix."""
        if self.dense is not None:
            return self.dense
        from scipy.sparse import csr_matrix

        assert self.sparse is not None
        matrix = csr_matrix((self.count, self.columns), dtype=self.sparse.values.dtype)
        matrix.indptr, matrix.indices, matrix.data = self.sparse  # as arguments, views of files would be copied
        return matrix

    def select(self, places: npt.NDArray[np.intp]) -> "EncodedRows":
        """The rows at these places."""
        if self.dense is not None:
            return replace(self, dense=self.dense[places])
        assert self.sparse is not None
        lengths = np.diff(self.sparse.starts)[places]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(starts[-1]) + np.repeat(self.sparse.starts[places] - starts[:-1], lengths)
        return replace(self, sparse=CsrArrays(_index(starts), self.sparse.places[at], self.sparse.values[at]))

    def slice(self, first: int, last: int) -> "EncodedRows":
        """The rows from the first to the one before the last, without a copy of their numbers."""
        if self.dense is not None:
            return replace(self, dense=self.dense[first:last])
        assert self.sparse is not None
        starts = self.sparse.starts[first : last + 1]
        inside = slice(int(starts[0]), int(starts[-1]))
        piece = CsrArrays(_index(starts - starts[0]), self.sparse.places[inside], self.sparse.values[inside])
        return replace(self, sparse=piece)

    @property
    def stored(self) -> int:
        """The number of stored values."""
        return self.dense.size if self.dense is not None else len(self.sparse.values)  # type: ignore[union-attr]


@dataclass(frozen=True)
class LabelledRows:
    """Encoded rows, and the numbers of their classes."""

    encoded: EncodedRows
    codes: Codes

    def select(self, places: npt.NDArray[np.intp]) -> "LabelledRows":
        """The rows at these places."""
        if len(places) == len(self.codes):
            return self
        return LabelledRows(self.encoded.select(places), self.codes[places])

    def slice(self, first: int, last: int) -> "LabelledRows":
        """The rows from the first to the one before the last, without a copy of their numbers."""
        return LabelledRows(self.encoded.slice(first, last), self.codes[first:last])

    def pieces(self, rows: int) -> Iterator["LabelledRows"]:
        """All rows, at most so many at a time."""
        for first in range(0, len(self.codes), rows):
            yield self.slice(first, min(first + rows, len(self.codes)))


def concatenate_rows(parts: Sequence[EncodedRows]) -> EncodedRows:
    """Concatenate the encoded rows of several batches."""
    if len(parts) == 1:
        return parts[0]
    columns = parts[0].columns
    if parts[0].dense is not None:
        return EncodedRows(columns, np.concatenate([part.dense for part in parts if part.dense is not None]), None)
    pieces = [part.sparse for part in parts if part.sparse is not None]
    before = np.cumsum([0, *(len(piece.places) for piece in pieces)])
    starts = np.concatenate(
        [piece.starts[:-1] + ahead for piece, ahead in zip(pieces, before[:-1], strict=True)] + [before[-1:]]
    )
    places, values = (np.concatenate([piece[field] for piece in pieces]) for field in (1, 2))
    return EncodedRows(columns, None, CsrArrays(_index(starts), places, values))


def concatenate_entries(pieces: Sequence[Entries]) -> Entries:
    """Concatenate the entries of a table column in several batches.

    >>> batches = SingleEntries(np.array([0]), np.array([1.5])), SingleEntries(np.array([1]), np.array([2.5]))
    >>> concatenate_entries(batches)
    SingleEntries(places=array([0, 1]), values=array([1.5, 2.5]))
    """
    singles = [piece for piece in pieces if isinstance(piece, SingleEntries)]
    if singles:
        return SingleEntries(*(np.concatenate(field) for field in zip(*singles, strict=True)))
    rows = [EncodedRows(0, None, piece) for piece in pieces if isinstance(piece, CsrArrays)]
    arrays = concatenate_rows(rows).sparse
    assert arrays is not None
    return arrays


def _index(starts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return starts.astype(np.int32 if starts[-1] < 2**31 else np.int64, copy=False)


def fill_dense(matrix: npt.NDArray[np.float64], singles: Sequence[SingleEntries], offsets: Sequence[int]) -> None:
    """Write the entries of each row into a dense matrix; `offsets` say where each table column begins."""
    every = np.arange(len(matrix))
    for single, offset in zip(singles, offsets, strict=True):
        if single.places.any():
            matrix[every, offset + single.places] = single.values
        else:
            matrix[:, offset] = single.values


class FixedWidthRows:
    """Sparse rows that all have the same number of entries, filled batch by batch."""

    def __init__(self, rows: int, offsets: Sequence[int], dtype: Any = np.float32) -> None:
        self._offsets = np.array(offsets, dtype=np.int32)
        self._places = np.empty((rows, len(offsets)), dtype=np.int32)
        self._values = np.empty((rows, len(offsets)), dtype=dtype)

    @np.errstate(over="ignore")
    def fill(self, first: int, singles: Sequence[SingleEntries]) -> None:
        """Set the entries of the rows from `first` on."""
        last = first + len(singles[0].values)
        places = np.array([single.places for single in singles], dtype=np.int32)
        np.add(places.T, self._offsets, out=self._places[first:last])
        self._values[first:last] = np.array([single.values for single in singles], dtype=self._values.dtype).T

    def encoded(self, columns: int) -> EncodedRows:
        rows, width = self._places.shape
        starts = np.arange(0, (rows + 1) * width, width, dtype=np.int64)[: rows + 1]
        return EncodedRows(columns, None, CsrArrays(_index(starts), self._places.reshape(-1), self._values.reshape(-1)))


@np.errstate(over="ignore")  # values too large for float32 are refused when they are scored
def sparse_rows(
    entries: Sequence[Entries], offsets: Sequence[int], columns: int, dtype: Any = np.float32
) -> EncodedRows:
    """CSR rows of the entries of several table columns; `offsets` say where each column begins."""
    singles = [(single, at) for single, at in zip(entries, offsets, strict=True) if isinstance(single, SingleEntries)]
    texts = [(text, at) for text, at in zip(entries, offsets, strict=True) if isinstance(text, CsrArrays)]
    if not singles and len(texts) == 1:
        text, at = texts[0]
        places = text.places if not at else text.places + np.int32(at)
        return EncodedRows(columns, None, CsrArrays(_index(text.starts), places, text.values))
    rows = len(singles[0][0].values) if singles else len(texts[0][0].starts) - 1
    if not texts:
        fixed = FixedWidthRows(rows, offsets, dtype)
        fixed.fill(0, [single for single, _ in singles])
        return fixed.encoded(columns)
    width = len(singles)
    lengths = [np.diff(text.starts) for text, _ in texts]
    starts = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(sum(lengths, np.full(rows, width)), out=starts[1:])
    all_places, all_values = np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=dtype)
    for k, (single, at) in enumerate(singles):
        all_places[starts[:-1] + k] = single.places + at
        all_values[starts[:-1] + k] = single.values
    filled = starts[:-1] + width
    for (text, at), length in zip(texts, lengths, strict=True):
        to = np.arange(len(text.places)) + np.repeat(filled - text.starts[:-1], length)
        all_places[to] = text.places + at
        all_values[to] = text.values
        filled = filled + length
    return EncodedRows(columns, None, CsrArrays(_index(starts), all_places, all_values))
