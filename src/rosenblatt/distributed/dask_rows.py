"""Rows of Dask arrays and data frames as blocks. Dask computes a block from its chunks wherever it likes, and again."""

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..foundation.errors import InputError
from ..foundation.labels import (
    MAY_MISS,
    codes_of,
    concatenate_labels,
    encode,
    refuse_missing_labels,
    refuse_mixed_labels,
)
from ..foundation.matrices import NATIVE_FLOATS, as_csr, as_rows, check_finite, is_sparse, refuse_dates, refuse_text
from ..foundation.types import Floats, Labels
from . import block as blocks
from .block import LoadedBlock
from .dask_blocks import DaskBlock, DaskRun, block_runs, compute_results
from .dask_executor import current_client
from .worker_count import worker_count


def is_dask(X: object) -> bool:
    """Whether X is a Dask array or data frame. Dask is not imported before someone else has."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(X))


def in_memory(values: Any) -> Any:
    """The values of a Dask collection, computed; others as they are."""
    return values.compute() if is_dask(values) else values


def column_count(X: Any) -> int:
    """The number of columns of a Dask array or data frame."""
    check_collection(X, "X")
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and columns, not {X.ndim}.")
    return int(X.shape[1])


def check_collection(collection: Any, name: str) -> None:
    """Refuse collections that hold no rows, such as bags and delayed values."""
    if is_dask(collection) and not isinstance(getattr(collection, "ndim", None), int):
        kind = type(collection).__name__
        raise ValueError(f"{name} is a Dask {kind}: make it a Dask array or data frame first.")


@dataclass(frozen=True)
class Chunks:
    """The chunks of a collection from top to bottom, as Dask promises them, and the rows of each."""

    parts: list[Any]
    lengths: list[int]

    @classmethod
    def of(cls, executor: Executor, collection: Any) -> "Chunks":
        """The chunks of a Dask array or data frame; an array in memory is one chunk."""
        if not is_dask(collection):
            array = np.asarray(collection)
            return cls([array], [len(array)])
        if getattr(collection, "ndim", 1) == 2 and len(getattr(collection, "chunks", ((), ()))[1]) > 1:
            collection = collection.rechunk({1: -1})
        parts = list(np.ravel(collection.to_delayed()))
        known = collection.chunks[0] if hasattr(collection, "chunks") else (np.nan,)
        if any(np.isnan(length) for length in known):
            known = compute_results(executor, row_count, [(part,) for part in parts])
        return cls(parts, [int(length) for length in known])

    @property
    def rows(self) -> int:
        return sum(self.lengths)

    def chunk_numbers(self, rows: Sequence[int]) -> list[int]:
        """The number of the chunk that holds each of these rows."""
        found: list[int] = np.searchsorted(np.cumsum(self.lengths), rows, side="right").tolist()
        return found

    def between(self, first: int, last: int, home: int | None = None) -> list[tuple[Any, int, int]]:
        """The chunks that hold these rows, each with the first and the last of its rows that are wanted.

        Only the wanted rows travel from chunks in memory, and, where `home` is the number of a chunk, from others.
        """
        found, begins = [], 0
        for number, (part, length) in enumerate(zip(self.parts, self.lengths, strict=True)):
            start, stop = max(first - begins, 0), min(last - begins, length)
            if start < stop:
                apart = not is_dask(part) or (home not in (None, number) and stop - start < length)
                found.append((cut_out(part, start, stop), 0, stop - start) if apart else (part, start, stop))
            begins += length
        return found


def cut_out(part: Any, start: int, stop: int) -> Any:
    """Some rows of a chunk, cut out where the chunk is."""
    if not is_dask(part):
        return part[start:stop]
    from dask.delayed import delayed

    return delayed(rows_of_chunk)(part, start, stop)


def rows_of_chunk(part: Any, start: int, stop: int) -> Any:
    return _sliceable(part)[start:stop]


def row_count(part: Any) -> int:
    return int(part.shape[0])


def join_chunks(pieces: list[tuple[Any, int, int]]) -> Any:
    """The rows of some chunks as one array or CSR matrix; those of one chunk are not copied if they need not be."""
    cut = [rows_of_chunk(*piece) for piece in pieces]
    if len(cut) == 1:
        return as_csr(cut[0]) if is_sparse(cut[0]) else np.ascontiguousarray(cut[0])
    if any(map(is_sparse, cut)):
        from scipy.sparse import vstack

        return as_csr(vstack(cut, format="csr"))
    return np.concatenate([np.asarray(part) for part in cut])


def _sliceable(part: Any) -> Any:
    return part.tocsr() if is_sparse(part) else part.iloc if hasattr(part, "iloc") else part


def joined_labels(y: list[Any], first: int) -> Labels:
    """The labels of some rows, of which the first has this number. What is no class is refused."""
    labels: Labels = join_chunks(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must hold one label a row, not {labels.shape[1]}.")
    if labels.dtype.kind in MAY_MISS + "f":
        refuse_missing_labels(labels, "y", first)
        refuse_mixed_labels(labels, "y", first)
    if labels.dtype.kind == "f" and (labels % 1 != 0).any():
        row = int(np.flatnonzero(labels % 1 != 0)[0])
        raise ValueError(
            f"y holds numbers instead of classes, such as {labels[row]} in row {first + row}: "
            "give classes, as y > 0 does."
        )
    return labels


def label_totals(y: list[Any], weights: list[Any] | None, first: int) -> tuple[Labels, Floats]:
    """The classes of some rows, and the weight of each. Weights that cannot be used are refused."""
    classes, codes = encode(joined_labels(y, first))
    given = None if weights is None else np.asarray(join_chunks(weights), np.float64)
    if given is not None and not ((given >= 0) & (given < np.inf)).all():
        row = int(np.flatnonzero(~((given >= 0) & (given < np.inf)))[0])
        raise ValueError(
            f"sample_weight must hold finite numbers that are not negative: row {first + row} has {given[row]}."
        )
    return classes, np.bincount(codes, given, len(classes)).astype(np.float64)


def all_label_totals(parts: list[Any]) -> list[tuple[Labels, Floats]]:
    """The totals of each block of a run."""
    return [label_totals(*part) for part in parts]


def make_blocks(parts: list[Any], classes: Labels, names: Any) -> list[LoadedBlock]:
    """The blocks of a run, whose columns have these names, if any."""
    return [make_block(X, y, weights, first, classes, names) for X, y, weights, first in parts]


def make_block(
    X: list[Any], y: list[Any], weights: list[Any] | None, first: int, classes: Labels, names: Any
) -> LoadedBlock:
    """The block of these rows, of which the first has this number. Rows of weight 0 are left out."""
    for part, *_ in X:
        refuse_dates(part, names)
    rows, labels = join_chunks(X), joined_labels(y, first)
    if not is_sparse(rows) and rows.dtype not in NATIVE_FLOATS:
        rows = as_numbers(rows, names)
    numbers = np.arange(first, first + len(labels))
    given = None if weights is None else np.asarray(join_chunks(weights), np.float64)
    if given is not None and not given.all():
        kept = np.flatnonzero(given)
        rows, labels, given, numbers = rows[kept], labels[kept], given[kept], numbers[kept]
    check_finite(as_rows(rows), rows, names, 1, numbers)
    codes = codes_of(labels, classes)
    if codes is None:
        raise InputError("labels of a Dask collection changed during training: persist it, or fix its random seed.")
    return LoadedBlock(rows, codes, given)


def as_numbers(rows: npt.NDArray[Any], names: Any) -> Floats:
    """The rows as float64, with NaN for what pandas calls NA. Text is refused by the name of its column."""
    if rows.dtype.kind == "c":
        raise ValueError("X holds complex numbers: give real ones, such as X.real and X.imag side by side.")
    if rows.dtype.kind == "O":
        missing = np.frompyfunc(lambda value: type(value).__name__ == "NAType", 1, 1)(rows).astype(bool)
        rows = np.where(missing, np.nan, rows)
    try:
        return rows.astype(np.float64)
    except (ValueError, TypeError):
        refuse_text(rows, names)
        raise


@dataclass(frozen=True)
class DaskRows:
    """Labelled rows of Dask collections, cut into blocks of the same number of rows whatever their chunks are."""

    X: Chunks
    y: Chunks
    weights: Chunks | None
    classes: Labels
    class_weights: Floats
    spans: list[tuple[int, int]]  # the first row of each block, and the one after its last
    names: list[Any] | None = None  # of the columns of a data frame

    @classmethod
    def of(cls, executor: Executor, X: Any, y: Any, sample_weight: Any = None) -> "DaskRows":
        """Look through the labels once, to number the classes."""
        for name, given in (("X", X), ("y", y), ("sample_weight", sample_weight)):
            check_collection(given, name)
        if y is None:
            raise ValueError("y is None: give the label of each row.")
        rows, labels = Chunks.of(executor, X), Chunks.of(executor, y)
        weights = None if sample_weight is None else _weight_chunks(executor, sample_weight, rows)
        for name, chunks in (("y", labels), ("sample_weight", weights)):
            if chunks is not None and chunks.rows != rows.rows:
                raise ValueError(f"X and {name} have inconsistent lengths: {rows.rows} and {chunks.rows} rows.")
        if not rows.rows:
            raise ValueError("X has no rows: give at least one row of each class.")
        return replace(cls._numbered(executor, rows, labels, weights), names=names_of_columns(X))

    @classmethod
    def _numbered(cls, executor: Executor, X: Chunks, y: Chunks, weights: Chunks | None) -> "DaskRows":
        """The rows with their classes. Classes and blocks without weight are left out."""
        spans = list(block_spans(X.rows))
        parts = [(y.between(*span), None if weights is None else weights.between(*span), span[0]) for span in spans]
        calls = [([parts[k] for k in run],) for run in runs_of_spans(executor, X, spans)]
        some, totals = zip(*chain(*compute_results(executor, all_label_totals, calls)), strict=True)
        classes, codes = encode(concatenate_labels(some))
        summed: Floats = np.bincount(codes, np.concatenate(totals), len(classes)).astype(np.float64)
        if not summed.any():
            raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
        spans = [span for span, weight in zip(spans, totals, strict=True) if weight.any()]
        return cls(X, y, weights, classes[summed > 0], summed[summed > 0], spans)

    def blocks(self, executor: Executor) -> Iterator[DaskBlock]:
        """The blocks in global row order, held in runs that the workers of this executor share."""
        from dask.delayed import delayed

        client = current_client()
        for numbers in runs_of_spans(executor, self.X, self.spans):
            spans = [self.spans[number] for number in numbers]
            run = DaskRun(delayed(make_blocks)(self._parts(spans), self.classes, self.names), client)
            for place, (first, last) in enumerate(spans):
                yield DaskBlock(f"rows {first:,} to {last - 1:,}", run, place)

    def _parts(self, spans: list[tuple[int, int]]) -> list[tuple[Any, ...]]:
        """What each block of a run is made of."""
        home = self.X.chunk_numbers([first for first, _ in spans[:1]])[0]
        return [
            (
                self.X.between(*span, home),
                self.y.between(*span),
                None if self.weights is None else self.weights.between(*span),
                span[0],
            )
            for span in spans
        ]


def runs_of_spans(executor: Executor, X: Chunks, spans: list[tuple[int, int]]) -> list[range]:
    """The blocks of each run. In this process a run is one block, so that few rows are in memory at a time."""
    if current_client() is None:
        return [range(number, number + 1) for number in range(len(spans))]
    return block_runs(X.chunk_numbers([first for first, _ in spans]), worker_count(executor))


def names_of_columns(X: Any) -> list[Any] | None:
    """The names of the columns of a data frame."""
    return list(X.columns) if hasattr(X, "columns") else None


def _weight_chunks(executor: Executor, sample_weight: Any, rows: Chunks) -> Chunks:
    """The chunks of weights; a single number is the weight of every row."""
    if is_dask(sample_weight) or np.ndim(sample_weight):
        return Chunks.of(executor, sample_weight)
    return Chunks([np.full(length, sample_weight, np.float64) for length in rows.lengths], rows.lengths)


def block_spans(rows: int) -> Iterator[tuple[int, int]]:
    """The first row and the one after the last of each block."""
    for first in range(0, rows, blocks.BLOCK_ROWS):
        yield first, min(first + blocks.BLOCK_ROWS, rows)


def lazily(predict: Any, X: Any, dtype: npt.DTypeLike, columns: int | None) -> Any:
    """predict(chunk) for each chunk of X, when Dask computes it: an array of one dimension, or of so many columns."""
    shape = (0,) if columns is None else (0, columns)
    if not hasattr(X, "chunks"):  # a data frame, whose partitions keep the names of their columns
        return X.map_partitions(predict, meta=np.empty(shape, dtype), enforce_metadata=False)
    X = X.rechunk({1: -1})
    if columns is None:
        return X.map_blocks(predict, dtype=dtype, drop_axis=1, meta=np.empty(shape, dtype))
    return X.map_blocks(predict, dtype=dtype, chunks=(X.chunks[0], (columns,)), meta=np.empty(shape, dtype))
