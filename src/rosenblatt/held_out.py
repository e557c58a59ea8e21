"""Which rows to train on and which to hold out, class by class."""

import numpy as np
import numpy.typing as npt

from .labels import Codes

Places = npt.NDArray[np.intp]


def split(codes: Codes, fraction: float, seed: int) -> tuple[Places, Places]:
    """Places of the rows to train on and of those held out: `fraction` of each class, and never all of one.

    >>> train, test = split(np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32), 0.25, seed=0)
    >>> len(train), len(test)
    (6, 2)
    """
    held_out = np.zeros(len(codes), dtype=bool)
    random = np.random.default_rng(seed)
    by_class = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    for places in by_class:
        wanted = min(round(fraction * len(places)), len(places) - 1)
        held_out[random.permutation(places)[:wanted]] = True
    return np.flatnonzero(~held_out), np.flatnonzero(held_out)


def folds(codes: Codes, count: int, seed: int) -> list[Places]:
    """The rows in so many parts, each with its share of every class.

    >>> [len(part) for part in folds(np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32), 4, seed=0)]
    [2, 2, 2, 2]
    """
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return [np.sort(by_class[first::count]) for first in range(count)]
