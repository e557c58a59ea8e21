"""From some columns to others: where weights go when columns are renewed while a stream is under way."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Move:
    """Where the weight of each new column comes from, -1 for nowhere, and what it is multiplied by.

    `more` are (new, old, factor) that are added, `offset` are (old, factor) that are added to the offset.
    """

    sources: npt.NDArray[np.int64]
    factors: npt.NDArray[np.float64]
    more: tuple[tuple[int, int, float], ...] = ()
    offset: tuple[tuple[int, float], ...] = ()


def still(width: int) -> Move:
    """
    >>> still(2).sources.tolist()
    [0, 1]
    """
    return Move(np.arange(width), np.ones(width))


def fresh(width: int) -> Move:
    return Move(np.full(width, -1), np.ones(width))


def together(moves: Iterable[Move], before: Iterable[int], after: Iterable[int]) -> Move:
    """Moves of parts as one of all columns; where each part began, and where it begins now."""
    sources, factors, more, offset = [], [], [], []
    for move, old, new in zip(moves, before, after, strict=True):
        sources.append(np.where(move.sources >= 0, move.sources + old, -1))
        factors.append(move.factors)
        more += [(to + new, of + old, factor) for to, of, factor in move.more]
        offset += [(of + old, factor) for of, factor in move.offset]
    return Move(np.concatenate(sources), np.concatenate(factors), tuple(more), tuple(offset))
