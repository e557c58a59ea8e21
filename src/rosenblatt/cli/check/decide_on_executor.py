"""Decide pairs of classes by the workers of an executor, which read the rows from the cache of the table."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...distributed.block_separability import ClassPair, decide_blocks
from ...distributed.cluster import Cluster
from ...distributed.dask_separability import class_pair
from ...distributed.executors import open_executor
from ...foundation.splitting import TRAIN, USE_NAMES
from ...foundation.types import Codes
from ...parts.parameter_checks import check_positive
from ...prove.certificates.fingerprint import fingerprint
from ...prove.exact.exact_matrix import as_exact_floats
from ...prove.separability.separability import Separability
from ...prove.time_limit import Clock
from ...tables.cache.cached_block import blocks_of_cache
from ...tables.cache.encoded_cache import CachedTable

ClassNumbers = Sequence[int | None]  # of the negative and the positive class


def decide_on_executor(
    executor: int | str,
    cache: CachedTable,
    pairs: Sequence[ClassNumbers],
    *,
    fit_intercept: bool,
    time_limit: float | None,
    names: list[str],
) -> list[Separability]:
    """Decide every pair within one time limit. The cache numbers classes in the order in which it met them."""
    if time_limit is not None:
        check_positive("time_limit", time_limit)
    clock, numbers = Clock(time_limit), np.array(cache.facts["places"])
    known = list(range(len(numbers)))
    asked = [ClassPair(list(pair), class_pair(known, pair).signs[numbers]) for pair in pairs]
    with open_executor(executor) as workers:
        cluster = Cluster(workers, list(blocks_of_cache(cache, USE_NAMES[TRAIN])))
        found = list(decide_blocks(cluster, len(known), asked, fit_intercept, clock))
    return [Separability({**answer.certificate, "names": names}) for answer in found]


def with_fingerprint(result: Separability, X: Any, codes: Codes) -> Separability:
    """The verdict with the fingerprint of its rows, which this machine reads. `codes` are the class numbers of rows."""
    negative, positive = result.certificate["classes"]
    taking_part = slice(None) if negative is None or codes.max() == 1 else np.isin(codes, (negative, positive))
    digest = fingerprint(as_exact_floats(X)[taking_part], codes[taking_part] == positive)
    return Separability({**result.certificate, "sha256": digest})
