"""Several labels a row: an indicator matrix or lists of labels, as one matrix of truth values, and back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from .array_api import as_numpy
from .labels import extend_classes, refuse_missing_labels, refuse_mixed_labels
from .types import Codes, Labels, Mask

MATRIX, LISTS = "matrix", "lists"
NO_LABELS: Labels = np.empty(0, np.int64)
SEVERAL = (list, tuple, set, frozenset, np.ndarray)  # what may hold the labels of one row


@dataclass(frozen=True)
class LabelSets:
    """Which rows have which labels: `has` has one line a row and one column a label.

    `form` is "matrix" where an indicator matrix was given, whose columns are in its order, or "lists" where lists of
    labels were, which are sorted.
    """

    labels: Labels
    has: Mask
    form: str

    def __len__(self) -> int:
        return len(self.has)

    def __getitem__(self, rows: Any) -> "LabelSets":
        return replace(self, has=self.has[rows])

    def among(self, known: Labels, expected: Labels) -> tuple["LabelSets", Codes]:
        """The same with the labels known and expected, too, and the places of the known ones.

        The columns of a matrix are known by their number alone; their names are the first that were given.
        """
        if self.form == MATRIX:
            names = next((given for given in (known, expected) if len(given)), self.labels)
            if len(names) != len(self.labels):
                raise ValueError(
                    f"y has {len(self.labels)} columns, but {len(names)} labels are known: give one column a label."
                )
            return replace(self, labels=names), np.arange(len(known), dtype=np.int32)
        if not len(self.labels) + len(known) + len(expected):
            raise ValueError("y names no label: give at least one row a label.")
        classes, codes, places = extend_classes(known, self.labels, expected)
        has = np.zeros((len(self), len(classes)), bool, order="F")
        has[:, codes] = self.has
        return LabelSets(classes, has, LISTS), places


def label_sets(y: Any, name: str, form: str | None = None) -> LabelSets | None:
    """The labels of rows that may have several; None if y has one a row. `form` is the one that a model knows.

    >>> found = label_sets([["red", "big"], [], ["big"]], "y")
    >>> found.labels.tolist(), found.has.tolist()
    (['big', 'red'], [[True, True], [False, False], [True, False]])
    >>> label_sets([[0, 1], [1, 1]], "y").form, label_sets([0, 1], "y")
    ('matrix', None)
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind != "O":  # without a look at each label
        return None
    y = as_numpy(y, name)
    rows = _rows_of_labels(y)
    if rows and (form == LISTS or not _are_lines(rows)):
        return _from_lists(rows, name)
    matrix = np.array(rows) if rows else y
    shape: tuple[int, ...] = getattr(matrix, "shape", ())
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(f"{name} is a matrix without a column: give it one column for each label.")
    return _from_matrix(matrix, name) if len(shape) == 2 and shape[1] > 1 else None


def _are_lines(rows: list[Any]) -> bool:
    """Whether lists are the lines of a matrix of 0 and 1: as labels, all rows would have both."""
    same_length = len({len(row) for row in rows}) == 1 and len(rows[0]) > 0
    return same_length and all(
        not isinstance(row, set | frozenset) and all(one in (0, 1) for one in row) for row in rows
    )


def _rows_of_labels(y: Any) -> list[Any]:
    """The lists of labels in y, an array or Series of lists among others; none if it holds anything else."""
    dtype = getattr(y, "dtype", None)
    lists = str(dtype).lower().startswith("list")  # of polars and Arrow
    objects = len(getattr(y, "shape", ())) == 1 and (lists or getattr(dtype, "kind", "") == "O")
    held = isinstance(y, list | tuple) or objects
    rows = list(y.to_list() if hasattr(y, "to_list") else y) if held else []
    return rows if all(isinstance(row, SEVERAL) and getattr(row, "ndim", 1) == 1 for row in rows) else []


