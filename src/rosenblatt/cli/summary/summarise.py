"""Read a table, fit a logistic regression, and describe its coefficients."""

import shlex
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...classifiers.logistic_regression import LogisticRegression
from ...classifiers.messages import SeparationWarning
from ...foundation.collinear_columns import CollinearColumns, TinyColumn
from ...foundation.errors import InputError
from ...statistics.checked_model import checked_likelihood
from ...statistics.exact.exact_summary import ExactSummary, checked_table
from ...statistics.joint_summary import JointSummary
from ...statistics.summary import Summary, describe_likelihood
from ...tables.cache.storage import OnMessage, Storage
from ...tables.for_proofs.design_matrix import DesignEncoder, choose_design
from ...tables.read.batches import Source
from ...tables.read.column_names import find_column
from ...tables.read.sources import open_source
from ..check.decide import columns_to_check, load_rows

AnySummary = Summary | JointSummary | ExactSummary


@dataclass(frozen=True)
class SummaryRequest:
    """The options of `rosenblatt summary`."""

    files: Sequence[str]
    target: str | None
    firth: bool = False
    counts: str | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    level: float = 0.95
    exact: bool = False
    max_seconds: float = 60.0
    formula: str | None = None
    base: str | None = None


def summarise_table(request: SummaryRequest, say: OnMessage) -> AnySummary:
    """The summary of a table's logistic regression."""
    if not 0 < request.level < 1:
        raise InputError(f"--level must be above 0 and below 1, not {request.level:g}.")
    if request.exact and request.firth:
        raise InputError("--exact and --firth are two methods: choose one of them.")
    source = open_source(request.files)
    if request.formula is not None:
        return _summarise_formula(source, request.formula, request)
    target = request.target or source.target
    if target is None:
        raise InputError(f"{source.path}: which column has the classes? Name it with --target.")
    columns = columns_to_check(source, request.drop, request.categorical, target)
    design = choose_design(source, columns, request.categorical, request.drop)
    rows = load_rows(source, design, target, Storage(), say)
    _check_classes(f"{source.path}: {target!r}", len(rows.labels), request)
    counts = None if request.counts is None else find_column(source, request.counts, "with the counts")
    kept, names = estimated_columns(design, counts)
    weights = None if counts is None else as_dense(rows.X[:, [design.names.index(counts)]])
    try:
        return _describe(rows.X[:, kept], rows.labels[rows.codes], weights, names, request)
    except TinyColumn:
        raise
    except CollinearColumns as error:
        raise _with_option(error, [design.origins[place] for place in kept]) from None


def _with_option(error: CollinearColumns, origins: list[str]) -> InputError:
    """The error with the option that leaves out the last of its columns; `origins` are those of the table."""
    origin = origins[max(column for column in error.combination if column < error.columns)]
    column = f"column {origin!r} with --drop {shlex.quote(origin)}"
    what = f"leave out {column}" if error.is_of_one else f"leave one of them out, such as {column}"
    return InputError(f"{error.finding()}: {what}.")


def _summarise_formula(source: Source, formula: str, request: SummaryRequest) -> AnySummary:
    """The summary of the columns of a formula."""
    others = {"--target": request.target, "--drop": request.drop, "--categorical": request.categorical}
    for option, given in others.items():
        if given:
            raise InputError(f"{option} does not go with --formula, which names the columns: leave it out.")
    from ...tables.formula.formula_encoder import FormulaEncoder
    from ...tables.formula.frame_columns import read_columns

    encoder, weights = FormulaEncoder(formula), None
    X = encoder.fit_transform(source)
    if request.counts is not None:
        counts = find_column(source, request.counts, "with the counts")
        weights = read_columns(source, {counts: True})[counts]
    y, names = encoder.response(source), [str(name) for name in X.columns]
    _check_classes(f"{source.path}: the formula's response", len(set(y.tolist())), request)
    return _describe(X.to_numpy(), y, weights, names, request, encoder.intercept)


def _check_classes(what: str, classes: int, request: SummaryRequest) -> None:
    """Refuse one class alone, and more than two where every outcome is counted."""
    if classes < 2:
        raise InputError(f"{what} has {classes} class{'es' * (classes != 1)}, and a summary needs two or more.")
    if classes > 2 and request.exact:
        raise InputError(f"{what} has {classes} classes, and --exact is for two: keep the rows of two.")
    if request.exact and request.base is not None:
        raise InputError("--base does not go with --exact, which is for two classes: leave it out.")


def _describe(
    X: Any, y: Any, weights: Any, names: list[str], request: SummaryRequest, fit_intercept: bool = True
) -> AnySummary:
    """The summary of rows; what cannot be answered is an error of the input."""
    describe = _describe_exactly if request.exact else _describe_likelihood
    try:
        return describe(X, y, weights, names, request, fit_intercept)
    except CollinearColumns as error:
        raise error.named(names) from None
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error)) from None


def _describe_likelihood(
    X: Any, y: Any, weights: Any, names: list[str], request: SummaryRequest, fit_intercept: bool
) -> Summary | JointSummary:
    model = LogisticRegression(penalty="jeffreys" if request.firth else None, fit_intercept=fit_intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)  # the summary says it with the coefficients
        model.fit(X, y, sample_weight=weights)
    found, _ = checked_likelihood(model, X, y, weights, base=_class_named(request.base, model.classes_.tolist()))
    return describe_likelihood(found, names, request.level, [str(label) for label in model.classes_])


def _class_named(name: str | None, classes: list[Any]) -> Any:
    """The class that is printed so; the name itself where there is none."""
    return name if name is None else next((label for label in classes if str(label) == name), name)


def _describe_exactly(
    X: Any, y: Any, weights: Any, names: list[str], request: SummaryRequest, fit_intercept: bool
) -> ExactSummary:
    table = checked_table(X, y, weights, fit_intercept)
    named = replace(table, names=names, positive_class=str(table.positive_class))
    return named.summary(None, request.level, request.max_seconds)


def as_dense(column: Any) -> Any:
    """One column as a plain vector."""
    return np.asarray(column.todense() if hasattr(column, "todense") else column).ravel()


def estimated_columns(design: DesignEncoder, counts: str | None) -> tuple[list[int], list[str]]:
    """The places and names of the columns that get a coefficient: not the counts, nor a category's reference.

    A category with a column for every value would add up to the intercept, so its first value is the reference.
    """
    references = {group[0] for group in design.categories}
    kept = [place for place, name in enumerate(design.names) if place not in references and name != counts]
    return kept, [design.names[place] for place in kept]
