"""Read a table, decide every pair of classes, compute margins, and write the certificates."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.errors import InputError
from ...foundation.types import Codes, Labels
from ...prove.certificates.certificate_file import write_certificates
from ...prove.certificates.reference_level import set_reference_levels
from ...prove.separability.separability import Separability, class_pairs, decide_pairs
from ...tables.cache.encoded_cache import CachedTable
from ...tables.cache.storage import OnMessage, Storage, drain, read_batches, require_rereadable, take_within_memory
from ...tables.encode.class_counter import read_classes
from ...tables.encode.column_kinds import is_pandas_index
from ...tables.for_proofs.design_matrix import DesignEncoder, choose_design
from ...tables.read.batches import CATEGORY, Reading, Source
from ...tables.read.column_names import find_column
from ...tables.read.sources import note_models, open_source
from ...tables.read.svmlight_table import FEATURES, is_svmlight
from ..output_paths import check_overwrite, is_one_of
from ..row_places import RowPlaces
from .findings import Findings, Margin, PairFinding


@dataclass(frozen=True)
class CheckRequest:
    """The options of `rosenblatt check`."""

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
    force: bool = False  # overwrite a file that is not a certificate
    executor: int | str | None = None  # the number of local processes, or the address of a Dask scheduler


class Rows(NamedTuple):
    """A table to check: its numbers, its classes, the index of each row's class, and where rows stand in the files."""

    X: Any
    labels: Labels
    codes: Codes
    in_memory: bool
    places: RowPlaces
    cache: CachedTable | None = None


def check_table(request: CheckRequest, say: OnMessage = lambda _: None) -> Findings:
    """Decide every pair of classes, compute margins, and write the certificates if a path is given."""
    source = open_source(request.files)
    note = note_models(source)
    if note is not None:
        say(note)
    check_certificate_path(request)
    target = request.target or source.target
    if target is None:
        raise InputError(f"{source.path}: which column has the classes? Name it with --target.")
    storage = storage_for(source, request)
    columns = columns_to_check(source, request.drop, request.categorical, target)
    design = choose_design(source, columns, request.categorical, request.drop)
    rows = load_rows(source, design, target, storage, say)
    labels = rows.labels.tolist()
    began = time.perf_counter()
    try:
        results = decide(rows, design, request)
    finally:
        if rows.cache is not None and not request.storage.keep:
            rows.cache.remove()
    seconds = time.perf_counter() - began
    answers = [pair_finding(rows, result, request) for result in results]
    if request.certificate is not None:
        write_certificates(request.certificate, target, [result.certificate for result in results], design.state())
    return Findings(
        file=source.path,
        target=target,
        rows=len(rows.codes),
        columns=len(design.names),
        classes=labels,
        class_counts=np.bincount(rows.codes, minlength=len(labels)).tolist(),
        answers=answers,
        seconds=seconds,
        certificate=None if request.certificate is None else str(request.certificate),
    )


def check_certificate_path(request: CheckRequest) -> None:
    """Refuse to write the certificate over the table, or over a file of another kind."""
    if request.certificate is not None and is_one_of(request.certificate, request.files):
        raise InputError(f"{request.certificate} is the table: give --output another name.")
    check_overwrite(request.certificate, "a certificate", request.force)


def columns_to_check(source: Source, drop: Sequence[str], categorical: Sequence[str], target: str) -> list[str]:
    """Return all columns but the target, those to leave out, and row numbers: a column without a name or of pandas."""
    left_out = {find_column(source, target, "with the classes"), "", *filter(is_pandas_index, source.names)}
    if is_svmlight(source):
        return [FEATURES]
    left_out |= {find_column(source, name, "to drop") for name in drop}
    for name in categorical:
        if find_column(source, name, "to read as categories") in left_out:
            raise InputError(f"{name!r} is the target or dropped, so it is no category: leave out one of the options.")
    columns = [name for name in source.names if name not in left_out]
    if not columns:
        raise InputError(f"{source.path} has no columns to separate by besides {target!r}.")
    return columns


def storage_for(source: Source, request: CheckRequest) -> Storage:
    """Return where the rows go: into the cache if workers read them, else into memory if they fit."""
    if request.executor is None:
        return request.storage
    if request.features != "identity":
        raise InputError(
            f"--features {request.features} does not go with --workers or --scheduler: check on one machine."
        )
    if not source.rereadable:
        raise InputError(f"{source.path} can be read only once, and workers read it again: save it to a file first.")
    return replace(request.storage, shared=True)