def _from_matrix(y: Any, name: str) -> LabelSets:
    """An indicator matrix: an array, a sparse matrix or a data frame of 0 and 1."""
    columns = getattr(y, "columns", None)
    table = np.asarray(y.toarray(order="F") if hasattr(y, "toarray") else y)
    wrong = ~((table == 0) | (table == 1))
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"{name} should be a 1d array or a matrix of 0 and 1, one column a label, but it has {table[row, column]} "
            f"in row {row} of column {column}: fit one model a column, or give the labels of each row in a list."
        )
    labels = np.arange(table.shape[1]) if columns is None else np.array(list(columns))
    if len(set(labels.tolist())) < len(labels):
        raise ValueError(f"{name} has two columns of the same name: name each label once.")
    return LabelSets(labels, np.asarray(table == 1, order="F"), MATRIX)


def _from_lists(rows: Sequence[Any], name: str) -> LabelSets:
    """Lists of texts or whole numbers. A label that a row names twice counts once."""
    flat = list(chain.from_iterable(rows))
    refuse_missing_labels(flat, name)
    text = any(isinstance(label, str) for label in flat)
    every = np.array(flat, dtype=object if text else None) if flat else NO_LABELS
    refuse_mixed_labels(every, name)
    if every.ndim != 1 or every.dtype.kind not in "Oiu":
        raise ValueError(f"{name} must name the labels of a row by texts or whole numbers, not by {flat[0]!r}.")
    labels, codes = np.unique(every.astype(str) if text else every, return_inverse=True)
    has = np.zeros((len(rows), len(labels)), bool, order="F")
    has[np.repeat(np.arange(len(rows)), [len(row) for row in rows]), codes] = True
    return LabelSets(labels, has, LISTS)


def known_label_sets(y: Any, labels: Labels, form: str) -> LabelSets:
    """The labels of rows among those that a model knows, in the form that it has learned; others are refused."""
    sets = label_sets(y, "y", form)
    if sets is None or sets.form != form:
        raise ValueError("y must hold several labels a row, in the form that the model has learned.")
    found, _ = sets.among(labels, NO_LABELS)
    if len(found.labels) > len(labels):
        unknown = set(found.labels.tolist()) - set(labels.tolist())
        raise ValueError(f"y has the label {min(unknown)!r}, which is not among those of the model, {labels.tolist()}.")
    return found


def extended(known: Labels, given: Labels | LabelSets, expected: Labels) -> tuple[Labels, Any, Codes]:
    """The classes known, given and expected; the class of each row, or which labels it has; the places of the known."""
    if not isinstance(given, LabelSets):
        return extend_classes(known, given, expected)
    sets, places = given.among(known, expected)
    return sets.labels, sets.has, places


def named(has: Mask, labels: Labels, form: str) -> Any:
    """Labels in the form they were given in: a matrix of 0 and 1, or a list of tuples.

    >>> named(np.array([[True, False], [True, True]]), np.array(["big", "red"]), "lists")
    [('big',), ('big', 'red')]
    """
    if form == MATRIX:
        return np.asarray(has, np.int64, order="C")
    return [tuple(labels[row].tolist()) for row in has]


def rows_named_alike(y: Any, predicted: Sequence[Any]) -> list[bool]:
    """Whether two lists of labels name the same for each row, in any order.

    >>> rows_named_alike([["red", "big"], []], [("big", "red"), ("red",)])
    [True, False]
    """
    sets = label_sets(y, "y", LISTS)
    if sets is None or sets.form != LISTS or len(sets) != len(predicted):
        raise ValueError(f"y must hold the labels of each row in a list, one for each of {len(predicted)} rows.")
    return [set(a) == set(b) for a, b in zip(named(sets.has, sets.labels, LISTS), predicted, strict=True)]


def refuse_label_sets(y: Any) -> None:
    """Refuse several labels a row, for questions about one."""
    if len(getattr(y, "shape", ())) == 2 or label_sets(y, "y") is not None:
        raise ValueError("y must have one dimension, not 2: ask about one label at a time, such as y[:, 0].")


def refuse_several_labels(model: Any, asked: str) -> None:
    """Refuse a model that has learned several labels a row, for questions about one."""
    if getattr(model, "multilabel_", False):
        raise ValueError(
            f"{asked} is about one label a row, and this {type(model).__name__} has learned several: fit one model on "
            "each label, such as y[:, 0]."
        )
