"""`separability`, which also takes Dask arrays and data frames: it decides where the rows are."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from ..foundation.matrices import is_sparse, refuse_dates
from ..parts.choices import ClassPairs
from ..parts.features import Identity, as_features
from ..parts.parameter_checks import check_positive
from ..prove.exact.exact_matrix import as_exact_floats, column_names
from ..prove.exact.two_classes import check_classes
from ..prove.separability import separability as in_memory
from ..prove.separability.separability import Separability, VerdictsByClass, class_pairs
from ..prove.time_limit import Clock
from .block_separability import ClassPair, decide_blocks
from .cluster import Cluster
from .collection_executor import collection_executor
from .dask_rows import Chunks, DaskRows, as_numbers, is_dask


@wraps(in_memory.separability)
def separability(X: Any, y: Any, *args: Any, **options: Any) -> Separability | VerdictsByClass:
    decide: Any = separability_on_dask if is_dask(X) else in_memory.separability
    answer: Separability | VerdictsByClass = decide(X, y, *args, **options)
    return answer


def separability_on_dask(
    X: Any,
    y: Any,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    *,
    classes: Any = None,
    multi_class: ClassPairs | None = None,
    fingerprint: bool = False,
    features: Any = "identity",
) -> Separability | VerdictsByClass:
    """The verdict on the rows of Dask collections. The parameters are those of `separability`."""
    _refuse_what_needs_all_rows(fingerprint, features)
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    if multi_class is not None and classes is not None:
        raise ValueError("classes chooses two classes, multi_class takes all classes: give only one of them.")
    clock = Clock(time_limit)
    with collection_executor() as executor:
        rows = _exact_rows(executor, X, y)
        known, names = rows.classes.tolist(), column_names(X)
        asked = {None: classes} if multi_class is None else class_pairs(known, multi_class)
        pairs = [class_pair(known, check_classes(known, wanted)) for wanted in asked.values()]
        cluster = Cluster(executor, list(rows.blocks(executor)))
        found = [
            Separability({**answer.certificate, "names": names})
            for answer in decide_blocks(cluster, len(known), pairs, bool(fit_intercept), clock)
        ]
    return found[0] if multi_class is None else dict(zip(asked, found, strict=True))


def _refuse_what_needs_all_rows(fingerprint: bool, features: Any) -> None:
    if fingerprint:
        raise ValueError("fingerprint=True does not go with Dask collections: one machine must read all rows for it.")
    if not isinstance(as_features(features), Identity):
        raise ValueError(f"features={features!r} does not go with Dask collections: decide about rows in memory.")


def _exact_rows(executor: Executor, X: Any, y: Any) -> DaskRows:
    """The rows, whose numbers no conversion may round."""
    from dask.delayed import delayed

    rows = DaskRows.of(executor, X, y)
    parts = [delayed(exact_chunk)(part, rows.names) for part in rows.X.parts]
    return replace(rows, X=Chunks(parts, rows.X.lengths))


def exact_chunk(part: Any, names: Sequence[Any] | None) -> Any:
    """A chunk as floats that equal its numbers. Missing values become NaN; dates and texts are refused by column."""
    refuse_dates(part, names)
    rows = part if is_sparse(part) else np.asarray(part)
    if rows.dtype.kind != "O":
        return as_exact_floats(rows)
    numbers = as_numbers(rows, names)
    known = ~np.isnan(numbers)
    if not (numbers[known] == rows[known]).all():
        raise ValueError("X has numbers or texts that no float64 equals: round or rescale them first.")
    return numbers


def class_pair(known: Sequence[Any], chosen: Sequence[Any]) -> ClassPair:
    """A pair of classes as blocks know them. None as the negative class means all others.

    >>> class_pair(["a", "b", "c"], [None, "b"]).signs.tolist(), class_pair(["a", "b", "c"], ["c", "a"]).signs.tolist()
    ([-1, 1, -1], [1, 0, -1])
    """
    negative, positive = chosen
    signs = [1 if label == positive else -1 if negative is None or label == negative else 0 for label in known]
    return ClassPair([negative, positive], np.array(signs, dtype=np.int8))