def load_rows(source: Source, design: DesignEncoder, target: str, storage: Storage, say: OnMessage) -> Rows:
    """Return the columns as numbers, in memory or, if they do not fit, in a cache on disk."""
    needed: Reading = {**design.reading, target: CATEGORY}
    several = len(source.files) > 1
    contents, batches = None, read_batches(source, needed, None)
    if storage.may_be_cached(source):
        contents = columns_cache(source, design, target, storage, say).find()
    if contents is None:
        held, rest = (list(batches), None) if source.in_memory else take_within_memory(batches, storage.table_memory)
        if not held:
            raise InputError(f"{source.path} names columns but has no rows.")
        if rest is None:
            design.learn(held)
            matrix = design.encode(held).matrix()
            return Rows(matrix, *read_classes(held, target), in_memory=True, places=RowPlaces(held, several))
        require_rereadable(source, storage.memory)
        cache = columns_cache(source, design, target, storage, say)
        contents = cache.find() or cache.build(chain(drain(held), rest))
    from ...tables.for_proofs.cached_columns import rows_and_classes

    places = RowPlaces(read_batches(source, {target: CATEGORY}, None), several)  # read again if a row is named
    return Rows(*rows_and_classes(contents), in_memory=False, places=places, cache=contents)


def columns_cache(*arguments: Any) -> Any:
    from ...tables.for_proofs.cached_columns import DesignCache

    return DesignCache(*arguments)


def decide(rows: Rows, design: DesignEncoder, request: CheckRequest) -> list[Separability]:
    """Return one result for two classes, else one per pair of classes. The proofs use class numbers, not names."""
    labels = rows.labels.tolist()
    try:
        problems = class_pairs(list(range(len(labels))), request.multi_class)
        one_machine = request.executor is None or request.certificate is not None
        if len(labels) > 2 and request.multi_class == "ovo" and not rows.in_memory and one_machine:
            raise InputError(
                "pairs of classes need all rows in memory: allow more of it, or ask for --multi-class ovr."
            )
        results = _decide_pairs(rows, [(0, 1)] if len(labels) == 2 else list(problems.values()), design.names, request)
    except ValueError as error:
        raise InputError(str(error)) from None
    return [
        Separability({**certificate, "classes": [None if k is None else labels[k] for k in certificate["classes"]]})
        for certificate in (set_reference_levels(result.certificate, design.categories) for result in results)
    ]


def _decide_pairs(
    rows: Rows, pairs: Sequence[tuple[Any, Any]], columns: list[str], request: CheckRequest
) -> list[Separability]:
    """Return one result per pair of class numbers, by this machine or by workers."""
    asked: dict[str, Any] = {"fit_intercept": request.fit_intercept, "time_limit": request.max_seconds}
    asked["names"] = columns
    if request.executor is None:
        own: dict[str, Any] = {"fingerprint": request.certificate is not None, "features": request.features}
        return decide_pairs(rows.X, rows.codes, pairs, **own, **asked)
    from .decide_on_executor import decide_on_executor, with_fingerprint

    assert rows.cache is not None
    results = decide_on_executor(request.executor, rows.cache, pairs, **asked)
    return results if request.certificate is None else [with_fingerprint(each, rows.X, rows.codes) for each in results]


def pair_finding(rows: Rows, result: Separability, request: CheckRequest) -> PairFinding:
    """Return the verdict on one pair of classes, with its margin if they are separable."""
    negative, positive = result.certificate["classes"]
    margin = None
    if result.kind == "complete" and rows.in_memory:  # the widest margin needs all rows in memory
        y = rows.labels[rows.codes]
        chosen = np.ones(len(y), dtype=bool) if negative is None else np.isin(y, [negative, positive])
        margin = margin_and_bound(rows.X[chosen], y[chosen] == positive, request.fit_intercept, request.features)
    return PairFinding(negative, positive, result.kind, result.explain(rows.places.name), margin)


def margin_and_bound(X: Any, y: npt.NDArray[np.bool_], fit_intercept: bool, features: str) -> Margin:
    """Return the widest margin and the most mistakes that a perceptron can make."""
    from ...prove.margin.max_margin import max_margin
    from ...prove.mistakes.mistake_bound import mistake_bound

    widest = max_margin(X, y, fit_intercept=fit_intercept, features=features)
    bound = mistake_bound(X, y, fit_intercept, features=features)
    return Margin(
        float(widest.margin), float(widest.upper), float(bound.radius), float(bound.bound), float(bound.margin)
    )
