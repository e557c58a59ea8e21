"""Rows held out for early stopping: training ends when their predictions no longer improve."""

from typing import NamedTuple

from .. import _core
from ..foundation.types import Codes, Floats
from ..parts.recipe import Recipe
from .class_problems import ClassProblem


class HeldOut(NamedTuple):
    """Rows that training does not learn from, the numbers of their classes, and their weights."""

    rows: _core.Rows
    codes: Codes
    weights: Floats | None

    def problem_for(self, trained: ClassProblem, recipe: Recipe, threads: int) -> "HeldOutProblem":
        """These rows with the labels that one training problem gives them."""
        rows = recipe.lifted(self.rows)
        problem = trained.relabel(self.codes).native(rows, self.weights, recipe, threads)
        return HeldOutProblem(problem, float(rows.count if self.weights is None else self.weights.sum()))


class HeldOutProblem(NamedTuple):
    """Rows held out as one training problem sees them, and the sum of their weights."""

    problem: _core.Problem
    weight: float

    def quality(self, criterion: str, weights: tuple[Floats, Floats]) -> float:
        """The share of mistakes, or the mean loss."""
        _, mistakes, loss, _, _ = _core.inspect(self.problem, *weights)
        return float(mistakes if criterion == "mistakes" else loss) / self.weight
