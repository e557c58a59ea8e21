"""Which rows to train on and which to hold out, class by class."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .types import Codes, Places

VALIDATION = 0.1  # of the rows to train on, to stop early by
SMALLEST = 10**6  # the smallest share is one row in so many


class Sieve:
    """Holds out a share of each class, of rows as they come: what becomes of a row, no later one decides.

    The rows of a class are cut into groups of 1 / share, one after the other. Of each group one row is held out; which
    one, a hash of the seed, the class and the group says. The first row of a class is never held out. Classes count in
    the order in which they turn up, so their numbers do not matter.

    >>> sieve = Sieve(0.25, seed=0)
    >>> out = np.concatenate([sieve(np.zeros(10, np.int32)), sieve(np.zeros(6, np.int32))])
    >>> out.reshape(4, 4).sum(axis=1)
    array([1, 1, 1, 1])
    """

    def __init__(self, share: float, seed: int) -> None:
        self._most = share > 0.5  # then the rows kept are the few that are chosen
        chosen = 1 - share if self._most else share
        self._few = max(round(SMALLEST * chosen), 1) if chosen else 0  # of SMALLEST rows
        self._seed = np.uint64(seed)
        self._names = np.empty(0, np.int64)  # of each class, its place in the order of appearance; -1 if it is yet to
        self._seen = np.empty(0, np.int64)  # rows of each class

    def __call__(self, codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """Which of the next rows to hold out, by the numbers of their classes."""
        if not self._few or not len(codes):
            return np.zeros(len(codes), dtype=bool)
        counts = self._meet(codes)
        ranks = _ranks(codes, counts) + self._seen[codes]
        self._seen += counts
        return self._chosen(ranks, self._names[codes]) ^ np.bool_(self._most)

    def _meet(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The rows of each class among these; new classes get a name."""
        counts = np.bincount(codes, minlength=len(self._seen))
        more = len(counts) - len(self._seen)
        self._seen = np.concatenate([self._seen, np.zeros(more, np.int64)])
        self._names = np.concatenate([self._names, np.full(more, -1)])
        new = np.flatnonzero((counts > 0) & (self._names < 0))
        first = np.argsort([int((codes == code).argmax()) for code in new])
        self._names[new[first]] = self._names.max() + 1 + np.arange(len(new))
        return counts

    def _chosen(self, ranks: npt.NDArray[np.int64], names: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        few, of = self._few, SMALLEST
        group = ranks * few // of
        begin, end = -(-group * of // few), -(-(group + 1) * of // few)
        free = (begin == 0) & (not self._most)  # the first row stays where it is
        begin = begin + free
        bits = _mixed(_mixed(_mixed(group.astype(np.uint64)) ^ names.astype(np.uint64)) ^ self._seed)
        place = begin + (bits % np.maximum(end - begin, 1).astype(np.uint64)).astype(np.int64)
        if self._most:
            place = np.where(group == 0, 0, place)
        chosen: npt.NDArray[np.bool_] = ranks == place
        return chosen


def _ranks(codes: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many rows of its class come before each row."""
    order = np.argsort(codes, kind="stable")
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return ranks


def _mixed(bits: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Bits that look random (Steele, Lea and Flood's SplitMix)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: npt.NDArray[np.uint64] = bits ^ (bits >> np.uint64(31))
    return mixed


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
