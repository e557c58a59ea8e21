"""The work of `rosenblatt check`: read, decide every pair of classes, measure margins, write the certificates."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.types import Codes, Labels
from ...prove.certificates.certificate_file import write
from ...prove.separability.separability import Separability, decided, pairings
from ...tables.cache.storage import OnMessage, Storage, drain, read_batches, require_rereadable, take_within_memory
from ...tables.encode.class_counter import read_classes
from ...tables.for_proofs.design_matrix import DesignEncoder, choose_design
from ...tables.read.batches import CATEGORY, Reading, Source
from ...tables.read.column_names import find
from ...tables.read.sources import open_source
from ...tables.read.svmlight_table import FEATURES, is_numbered_text
from ..output_paths import same_as_any
from .findings import Answer, Findings, Margin


@dataclass(frozen=True)
class Question:
    """What `rosenblatt check` was asked."""

    files: Sequence[str]
    target: str | None
    multi_class: str
    drop: tuple[str, ...]
    categorical: tuple[str, ...]
    fit_intercept: bool
    max_seconds: float | None
    certificate: Path | None
    features: str = "identity"
    storage: Storage = field(default_factory=Storage)


class Rows(NamedTuple):
    """A table to check: its numbers, its classes, and the number of each row's class."""

    X: Any
    labels: Labels
    codes: Codes
    in_memory: bool


def check_table(question: Question, say: OnMessage = lambda _: None) -> Findings:
    """Decide, measure what is separable, and write the certificates if they are wanted."""
    source = open_source(question.files)
    if question.certificate is not None and same_as_any(question.certificate, question.files):
        raise InputError(f"{question.certificate} is the table: give --certificate another name.")
    target = question.target or source.target
    if target is None:
        raise InputError(f"{source.path}: which column has the classes? Name it with --target.")
    way = choose_design(source, columns_to_check(source, question, target), question.categorical, question.drop)
    rows = rows_of(source, way, target, question.storage, say)
    labels = rows.labels.tolist()
    began = time.perf_counter()
    results = decide(rows, way.names, question)
    seconds = time.perf_counter() - began
    answers = [answer(rows, result, question) for result in results]
    if question.certificate is not None:
        write(question.certificate, target, [result.certificate for result in results], way.state())
    return Findings(
        file=source.path,
        target=target,
        rows=len(rows.codes),
        columns=len(way.names),
        classes=labels,
        class_counts=np.bincount(rows.codes, minlength=len(labels)).tolist(),
        answers=answers,
        seconds=seconds,
        certificate=None if question.certificate is None else str(question.certificate),
    )


def columns_to_check(source: Source, question: Question, target: str) -> list[str]:
    """All columns but the target and those to be left out; a column without a name is a row number."""
    left_out = {find(source, target, "with the classes"), ""}
    if is_numbered_text(source):
        return [FEATURES]
    left_out |= {find(source, name, "to drop") for name in question.drop}
    for name in question.categorical:
        if find(source, name, "to read as categories") in left_out:
            raise InputError(f"{name!r} is the target or dropped, so it is no category: leave out one of the options.")
    columns = [name for name in source.names if name not in left_out]
    if not columns:
        raise InputError(f"{source.path} has no columns to separate by besides {target!r}.")
    return columns


def rows_of(source: Source, way: DesignEncoder, target: str, storage: Storage, say: OnMessage) -> Rows:
    """The columns as numbers: in memory, or where they have no room there, in a cache."""
    needed: Reading = {**way.reading, target: CATEGORY}
    contents, batches = None, read_batches(source, needed, None)
    if storage.may_be_cached(source):
        contents = plain(source, way, target, storage, say).find()
    if contents is None:
        held, rest = take_within_memory(batches, storage.memory) if source.bounded else (list(batches), None)
        if not held:
            raise InputError(f"{source.path} names columns but has no rows.")
        if rest is None:
            way.learn(held)
            return Rows(way.encode(held).matrix(), *read_classes(held, target), in_memory=True)
        require_rereadable(source, storage.memory)
        cache = plain(source, way, target, storage, say)
        contents = cache.find() or cache.build(chain(drain(held), rest))
    from ...tables.for_proofs.cached_columns import rows_and_classes

    if not storage.keep:
        contents.remove()
    return Rows(*rows_and_classes(contents), in_memory=False)


def plain(*what: Any) -> Any:
    from ...tables.for_proofs.cached_columns import DesignCache

    return DesignCache(*what)


def decide(rows: Rows, columns: list[str], question: Question) -> list[Separability]:
    """One result for two classes, one for each problem of more. Classes go by number, and get their names back."""
    labels = rows.labels.tolist()
    try:
        problems = pairings(list(range(len(labels))), question.multi_class)
        if len(labels) > 2 and question.multi_class == "ovo" and not rows.in_memory:
            raise InputError(
                "pairs of classes need all rows in memory: allow more of it, or ask for --multi-class ovr."
            )
        results = decided(
            rows.X,
            rows.codes,
            [(0, 1)] if len(labels) == 2 else problems.values(),
            fit_intercept=question.fit_intercept,
            time_limit=question.max_seconds,
            fingerprint=question.certificate is not None,
            names=columns,
            features=question.features,
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    for result in results:
        numbers_of_classes = result.certificate["classes"]
        result.certificate["classes"] = [None if k is None else labels[k] for k in numbers_of_classes]
    return results


def answer(rows: Rows, result: Separability, question: Question) -> Answer:
    negative, positive = result.certificate["classes"]
    margin = None
    if result.kind == "complete" and rows.in_memory:  # the widest margin takes more of it
        y = rows.labels[rows.codes]
        taken = np.ones(len(y), dtype=bool) if negative is None else np.isin(y, [negative, positive])
        margin = margin_and_bound(rows.X[taken], y[taken] == positive, question.fit_intercept, question.features)
    return Answer(negative, positive, result.kind, result.explain(), margin)


def margin_and_bound(X: Any, y: npt.NDArray[np.bool_], fit_intercept: bool, features: str) -> Margin:
    """How wide the gap is, and how many mistakes a perceptron can make."""
    from ...prove.margin.max_margin import max_margin
    from ...prove.mistakes.mistake_bound import mistake_bound

    widest = max_margin(X, y, fit_intercept=fit_intercept, features=features)
    bound = mistake_bound(X, y, fit_intercept, features=features)
    return Margin(float(widest.margin), float(widest.upper), float(bound.radius), float(bound.bound))
