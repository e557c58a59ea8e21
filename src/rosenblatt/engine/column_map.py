"""From old columns to new ones: where weights go when a stream renews its columns."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ColumnMap:
    """Where the weight of each new column comes from, -1 for nowhere, and what it is multiplied by.

    `more` are (new, old, factor) that are added, `offset` are (old, factor) that are added to the offset.
    """

    sources: npt.NDArray[np.int64]
    factors: npt.NDArray[np.float64]
    more: tuple[tuple[int, int, float], ...] = ()
    offset: tuple[tuple[int, float], ...] = ()


def keep_columns(width: int) -> ColumnMap:
    """
    >>> keep_columns(2).sources.tolist()
    [0, 1]
    """
    return ColumnMap(np.arange(width), np.ones(width))


def new_columns(width: int) -> ColumnMap:
    return ColumnMap(np.full(width, -1), np.ones(width))


def join_maps(maps: Iterable[ColumnMap], before: Iterable[int], after: Iterable[int]) -> ColumnMap:
    """The maps of parts of a table as one of all columns; `before` and `after` say where each part begins."""
    sources, factors, more, offset = [], [], [], []
    for one, old, new in zip(maps, before, after, strict=True):
        sources.append(np.where(one.sources >= 0, one.sources + old, -1))
        factors.append(one.factors)
        more += [(to + new, of + old, factor) for to, of, factor in one.more]
        offset += [(of + old, factor) for of, factor in one.offset]
    return ColumnMap(np.concatenate(sources), np.concatenate(factors), tuple(more), tuple(offset))
