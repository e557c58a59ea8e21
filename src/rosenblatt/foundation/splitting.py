"""Which rows to train on and which to hold out, class by class."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .types import Codes, Places

EARLY_STOPPING_FRACTION = 0.1  # of the rows to train on
UNIT = 10**6  # a fraction is a whole number of rows in so many

# What a row is used for: to train on, to stop early by, or to measure the model by.
TRAIN, STOP, TEST = range(3)
USE_NAMES = ("train", "stop", "test")
Uses = npt.NDArray[np.int8]


class HoldOutSplitter:
    """Holds out a fraction of each class from rows that come in batches; later rows never change earlier decisions.

    The rows of a class form consecutive groups of 1 / fraction rows. One row of each group is held out: a hash of the
    seed, the class and the group chooses it. The first row of a class is never held out. Classes are identified by the
    order in which they appear, so their numbers do not matter.

    >>> splitter = HoldOutSplitter(0.25, seed=0)
    >>> out = np.concatenate([splitter(np.zeros(10, np.int32)), splitter(np.zeros(6, np.int32))])
    >>> out.reshape(4, 4).sum(axis=1)
    array([1, 1, 1, 1])
    """

    def __init__(self, fraction: float, seed: int) -> None:
        self._inverted = fraction > 0.5  # then one row of each group is kept instead
        chosen = 1 - fraction if self._inverted else fraction
        self._groups = max(round(UNIT * chosen), 1) if chosen else 0  # in UNIT rows
        self._seed = np.uint64(seed)
        self._appearance = np.empty(0, np.int64)  # of each class, its place in the order of appearance; -1 until then
        self._rows = np.empty(0, np.int64)  # of each class, so far

    def __call__(self, codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """Which of the next rows to hold out, by the numbers of their classes."""
        if not self._groups or not len(codes):
            return np.zeros(len(codes), dtype=bool)
        counts = self._register(codes)
        ranks = _ranks(codes, counts) + self._rows[codes]
        self._rows += counts
        return self._chosen(ranks, self._appearance[codes]) ^ np.bool_(self._inverted)

    def skip(self, firsts: npt.NDArray[np.integer[Any]], rows: npt.NDArray[np.int64]) -> None:
        """Pass over rows: their classes in the order of their first row, and the rows of each."""
        if self._groups and len(firsts):
            self._register(firsts)
            self._rows[firsts] += rows

    def _register(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Number new classes by appearance; the rows of each class among these."""
        counts = np.bincount(codes, minlength=len(self._rows))
        more = len(counts) - len(self._rows)
        self._rows = np.concatenate([self._rows, np.zeros(more, np.int64)])
        self._appearance = np.concatenate([self._appearance, np.full(more, -1)])
        new = np.flatnonzero((counts > 0) & (self._appearance < 0))
        first = np.argsort([int((codes == code).argmax()) for code in new])
        self._appearance[new[first]] = self._appearance.max() + 1 + np.arange(len(new))
        return counts

    def _chosen(self, ranks: npt.NDArray[np.int64], classes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each row, by its rank in its class, is the one that its group chooses."""
        group = ranks * self._groups // UNIT
        begin, end = -(-group * UNIT // self._groups), -(-(group + 1) * UNIT // self._groups)
        begin = begin + ((begin == 0) & (not self._inverted))  # the first row of a class is always trained on
        bits = _mix(_mix(_mix(group.astype(np.uint64)) ^ classes.astype(np.uint64)) ^ self._seed)
        place = begin + (bits % np.maximum(end - begin, 1).astype(np.uint64)).astype(np.int64)
        if self._inverted:
            place = np.where(group == 0, 0, place)
        chosen: npt.NDArray[np.bool_] = ranks == place
        return chosen


def _ranks(codes: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The number of earlier rows of the same class, for each row."""
    order = np.argsort(codes, kind="stable")
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ranks


def _mix(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Pseudo-random bits: the finaliser of SplitMix64 (Steele, Lea and Flood)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = bits ^ (bits >> np.uint64(31))
    return mixed


def split(codes: Codes, fraction: float, seed: int) -> tuple[Places, Places]:
    """Places of the rows to train on and of those held out: `fraction` of each class, but never a whole class.

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
    """Places of the rows in `count` folds, each with its share of every class.

    >>> [len(part) for part in folds(np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32), 4, seed=0)]
    [2, 2, 2, 2]
    """
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return [np.sort(by_class[first::count]) for first in range(count)]


def all_but(places: Places, count: int) -> Places:
    """The places of `count` rows without some of them.

    >>> all_but(np.array([1, 3]), 5).tolist()
    [0, 2, 4]
    """
    rest = np.ones(count, np.bool_)
    rest[places] = False
    return np.flatnonzero(rest)
