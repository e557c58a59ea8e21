"""Exact conditional logistic regression of a small table: `exact_summary`."""

import time
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from ...classifiers.logistic_regression import LogisticRegression
from ...classifiers.validation import examples
from ...foundation.collinear_columns import CollinearColumns, refuse_tiny_columns
from ...foundation.errors import InputError
from ...foundation.labels import encode
from ...parts.parameter_checks import check_level
from ..checked_model import whole_counts
from ..coefficient_table import CoefficientTable
from ..likelihood import INTERCEPT, Likelihood
from ..summary_text import number, p_value
from .conditional_distribution import Enumeration
from .conditional_inference import ConditionalInference
from .exact_coefficient import ExactCoefficient, exact_coefficient
from .integer_columns import IntegerColumn, integer_column

MAX_ROWS = 5000  # a sum of more has thousands of bits, and profile likelihoods are accurate long before
UNFINISHED = (
    "Not all outcomes of {} were counted in the time: its p-values are upper bounds, and its interval contains the\n"
    "exact one. Give more time by max_seconds (--max-seconds)."
)
TABLE_ADVICE = (
    "exact_summary takes numbers: give a category a column of 0 and 1 for each value but one, as "
    "pandas.get_dummies(X, drop_first=True) does, or use `rosenblatt summary --exact`, which reads tables."
)
MISSING_ADVICE = "Fill in or drop such values first."


@dataclass(frozen=True)
class ExactSummary(CoefficientTable[ExactCoefficient]):
    """What `exact_summary` returns. `coefficients` are in the order of the columns."""

    coefficients: list[ExactCoefficient]
    level: float  # of the intervals
    positive_class: Any
    rows: int

    def _facts(self) -> dict[str, Any]:
        return {
            "exact": True,
            "positive_class": self.positive_class,
            "level": self.level,
            "rows": self.rows,
        }

    def _title(self) -> str:
        return f"Exact conditional logistic regression, {self.rows:,} rows, coefficients of {self.positive_class}"

    def _headings(self) -> list[str]:
        return ["", "estimate", "median unb.", "exact p", "mid-p", f"{100 * self.level:g} % interval", "odds ratio"]

    def _lines(self) -> list[list[str]]:
        return [
            [
                one.name,
                *(number(one.estimate), number(one.median_unbiased), p_value(one.p_value), p_value(one.mid_p)),
                *(f"{number(one.lower)} .. {number(one.upper)}", number(one.odds_ratio)),
            ]
            for one in self.coefficients
        ]

    def _notes(self) -> list[str]:
        notes = ["Each test holds the sufficient statistics of the other coefficients. p is twice the smaller tail."]
        open_ended = [one.name for one in self.coefficients if abs(one.estimate) == float("inf")]
        if open_ended:
            notes.append(
                f"No outcome is more extreme for {', '.join(open_ended)}: the estimate is infinite, the "
                "median-unbiased one is not."
            )
        unfinished = [one.name for one in self.coefficients if not one.complete]
        return notes + [UNFINISHED.format(", ".join(unfinished))] * bool(unfinished)


def exact_summary(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    columns: Any = None,
    level: float = 0.95,
    fit_intercept: bool = True,
    max_seconds: float = 60.0,
) -> ExactSummary:
    """Exact tests, estimates and intervals of a logistic regression of two classes, for small samples.

    The inference about a coefficient holds the sufficient statistics of all others, the intercept's included, at what
    was observed: it counts every outcome that has them, in exact integers, and needs no large sample. It is Fisher's
    exact test if there is one column of zeros and ones. The p-value is twice the smaller tail, and the interval has
    all values that this test does not reject. A float stands for the decimal that it prints as.

    Parameters
    ----------
    X, y : rows of numbers, and labels of two classes
    sample_weight : how many rows each one stands for, in whole numbers
    columns : names of the coefficients to test, with "intercept" if wanted; every column, unless given
    level : of the intervals, above 0 and below 1
    fit_intercept : whether the model has an intercept
    max_seconds : for all columns together; what was not counted then is bounded

    >>> dose, ill = [[1], [2], [3], [3], [5], [6]], [0, 0, 0, 1, 1, 1]
    >>> print(exact_summary(dose, ill))
    Exact conditional logistic regression, 6 rows, coefficients of 1
    <BLANKLINE>
        estimate  median unb.  exact p  mid-p  95 % interval  odds ratio
    x1       inf        0.644    0.200  0.100  -0.292 .. inf         inf
    <BLANKLINE>
    Each test holds the sufficient statistics of the other coefficients. p is twice the smaller tail.
    No outcome is more extreme for x1: the estimate is infinite, the median-unbiased one is not.
    """
    check_level("level", level)
    if not isinstance(max_seconds, Real) or not max_seconds >= 0:
        raise ValueError(f"max_seconds must not be negative, and it is {max_seconds!r}.")
    table = checked_table(X, y, sample_weight, fit_intercept)
    return table.summary(columns, level, max_seconds)


