"""Rows, labels and models from a notebook: arrays, data frames, sparse matrices, estimators, pipelines, model files."""

import os
from typing import Any

import numpy as np
import pyarrow as arrow

from ..foundation.labels import refuse_missing_labels
from ..foundation.matrices import is_sparse, refuse_numpy_matrix
from ..model.file import load, model_of
from ..tables.read.arrow_arrays import from_numpy
from ..tables.read.batches import NUMBER
from ..tables.read.in_memory import as_table
from ..tables.read.svmlight_table import ENTRY_TYPE
from ..tables.read.typed_files import InMemorySource
from .seen_estimator import column_names, see_estimator
from .table_training import TrainableTable
from .user_data import Questions, fixed_questions, model_questions, trainable_questions

TITLE, TARGET = "Your data", "y"
ENTRIES = "X"  # the column of a sparse matrix


def notebook_questions(X: Any, y: Any, model: Any) -> Questions:
    """The handlers of questions about what a notebook gives; none if it gives nothing."""
    if isinstance(model, str | os.PathLike):
        model = load(model)
    if X is None:
        return {} if model is None else model_questions(model_of(model, "Lab"), type(model).__name__)
    if y is None:
        raise ValueError("Lab takes rows X with their labels y: give both.")
    refuse_numpy_matrix(X)
    if model is not None:
        seen = see_estimator(model, X, y)
        return fixed_questions(seen, f"{seen.name} on your data")
    return trainable_questions(_trainable(X, y), TITLE)


def _trainable(X: Any, y: Any) -> TrainableTable:
    """X and y as a table in memory; numbers stay numbers, other columns are encoded as `fit` does."""
    labels = np.asarray(y)
    refuse_missing_labels(labels.tolist(), "y")
    table = _sparse_table(X) if is_sparse(X) else _array_table(X)
    if labels.shape != (table.num_rows,):
        raise ValueError(f"Lab takes one label a row, not y of shape {labels.shape} for {table.num_rows:,} rows.")
    target = _unused_name(table.column_names)
    kinds = {
        name: NUMBER for name, kind in zip(table.column_names, table.schema.types, strict=True) if _is_number(kind)
    }
    table = table.append_column(target, arrow.array([str(label) for label in labels.tolist()]))
    return TrainableTable(InMemorySource(table, TITLE), target, kinds=kinds)


def _is_number(kind: Any) -> bool:
    return bool(arrow.types.is_integer(kind) or arrow.types.is_floating(kind))


def _unused_name(names: list[str]) -> str:
    return next(name for name in (TARGET + "_" * k for k in range(len(names) + 1)) if name not in names)


def _array_table(X: Any) -> Any:
    """A table of a data frame, or of an array; the columns of numbers are not copied one value at a time."""
    if hasattr(X, "columns") or not isinstance(X, np.ndarray) or X.dtype.kind not in "fiu" or X.ndim != 2:
        return as_table(X)
    if not np.isfinite(X).all():
        raise ValueError("Lab takes finite numbers: X has values that are not finite.")
    return arrow.table({name: np.ascontiguousarray(X[:, k]) for k, name in enumerate(column_names(X))})


def _sparse_table(X: Any) -> Any:
    """A sparse matrix as a column of numbered entries, as LIBSVM files have them."""
    rows = X.tocsr()
    rows.sum_duplicates()
    numbers = from_numpy(rows.indices.astype(np.int32)), from_numpy(rows.data.astype(np.float64))
    entries = arrow.StructArray.from_arrays(list(numbers), fields=list(ENTRY_TYPE))
    return arrow.table({ENTRIES: arrow.ListArray.from_arrays(from_numpy(rows.indptr.astype(np.int32)), entries)})
