"""The work of `rosenblatt check`: read, decide every pair of classes, measure margins, write the certificates."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..data.batches import CATEGORY, NUMBER, Source
from ..data.exact import numbers
from ..data.names import find
from ..data.numbered import spread
from ..data.sources import open_source
from ..data.targets import classes_of
from ..errors import InputError
from ..prove.certificatefile import write
from ..prove.separability import Separability, decided, pairings
from .findings import Answer, Findings, Margin
from .places import same_as_any


@dataclass(frozen=True)
class Question:
    """What `rosenblatt check` was asked."""

    files: Sequence[str]
    target: str | None
    multi_class: str
    drop: tuple[str, ...]
    fit_intercept: bool
    max_seconds: float | None
    certificate: Path | None
    features: str = "identity"


def check_table(question: Question) -> Findings:
    """Decide, measure what is separable, and write the certificates if they are wanted."""
    source = spread(open_source(question.files))
    if question.certificate is not None and same_as_any(question.certificate, question.files):
        raise InputError(f"{question.certificate} is the table: give --certificate another name.")
    target = question.target or source.target
    if target is None:
        raise InputError(f"{source.path}: which column has the classes? Name it with --target.")
    columns = columns_to_check(source, question, target)
    batches = source.held({**dict.fromkeys(columns, NUMBER), target: CATEGORY})
    labels, codes = classes_of(batches, target)
    X, y = numbers(batches, columns), labels[codes]
    began = time.perf_counter()
    results = decide(X, y, labels.tolist(), columns, question)
    seconds = time.perf_counter() - began
    answers = [answer(X, y, result, question) for result in results]
    if question.certificate is not None:
        write(question.certificate, target, [result.certificate for result in results])
    return Findings(
        file=source.path,
        target=target,
        rows=len(y),
        columns=len(columns),
        classes=labels.tolist(),
        class_counts=np.bincount(codes, minlength=len(labels)).tolist(),
        answers=answers,
        seconds=seconds,
        certificate=None if question.certificate is None else str(question.certificate),
    )


def columns_to_check(source: Source, question: Question, target: str) -> list[str]:
    """All columns but the target and those to be left out; a column without a name is a row number."""
    left_out = {find(source, target, "with the classes"), ""}
    left_out |= {find(source, name, "to drop") for name in question.drop}
    columns = [name for name in source.names if name not in left_out]
    if not columns:
        raise InputError(f"{source.path} has no columns to separate by besides {target!r}.")
    return columns


def decide(
    X: npt.NDArray[np.float64], y: npt.NDArray[Any], labels: list[Any], columns: list[str], question: Question
) -> list[Separability]:
    """One result for two classes, one for each problem of more."""
    try:
        problems = pairings(labels, question.multi_class).values()
        pairs = [tuple(labels)] if len(labels) == 2 else problems
        return decided(
            X,
            y,
            pairs,
            fit_intercept=question.fit_intercept,
            time_limit=question.max_seconds,
            fingerprint=question.certificate is not None,
            names=columns,
            features=question.features,
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def answer(X: npt.NDArray[np.float64], y: npt.NDArray[Any], result: Separability, question: Question) -> Answer:
    negative, positive = result.certificate["classes"]
    margin = None
    if result.kind == "complete":
        taken = np.ones(len(y), dtype=bool) if negative is None else np.isin(y, [negative, positive])
        margin = margin_and_bound(X[taken], y[taken] == positive, question.fit_intercept, question.features)
    return Answer(negative, positive, result.kind, result.explain(), margin)


def margin_and_bound(
    X: npt.NDArray[np.float64], y: npt.NDArray[np.bool_], fit_intercept: bool, features: str
) -> Margin:
    """How wide the gap is, and how many mistakes a perceptron can make."""
    from .. import max_margin, mistake_bound

    widest = max_margin(X, y, fit_intercept=fit_intercept, features=features)
    bound = mistake_bound(X, y, fit_intercept, features=features)
    return Margin(float(widest.margin), float(widest.upper), float(bound.radius), float(bound.bound))