@dataclass(frozen=True)
class CheckedTable:
    """Rows with names of columns and classes numbered 0 and 1, each row as often as it counts."""

    X: Any
    codes: list[int]
    names: list[str]
    positive_class: Any
    fit_intercept: bool

    def summary(self, columns: Any, level: float, max_seconds: float) -> ExactSummary:
        """The summary of some columns, or of all."""
        ends = time.monotonic() + max_seconds
        places = self._places(columns)
        found = [
            self._coefficient(place, level, max(0.0, ends - time.monotonic()) / (len(places) - done))
            for done, place in enumerate(places)
        ]
        return ExactSummary(found, level, self.positive_class, len(self.codes))

    def _places(self, columns: Any) -> list[int]:
        """The places of the columns to test; the intercept's is the one after the last."""
        known = {name: place for place, name in enumerate(self.names)}
        chosen = list(known) if columns is None else [columns] if isinstance(columns, str) else list(columns)
        known |= {INTERCEPT: len(self.names)} if self.fit_intercept else {}
        unknown = [name for name in chosen if name not in known]
        if unknown or not chosen:
            wanted = f"{unknown[0]!r} is not among them" if unknown else "it names none"
            raise ValueError(f"columns must name columns of {', '.join(map(repr, known))}; {wanted}.")
        return [known[name] for name in chosen]

    def _coefficient(self, place: int, level: float, max_seconds: float) -> ExactCoefficient:
        columns = self._integers(place)
        constant = len(self.names) if self.fit_intercept else None
        counted = Enumeration([column.numbers for column in columns], self.codes, place, constant)
        inference = ConditionalInference(counted.distribution(max_seconds))
        name = INTERCEPT if place == constant else self.names[place]
        unit = columns[place].unit
        return exact_coefficient(inference, name, self._statistic(place), float(unit), level)

    def _integers(self, tested: int) -> list[IntegerColumn]:
        """All columns as integers. Where the number of ones is held, smaller integers ask the same."""
        columns = [integer_column(column) for column in self.X.T]
        if not self.fit_intercept:
            return columns
        if tested < len(columns):
            columns = [column.from_smallest() for column in columns]
        return [*columns, IntegerColumn([1] * len(self.codes), Fraction(1))]

    def _statistic(self, place: int) -> float:
        if place == len(self.names):
            return float(sum(self.codes))
        column = integer_column(self.X[:, place])
        return float(column.unit * sum(x for x, one in zip(column.numbers, self.codes, strict=True) if one))


def checked_table(X: Any, y: Any, sample_weight: Any, fit_intercept: bool) -> CheckedTable:
    """Check what was given: two classes, finite numbers, counts, few rows, and columns that are not collinear."""
    counts = None if sample_weight is None else whole_counts(sample_weight)
    model = LogisticRegression(penalty=None, fit_intercept=fit_intercept)
    model._table_advice = TABLE_ADVICE
    data = examples(model, X, y, counts, anew=True)
    data.check_finite(None, MISSING_ADVICE)
    classes, codes = encode(data.labels)
    if len(classes) != 2:
        raise ValueError(f"exact_summary is for two classes, and y has {len(classes)}.")
    rows = len(codes) if data.weights is None else int(data.weights.sum())
    if rows > MAX_ROWS:
        raise InputError(
            f"exact_summary counts outcomes of at most {MAX_ROWS:,} rows, and there are {rows:,}: use summary, whose "
            "tests are accurate for so many."
        )
    names = [f"x{k + 1}" for k in range(data.columns)] if data.names is None else [str(name) for name in data.names]
    try:
        refuse_tiny_columns(data.rows.largest(1))
        Likelihood(data.X, codes, data.weights, fit_intercept, False).refuse_collinear()
    except CollinearColumns as error:
        raise error.named(names if data.names is not None else None) from None
    dense = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    times = np.ones(len(codes), int) if data.weights is None else data.weights.astype(int)
    return CheckedTable(
        np.repeat(dense, times, axis=0), np.repeat(codes, times).tolist(), names, classes.tolist()[1], fit_intercept
    )
