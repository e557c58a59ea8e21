"""Classes that turn up on the way."""

import numpy as np
import numpy.typing as npt

from ...foundation.types import Codes, Labels
from ...tables.encode.targets import typed_labels
from ...tables.read.arrow_arrays import unique_inverse


class ClassRegistry:
    """The classes met so far, in the order in which they came, and their sorted labels."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.labels: Labels = np.empty(0, np.int64)
        self.places: npt.NDArray[np.intp] = np.empty(0, np.intp)  # of each class, as it came, among the labels
        self.counts: list[int] = []

    def add(self, text: str) -> list[int]:
        """One class more; where the old ones are now."""
        before = self.places
        self.numbers[text] = len(self.numbers)
        self.counts.append(0)
        self.labels, self.places = unique_inverse(typed_labels(list(self.numbers)))
        now = np.empty(len(before), np.intp)
        now[before] = self.places[: len(before)]
        return now.tolist()

    def codes(self, met: npt.NDArray[np.intp]) -> Codes:
        return self.places[met].astype(np.int32)

    def count(self, met: npt.NDArray[np.intp]) -> None:
        for number, rows in enumerate(np.bincount(met, minlength=len(self.counts)).tolist()):
            self.counts[number] += rows

    @property
    def sorted_counts(self) -> list[int]:
        found = [0] * len(self.counts)
        for place, rows in zip(self.places.tolist(), self.counts, strict=True):
            found[place] = rows
        return found
