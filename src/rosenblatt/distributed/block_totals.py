"""Sums over the rows of a block that the training loop asks for besides its epochs: mistakes, losses and norms."""

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..engine.run_learner import Inspection
from ..foundation.types import Floats
from .block import LoadedBlock
from .block_problem import BlockRecipe
from .shard_epoch import MixedProblem


@dataclass(frozen=True)
class Totals:
    """What `_core.inspect` tells of some rows, without single margins. Totals add up."""

    wrong: int
    mistakes: float
    loss: float
    gradient: Floats

    def __add__(self, other: "Totals") -> "Totals":
        loss, gradient = self.loss + other.loss, self.gradient + other.gradient
        return Totals(self.wrong + other.wrong, self.mistakes + other.mistakes, loss, gradient)

    @property
    def inspection(self) -> Inspection:
        return self.wrong, self.mistakes, self.loss, np.empty(0), self.gradient


def inspect_block(block: LoadedBlock, problem: MixedProblem, coef: Floats, intercept: Floats, gradient: bool) -> Totals:
    """What these weights do on the rows of a block."""
    wrong, mistakes, loss, _, downhill = _core.inspect(problem.native(block), coef, intercept, gradient=gradient)
    return Totals(wrong, mistakes, loss, downhill)


@dataclass(frozen=True)
class SquaredNorms:
    """The sum of the squared norms of some rows, how many they are, and the largest, times its weight."""

    total: float
    rows: int
    largest: float

    def __add__(self, other: "SquaredNorms") -> "SquaredNorms":
        largest = max(self.largest, other.largest)
        return SquaredNorms(self.total + other.total, self.rows + other.rows, largest)

    @property
    def mean(self) -> float:
        return self.total / self.rows


def squared_norms(block: LoadedBlock, recipe: BlockRecipe, constant: float) -> SquaredNorms:
    """The squared norms of the rows of a block, with a constant coordinate."""
    rows = recipe.rows(block)
    mean, largest = rows.rows.mean_and_longest(constant, rows.weights, 1)
    return SquaredNorms(mean * rows.count, rows.count, largest)


def inspect_margins(block: LoadedBlock, problem: MixedProblem, coef: Floats, intercept: Floats) -> tuple[float, Floats]:
    """The weight of the rows of a block that these weights misclassify, and the margin of each row."""
    _, mistakes, _, margins, _ = _core.inspect(problem.native(block), coef, intercept, margins=True)
    return mistakes, margins
