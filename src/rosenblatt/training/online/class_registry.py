"""The classes of a stream, registered in the order in which they appear.

The survey of a table counts classes before training; a stream trains while new classes still appear.
"""

import numpy as np
import numpy.typing as npt

from ...foundation.types import Codes, Labels
from ...tables.encode.targets import typed_labels
from ...tables.read.arrow_arrays import unique_inverse


class ClassRegistry:
    """The classes so far in order of appearance, their sorted labels, and the rows of each."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.labels: Labels = np.empty(0, np.int64)
        self.places: npt.NDArray[np.intp] = np.empty(
            0, np.intp
        )  # of each class, by appearance, among the sorted labels
        self.counts: list[int] = []
        self.known = 0  # classes that were known before the first row

    def add(self, text: str) -> list[int]:
        """Register a class; returns the new places of the old classes among the sorted labels."""
        before = self.places
        self.numbers[text] = len(self.numbers)
        self.counts.append(0)
        self.labels, self.places = unique_inverse(typed_labels(list(self.numbers)))
        now = np.empty(len(before), np.intp)
        now[before] = self.places[: len(before)]
        return now.tolist()

    def has_seen(self, number: int) -> bool:
        """Whether a class was known from the start, or had a row."""
        return number < self.known or self.counts[number] > 0

    def restore(self, texts: list[str], counts: list[int]) -> None:
        """Take the classes, in order of appearance, and their rows from a saved registry."""
        self.numbers = {text: number for number, text in enumerate(texts)}
        self.labels, self.places = unique_inverse(typed_labels(texts))
        self.counts = list(counts)

    def codes(self, met: npt.NDArray[np.intp]) -> Codes:
        """The places among the sorted labels of classes numbered by appearance."""
        return self.places[met].astype(np.int32)

    def count(self, met: npt.NDArray[np.intp]) -> None:
        """Count rows by the numbers of their classes."""
        for number, rows in enumerate(np.bincount(met, minlength=len(self.counts)).tolist()):
            self.counts[number] += rows

    @property
    def sorted_counts(self) -> list[int]:
        """The rows of each class, in the order of the sorted labels."""
        found = [0] * len(self.counts)
        for place, rows in zip(self.places.tolist(), self.counts, strict=True):
            found[place] = rows
        return found
