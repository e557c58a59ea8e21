"""Check what a user hands to a classifier. Nothing here changes a model, so a refusal leaves it as it was.

What plainly fits the model (see `plain_input`) skips scikit-learn's checks. Everything else goes through them.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d, validate_data

from .. import _core
from ..foundation.array_api import as_numpy
from ..foundation.label_sets import LISTS, MATRIX, LabelSets, label_sets
from ..foundation.labels import MAY_MISS, refuse_missing_labels, refuse_mixed_labels
from ..foundation.matrices import (
    as_rows,
    check_finite,
    csr_and_rows,
    is_sparse,
    refuse_dates,
    refuse_numpy_matrix,
    refuse_text,
)
from ..foundation.sample_weights import checked_weights
from ..foundation.threads import threads_for
from ..foundation.types import Floats, Labels
from ..parts.features import IDENTITY, Features
from .encoded_tables import MISSING_ADVICE, encode_input, is_table
from .plain_classes import READY_LABELS, plain_classes
from .plain_frame import named_array
from .plain_input import as_matrix, plain_array, plain_labels, plain_rows

FORMS = {
    None: "one label a row",
    MATRIX: "several labels a row as a matrix of 0 and 1",
    LISTS: "several labels a row as lists of them",
}
NO_CLASSES: Labels = np.empty(0, np.int64)


class Matrix(NamedTuple):
    """X as it was given, where it is plain, or as it was checked; the same as rows for the core; the columns' names.

    There are no rows where `make_rows` has made none, and no names where the columns have none.
    """

    given: Any
    rows: Any
    names: npt.NDArray[Any] | None
    encoder: Any = None  # that made the columns of X from those of a table

    @property
    def X(self) -> Any:
        """An array of floats or a CSR matrix."""
        return as_matrix(self.given)


class Examples(NamedTuple):
    """Rows to learn from, with their labels and weights. `numbers` are their places in X if some rows were left out."""

    given: Any  # X as it was given or checked
    columns: int  # of X, before any lift
    rows: _core.Rows
    labels: Any  # an array, or `LabelSets` where a row may have several
    weights: Floats | None
    names: npt.NDArray[Any] | None
    numbers: npt.NDArray[np.intp] | None
    encoder: Any = None

    @property
    def X(self) -> Any:
        """An array of floats or a CSR matrix. Few need it beside the rows, so it is made when it is asked for."""
        return as_matrix(self.given)

    @property
    def label_form(self) -> str | None:
        """How several labels a row were given; None if a row has one."""
        return self.labels.form if isinstance(self.labels, LabelSets) else None

    def lifted(self, features: Features) -> "Examples":
        """The same examples with lifted rows."""
        return self if features is IDENTITY else self._replace(rows=features.lifted(self.rows))

    def check_finite(self, n_jobs: int | None, advice: str = MISSING_ADVICE) -> None:
        """Refuse NaN and infinity: one pass over all numbers. `advice` is for columns with names."""
        said = None if self.names is None else advice
        check_finite(self.rows, self.given, self.names, threads_for(self.rows, n_jobs), self.numbers, said)


def examples(model: Any, X: Any, y: Any, sample_weight: Any, anew: bool) -> Examples:
    """Check X, y and sample_weight, and leave out rows of weight 0. Whether numbers are finite is checked later.

    `anew`: whatever columns the model knows.
    """
    found = matrix(model, X, anew)
    given, rows = found.given, found.rows
    labels = _labels(model, y, rows.count, anew)
    weights = numbers = None
    if sample_weight is not None:
        weights = checked_weights(as_numpy(sample_weight, "sample_weight"), rows.count)
        if not weights.all():
            numbers = np.flatnonzero(weights)
            given, labels, weights = found.X[numbers], labels[numbers], weights[numbers]
            rows = as_rows(given)
    return Examples(given, rows.columns, rows, labels, weights, found.names, numbers, found.encoder)


def matrix(model: Any, X: Any, anew: bool = False, make_rows: Callable[[Any], Any] = as_rows) -> Matrix:
    """Check X, but not that its numbers are finite. Unless `anew`, compare its columns with the model's."""
    if is_table(model, anew):
        X, encoder = encode_input(model, X, anew)
        X, rows = csr_and_rows(X) if is_sparse(X) else (X, make_rows(X))
        return Matrix(X, rows, encoder.get_feature_names_out(), encoder)
    known = (None, None) if anew else (model.n_features_in_, model.__dict__.get("feature_names_in_"))
    rows = plain_rows(X, *known)
    if rows is not None:
        return Matrix(X, rows, known[1])
    array, names = plain_array(X, *known), known[1]
    if array is None and anew:
        array, names = named_array(X) or (None, None)
    if array is not None:
        return Matrix(array, make_rows(array), names)
    judge = _blank(model) if anew else model
    refuse_numpy_matrix(X)
    refuse_dates(X, advice=model._table_advice)
    X = as_numpy(X, "X")
    if is_sparse(X):
        X, rows = csr_and_rows(X)
    floats = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}
    try:
        checked = validate_data(judge, X, reset=anew, accept_sparse="csr", **floats)
    except (TypeError, ValueError) as error:
        _blame_text(X, judge, error, model._table_advice)
        raise
    if rows is None or checked is not X:
        rows = make_rows(checked)
    return Matrix(checked, rows, judge.__dict__.get("feature_names_in_"))


