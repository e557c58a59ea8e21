"""Rows with the trace of a perceptron on them: replay its updates in floats, and add them up in fractions."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from ...foundation.matrices import is_sparse
from ...foundation.types import Floats, Places
from ..margin.class_hulls import HALF_ULP
from .mistake_bound import MistakeBound, PerceptronRows

Record = dict[str, npt.NDArray[Any]]
UNDERFLOW_LOSS = 1e-321  # more than underflow takes from a sum or a product


class TraceError(Exception):
    """What is wrong with a trace, as a sentence."""


class TracedRows:
    """The rows of a training with step eta, and the trace that it left. Updates were `required` up to a margin."""

    def __init__(self, rows: PerceptronRows, eta: float, trace: Record, required: float = 0.0) -> None:
        self.rows, self.eta, self.trace, self.required = rows, eta, trace, required
        self.count, self.columns = len(trace["row"]), rows.X.shape[1]

    @cached_property
    def places(self) -> Places:
        """Where each update finds its row."""
        where = {int(number): place for place, number in enumerate(self.rows.numbers)}
        for k, row in enumerate(self.trace["row"].tolist()):
            if row not in where:
                raise TraceError(f"Mistake {k + 1} names row {row}, which is not among the rows.")
        return np.array([where[row] for row in self.trace["row"].tolist()], dtype=np.intp)

    def check_steps(self, model: Any) -> None:
        """Every update of the model is there, and moved w by eta times the weight of its row."""
        if self.count != model.n_updates_:
            raise TraceError(f"The trace has {self.count} updates, but the model made {model.n_updates_}.")
        expected = self.eta * self.rows.weights[self.places]
        wrong = np.flatnonzero(self.trace["change"] != expected)
        if len(wrong):
            k = wrong[0]
            raise TraceError(
                f"Mistake {k + 1} moved w by {self.trace['change'][k]:g} times its row, not {expected[k]:g}."
            )
        self._last = self.columns - bool(model.fit_intercept)  # the norms of a trace leave the offset out

    def replay(self, k: int, w: Floats, travelled: float, roundings: int) -> float:
        """Make update k on w. Its margin and norm must be those of the trace, up to rounding.

        w has come by a path of length `travelled` with so many roundings. The new length of the path is returned.
        """
        place = int(self.places[k])
        label, step = float(self.rows.labels[place]), float(self.trace["change"][k] * self.rows.labels[place])
        columns, values = self.row(place)
        lost, unit = (len(w) + 8) * UNDERFLOW_LOSS, 8 * (roundings + len(w) + 8) * HALF_ULP
        size, slack = float(np.linalg.norm(values)) + lost**0.5, unit * travelled
        margin, recorded = label * float(values @ w[columns]), float(self.trace["margin"][k])
        if not abs(margin - recorded) <= slack * size + lost:
            raise TraceError(f"Mistake {k + 1} has margin {margin:g} by the rows, but {recorded:g} in the trace.")
        if recorded > self.required:
            least = f"within the margin {self.required:g}" if self.required else "at a mistake"
            raise TraceError(f"Update {k + 1} was not made {least}: its margin is {recorded:g}.")
        w[columns] += step * values
        travelled += abs(step) * size
        norm, recorded = float(np.linalg.norm(w[: self._last])), float(self.trace["norm"][k])
        if not abs(norm - recorded) <= slack + unit * travelled + lost**0.5:
            raise TraceError(f"After mistake {k + 1} the norm of w is {norm:g}, but {recorded:g} in the trace.")
        return travelled

    def check_end(self, w: Floats, model: Any, travelled: float, roundings: int) -> None:
        """A model that keeps its last weights must have those of the replay."""
        if model.keep != "last" or not self.count:
            return
        slack = 16 * (roundings + len(w) + 8) * HALF_ULP * travelled + self.count * UNDERFLOW_LOSS
        if not np.abs(w[: len(model.coef_[0])] - model.coef_[0]).max() <= slack:
            raise TraceError("The trace does not end in the weights of the model.")

    def row(self, place: int) -> tuple[Any, Floats]:
        """The columns and the values of a row."""
        X = self.rows.X
        if is_sparse(X):
            part = slice(X.indptr[place], X.indptr[place + 1])
            return X.indices[part], X.data[part].astype(np.float64, copy=False)
        return slice(None), X[place].astype(np.float64, copy=False)

    def exact_sum(self, factors: Mapping[int, Fraction]) -> list[Fraction]:
        """The sum of some rows, by place, times their labels, weights and these factors: w / eta."""
        total = [Fraction(0)] * self.columns
        for place, often in factors.items():
            columns, values = self.row(place)
            factor = often * Fraction(float(self.rows.weights[place])) * int(self.rows.labels[place])
            named = range(len(total)) if isinstance(columns, slice) else columns.tolist()
            for column, value in zip(named, values.tolist(), strict=True):
                total[column] += factor * Fraction(value)
        return total


def has_progress(w: list[Fraction], count: Fraction, bound: MistakeBound) -> bool:
    """Whether w.w* >= count gamma, for w divided by eta and a w* of length 1."""
    assert bound.hyperplane is not None
    star = bound.hyperplane.weights
    along = sum((a * b for a, b in zip(w, star, strict=True)), Fraction(0))
    least = (count * Fraction(bound.margin)) ** 2 * sum((b * b for b in star), Fraction(0))
    return along > 0 and along**2 >= least


def is_short(w: list[Fraction], count: Fraction, bound: MistakeBound) -> bool:
    """Whether ||w||^2 <= count (R^2 + slack), for w divided by eta."""
    if inf in (bound.radius, bound.slack):
        return True
    return sum((value * value for value in w), Fraction(0)) <= count * bound.squared_growth
