"""A scikit-learn transformer that turns a table into the columns of a formula."""

import os
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ...foundation.errors import InputError
from ..read.arrow_arrays import is_date
from ..read.batches import Source
from ..read.column_names import find_column
from ..read.sources import open_source
from ..read.typed_files import InMemorySource
from .frame_columns import (
    Level,
    category_values,
    labels_of,
    levels_of,
    located,
    number_values,
    read_columns,
    value_type,
)
from .parsed_formula import parse_formula

INTERCEPT = "Intercept"


class FormulaEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The columns of a formula, computed by formulaic; the intercept is left to the classifier.

    Parameters
    ----------
    formula : str
        Such as "ill ~ age + C(drug):dose".

    Attributes
    ----------
    levels_ : dict
        The categories of each column that is one, and None for numbers. With the formula, this is all that is learned.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"formula": [str]}  # how scikit-learn checks a loaded one

    def __init__(self, formula: str) -> None:
        self.formula = formula

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the categories of a table: a data frame of pandas, polars or Arrow, a dict of columns, or a path."""
        source, parsed = _opened(X), parse_formula(self.formula)
        for name in parsed.columns:
            find_column(source, name, "of the formula")
        sample = source.sample().table
        reading = {}
        for name in parsed.columns:
            kind = value_type(sample.column(name).type)
            if is_date(kind):
                raise InputError(f"{source.path}, column {name!r} holds dates: turn it into numbers.")
            reading[name] = number_values(kind)
        table = read_columns(source, reading)
        self.levels_: dict[str, list[Level] | None] = {
            name: levels_of(table[name]) if name in parsed.categories or not reading[name] else None
            for name in parsed.columns
        }
        self.n_features_in_ = len(parsed.columns)
        self.feature_names_in_ = np.array(parsed.columns, dtype=object)
        self.n_columns_ = self.transform(self.trial_table()).shape[1]
        return self

    def transform(self, X: Any) -> Any:
        """A pandas data frame of the formula's columns. A category that was not fitted is refused."""
        check_is_fitted(self)
        import pandas as pd

        source, parsed = _opened(X), parse_formula(self.formula)
        for name in parsed.columns:
            find_column(source, name, "of the formula")
        reading = {name: levels is None or not isinstance(levels[0], str) for name, levels in self.levels_.items()}
        table = read_columns(source, reading)
        for name, levels in self.levels_.items():
            if levels is not None:
                table[name] = category_values(source, name, table[name], levels)
        return _materialised(parsed.right, pd.DataFrame(table), self.formula, source)

    def response(self, X: Any) -> Any:
        """The labels that the formula names left of ~."""
        source, name = _opened(X), parse_formula(self.formula).response
        if name is None:
            raise InputError(f"formula {self.formula!r} has no response: write it as 'column ~ ...'.")
        find_column(source, name, "of the formula")
        kind = value_type(source.sample().table.column(name).type)
        return labels_of(read_columns(source, {name: number_values(kind)})[name])

    @property
    def intercept(self) -> bool:
        """Whether the formula has an intercept."""
        return parse_formula(self.formula).intercept

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the formula's columns, such as 'C(drug)[T.b]:dose'."""
        return np.array(self.transform(self.trial_table()).columns, dtype=object)

    def trial_table(self) -> Any:
        """A table of a few rows with each category."""
        rows = max([len(levels) for levels in self.levels_.values() if levels is not None], default=1)
        return {
            name: [1.0] * rows if levels is None else [levels[row % len(levels)] for row in range(rows)]
            for name, levels in self.levels_.items()
        }


def _opened(X: Any) -> Source:
    if isinstance(X, Source):
        return X
    return open_source(X) if isinstance(X, str | os.PathLike) else InMemorySource(X)


def _materialised(right: Any, frame: Any, formula: str, source: Source) -> Any:
    """The columns of the right side without its intercept; numbers that are not finite are refused."""
    from formulaic.errors import FormulaicError

    try:
        with np.errstate(all="ignore"):
            matrix = right.get_model_matrix(frame, context={}, na_action="ignore")
    except (FormulaicError, ArithmeticError, AttributeError, TypeError, ValueError) as error:
        said = str(error).partition("\n")[0].rstrip(".")
        raise InputError(f"formula {formula!r} cannot be computed: {said}.") from None
    columns = matrix.drop(columns=INTERCEPT, errors="ignore").astype(np.float64)
    strange = np.argwhere(~np.isfinite(columns.to_numpy()))
    if len(strange):
        row, place = strange[0].tolist()
        path, where = located(source, frame.columns[0], row)
        where = where if source.in_memory else f"{path}, {where}"
        raise InputError(f"formula {formula!r}: {columns.columns[place]!r} is not a finite number in {where}.")
    return columns