def _blank(model: Any) -> Any:
    """An empty model of the same class, because scikit-learn's checks write attributes to the model."""
    return object.__new__(type(model))


def _blame_text(X: Any, judge: Any, error: Exception, advice: str) -> None:
    """Name the column of a text that could not become a number, and say what to do with columns in a dict."""
    if isinstance(X, Mapping):
        raise ValueError(f"Input X is a dict of columns instead of rows of numbers. {advice}") from None
    if "could not convert string" not in str(error):
        return
    table = np.asarray(X, dtype=object)
    if table.ndim < 2:
        raise ValueError(f"Input X holds texts instead of rows of numbers. {advice}") from None
    refuse_text(table, judge.__dict__.get("feature_names_in_"), advice)


def _labels(model: Any, y: Any, rows: int, anew: bool) -> Labels | LabelSets:
    """One label a row or several. Unless `anew`, they must be given as those that the model has learned."""
    name, own = type(model).__name__, {} if anew else model.__dict__
    learned, known = own.get("_learned"), own.get("classes_", NO_CLASSES)
    form = None if learned is None else learned.label_form
    sets = label_sets(y, "y", form)
    if learned is not None and getattr(sets, "form", None) != form:
        raise ValueError(
            f"y must hold {FORMS[form]}, as this {name} has learned them: call fit to begin anew with others."
        )
    if sets is None:
        return checked_labels(y, rows, name, known)
    _check_length(len(sets), rows)
    return sets


def checked_labels(y: Any, rows: int, name: str, known: Labels = NO_CLASSES) -> Labels:
    """Labels as an array, one a row. Refuse labels that are not classes."""
    if type(y) is not np.ndarray or y.ndim != 1 or y.dtype.kind not in READY_LABELS:
        if y is None:
            raise ValueError(f"{name} requires y to be passed, but the target y is None.")
        plain = plain_labels(y, known) if len(known) else plain_classes(y)
        y = _discrete(y, "y", warn=True) if plain is None else plain
    _check_length(len(y), rows)
    labels: Labels = y
    return labels


def _check_length(labels: int, rows: int) -> None:
    if labels != rows:
        raise ValueError(f"X and y have inconsistent lengths: {rows} rows in X, {labels} labels in y.")


def expected_classes(classes: Any) -> Labels:
    """Check the classes that `partial_fit` is told to expect."""
    return _discrete(classes, "classes", warn=False)


def _discrete(labels: Any, name: str, warn: bool) -> Labels:
    labels = as_numpy(labels, name)
    given, labels = labels, column_or_1d(labels, warn=warn)
    if labels.dtype.kind in MAY_MISS:
        refuse_missing_labels(given if isinstance(given, list | tuple) else labels, name)
        refuse_mixed_labels(labels, name)
    assert_all_finite(labels, input_name=name)
    check_classification_targets(labels)
    return labels  # type: ignore[no-any-return]
