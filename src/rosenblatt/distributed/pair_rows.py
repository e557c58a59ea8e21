"""What a worker says of the rows of two classes: which of its rows are on the wrong side of a hyperplane, exactly."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats, Mask, Places
from ..prove.exact.linear_algebra import IntVector
from ..prove.exact.problem import ExactProblem
from ..prove.exact.span import rows_outside_span
from ..prove.exact.two_classes import TwoClassLabels
from .block import LoadedBlock
from .chosen_rows import ChosenRows, take_rows

Signs = npt.NDArray[np.int8]  # of each class by its number: -1 or 1, and 0 for classes that are left out


@dataclass(frozen=True)
class PairOfClasses:
    """Two classes, and the scale of the columns, which is the same in all blocks."""

    signs: Signs
    fit_intercept: bool
    largest: Floats  # the largest absolute value of each column over all blocks

    def problem(self, block: LoadedBlock) -> ExactProblem:
        """The rows of a block that belong to one of the classes. It may have one class only, or no rows."""
        labels = self.signs[block.codes].astype(np.float64)
        numbers = np.flatnonzero(labels)
        selected = TwoClassLabels([None, None], numbers, labels[numbers])
        problem = ExactProblem(block.X, selected, self.fit_intercept, largest=self.largest)
        problem.threads = 1
        return problem


@dataclass(frozen=True)
class Candidate:
    """A hyperplane w in scaled columns, and rows that prove T: those in their span may be on it.

    `spans_all` says that every row is in their span.
    """

    w: IntVector
    clash: list[IntVector]
    spans_all: bool

    def rows_outside(self, problem: ExactProblem, rows: Places) -> Places:
        """The rows that the clash does not prove to be in T."""
        return rows[:0] if self.spans_all else rows_outside_span(problem, self.clash, rows)


@dataclass(frozen=True)
class WrongRows:
    """The worst rows of a run of blocks, at most so many, worst first; equal rows are named once.

    `numbers` count from the first row of the run, which has `rows` rows. Rows with the same value and key are taken
    for equal. `on_plane` counts all rows on the hyperplane.
    """

    rows: int
    on_plane: int
    most: int
    numbers: Places
    values: Floats
    keys: Floats

    def __add__(self, other: "WrongRows") -> "WrongRows":
        return WrongRows(
            self.rows + other.rows,
            self.on_plane + other.on_plane,
            self.most,
            np.append(self.numbers, other.numbers + self.rows),
            np.append(self.values, other.values),
            np.append(self.keys, other.keys),
        ).worst()

    def worst(self) -> "WrongRows":
        order = np.lexsort((self.numbers, self.keys, self.values))
        values, keys = self.values[order], self.keys[order]
        new = np.append(True, (np.diff(values) != 0) | (np.diff(keys) != 0))[: len(order)]
        order = order[new][: self.most]
        return replace(self, numbers=self.numbers[order], values=self.values[order], keys=self.keys[order])


def find_wrong_rows(block: LoadedBlock, pair: PairOfClasses, candidate: Candidate, most: int) -> WrongRows:
    """The worst rows of a block on the wrong side, or on the hyperplane and not proved to be in T."""
    problem, count = pair.problem(block), len(block.codes)
    if not problem.rows:
        return WrongRows(count, 0, most, np.zeros(0, np.intp), np.zeros(0), np.zeros(0))
    rows, sign, value = problem.nonpositive_rows(candidate.w)
    wrong: Mask = sign < 0
    wrong[~wrong] = np.isin(rows[~wrong], candidate.rows_outside(problem, rows[~wrong]))
    rows, on_plane = rows[wrong], int((sign == 0).sum())
    keys = problem.margins(_random_weights(problem.size))[0][rows] if len(rows) else np.zeros(0)
    return WrongRows(count, on_plane, most, problem.numbers[rows], value[wrong], keys).worst()


def _random_weights(size: int) -> IntVector:
    """Weights that hardly give two different rows the same margin."""
    drawn: IntVector = np.random.default_rng(0).integers(1 << 30, 1 << 31, size).tolist()
    return drawn


def take_ranked_rows(block: LoadedBlock, ranks: tuple[Signs, Places, Places]) -> ChosenRows:
    """The rows of a block by their ranks among the negative rows, and among the positive ones."""
    signs, negative, positive = ranks
    own = signs[block.codes]
    return take_rows(block, np.append(np.flatnonzero(own < 0)[negative], np.flatnonzero(own > 0)[positive]))
