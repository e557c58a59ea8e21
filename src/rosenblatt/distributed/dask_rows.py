"""Rows of Dask arrays and data frames as blocks. Dask computes a block from its chunks wherever it likes, and again."""

import operator
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
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
from .block import Block, LoadedBlock
from .cluster import Cluster
from .dask_executor import live


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


def current_client() -> Any:
    """The Dask client in use; None where Dask runs in this process."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


@dataclass(frozen=True)
class Held:
    """A value that a worker holds in the place of a block."""

    value: Any

    def load(self) -> "Held":
        return self


def computed(executor: Executor, function: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    """function(*call) for each call, whose arguments Dask computes first. Failed ones are computed again."""
    from dask.delayed import delayed

    client = current_client()
    blocks = [DaskBlock(f"part {k}", delayed(Held)(delayed(function)(*call)), client) for k, call in enumerate(calls)]
    return Cluster(executor, blocks).reduce(held_values, operator.add)


def held_values(held: Any) -> list[Any]:
    return [held.value]


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
            known = computed(executor, row_count, [(part,) for part in parts])
        return cls(parts, [int(length) for length in known])

    @property
    def rows(self) -> int:
        return sum(self.lengths)

    def between(self, first: int, last: int) -> list[tuple[Any, int, int]]:
        """The chunks that hold these rows, each with the first and the last of its rows that are wanted."""
        found, begins = [], 0
        for part, length in zip(self.parts, self.lengths, strict=True):
            start, stop = max(first - begins, 0), min(last - begins, length)
            if start < stop:
                found.append((part, start, stop))
            begins += length
        return found


def row_count(part: Any) -> int:
    return int(part.shape[0])


def joined(pieces: list[tuple[Any, int, int]]) -> Any:
    """The rows of some chunks as one array or CSR matrix."""
    cut = [_sliceable(part)[start:stop] for part, start, stop in pieces]
    if any(map(is_sparse, cut)):
        from scipy.sparse import vstack

        return as_csr(vstack(cut, format="csr"))
    return np.concatenate([np.asarray(part) for part in cut])


def _sliceable(part: Any) -> Any:
    return part.tocsr() if is_sparse(part) else part.iloc if hasattr(part, "iloc") else part


def joined_labels(y: list[Any], first: int) -> Labels:
    """The labels of some rows, of which the first has this number. What is no class is refused."""
    labels: Labels = joined(y)
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
    given = None if weights is None else np.asarray(joined(weights), np.float64)
    if given is not None and not ((given >= 0) & (given < np.inf)).all():
        row = int(np.flatnonzero(~((given >= 0) & (given < np.inf)))[0])
        raise ValueError(
            f"sample_weight must hold finite numbers that are not negative: row {first + row} has {given[row]}."
        )
    return classes, np.bincount(codes, given, len(classes)).astype(np.float64)


def make_block(X: list[Any], y: list[Any], weights: list[Any] | None, classes: Labels, first: int) -> LoadedBlock:
    """The block of these rows, of which the first has this number. Rows of weight 0 are left out."""
    for part, *_ in X:
        refuse_dates(part)
    rows, labels, names = joined(X), joined_labels(y, first), getattr(X[0][0], "columns", None)
    if not is_sparse(rows) and rows.dtype not in NATIVE_FLOATS:
        rows = as_numbers(rows, names)
    numbers = np.arange(first, first + len(labels))
    given = None if weights is None else np.asarray(joined(weights), np.float64)
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


class DaskBlock(Block):
    """A block that Dask computes: by a client's workers, which keep it, or in this process at each pass."""

    def __init__(self, name: str, rows: Any, client: Any) -> None:
        self._name, self._rows, self._client = name, rows, client
        self._kept: Any = None

    @property
    def name(self) -> str:
        return self._name

    def load(self) -> Any:
        loaded: Any = self._rows.compute(scheduler="synchronous")
        return loaded

    @property
    def is_held(self) -> bool:
        return self._client is not None

    @property
    def argument(self) -> Any:
        if self._client is None:
            return self
        self._kept = live(self._kept, lambda: self._client.compute(self._rows))
        return self._kept


@dataclass(frozen=True)
class DaskRows:
    """Labelled rows of Dask collections, cut into blocks of the same number of rows whatever their chunks are."""

    X: Chunks
    y: Chunks
    weights: Chunks | None
    classes: Labels
    class_weights: Floats
    spans: list[tuple[int, int]]  # the first row of each block, and the one after its last

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
        return cls._numbered(executor, rows, labels, weights)

    @classmethod
    def _numbered(cls, executor: Executor, X: Chunks, y: Chunks, weights: Chunks | None) -> "DaskRows":
        """The rows with their classes. Classes and blocks without weight are left out."""
        spans = list(block_spans(X.rows))
        parts = [(y.between(*span), None if weights is None else weights.between(*span), span[0]) for span in spans]
        some, totals = zip(*computed(executor, label_totals, parts), strict=True)
        classes, codes = encode(concatenate_labels(some))
        summed: Floats = np.bincount(codes, np.concatenate(totals), len(classes)).astype(np.float64)
        if not summed.any():
            raise ValueError("sample_weight is zero for every row: there is nothing to learn from.")
        spans = [span for span, weight in zip(spans, totals, strict=True) if weight.any()]
        return cls(X, y, weights, classes[summed > 0], summed[summed > 0], spans)

    def blocks(self) -> Iterator[DaskBlock]:
        """The blocks in global row order."""
        from dask.delayed import delayed

        client = current_client()
        for span in self.spans:
            weights = None if self.weights is None else self.weights.between(*span)
            rows = delayed(make_block)(self.X.between(*span), self.y.between(*span), weights, self.classes, span[0])
            yield DaskBlock(f"rows {span[0]:,} to {span[1] - 1:,}", rows, client)


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
