"""Check the trace of a perceptron against Novikoff's proof, update by update. `mistake_bound.py` has the proof."""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...foundation.labels import class_factors, codes_of
from ...foundation.matrices import is_sparse
from ...foundation.rounding import count_at_most
from ...foundation.types import Floats, Places
from ...parts.features import features_of
from ..margin.class_hulls import HALF_ULP
from .mistake_bound import MistakeBound, PerceptronRows, novikoff_bound, progress_of_rows

Record = dict[str, npt.NDArray[Any]]
MAX_TABLE_LINES = 12
UNDERFLOW_LOSS = 2.0**-1070  # more than underflow takes from a sum or a product


@dataclass(frozen=True)
class Audit:
    """The answer of `audit`: whether the trace is `ok` or `why_not`, its `mistakes` and their `bound`.

    `record` has one entry for each mistake, for plots: mistake (1, 2, ..), row, progress (w.w*) and least_progress
    (k eta gamma), squared_norm (||w||^2) and most_squared_norm (k eta^2 R^2). Printing it gives a table.
    """

    ok: bool
    mistakes: int
    bound: MistakeBound
    record: Record
    why_not: str = ""

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        names = ("mistake", "row", "w.w*", "at least", "||w||^2", "at most")
        columns = [self.record[name] for name in RECORD_COLUMNS]
        shown = _printed_places(self.mistakes)
        cells = [[f"{column[place]:.6g}" for column in columns] for place in shown]
        lines = [" ".join(f"{cell:>12}" for cell in line) for line in ([list(names), *cells] if shown else [])]
        verdict = "both inequalities hold at every mistake" if self.ok else self.why_not
        if self.ok and not self.bound:
            verdict = f"||w||^2 keeps its bound at every mistake; {self.bound}"
        limit = f"{count_at_most(self.bound.bound)} were possible" if self.bound else "no limit is known"
        return "\n".join([*lines, f"{self.mistakes} mistakes, {limit}: {verdict}"])


RECORD_COLUMNS = ("mistake", "row", "progress", "least_progress", "squared_norm", "most_squared_norm")


def _printed_places(count: int) -> list[int]:
    """
    >>> _printed_places(3), _printed_places(40)
    ([0, 1, 2], [0, 1, 3, 7, 15, 31, 39])
    """
    if count <= MAX_TABLE_LINES:
        return list(range(count))
    return [*(2**power - 1 for power in range(count.bit_length()) if 2**power < count), count - 1]


class _TraceError(Exception):
    """What is wrong with a trace, as a sentence."""


def audit(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Audit:
    """Replay the trace of a perceptron and check both inequalities of Novikoff's proof at every mistake.

    The model must have been fitted with `trace=True` on these rows, labels and weights. Every update must name a row,
    be made at a mistake, move w by eta times the row, and give w the norm that the trace records. Then
    w.w* >= k eta gamma and ||w||^2 <= k eta^2 R^2 are checked, in exact arithmetic if rounding could decide. With
    `keep="average"` and "best", the trace and the audit are about the weights that move.

    >>> from rosenblatt import Perceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> print(audit(Perceptron(order="cyclic").fit(X, y, trace=True), X, y))
         mistake          row         w.w*     at least      ||w||^2      at most
               1            0     0.471405     0.471405           19           26
               2            2     0.942809     0.942809            8           52
               3            2      1.41421      1.41421            3           78
               4            2      1.88562      1.88562            4          104
               5            0      2.35702      2.35702           19          130
               6            2      2.82843      2.82843           12          156
               7            2      3.29983      3.29983           11          182
    7 mistakes, at most 117 were possible: both inequalities hold at every mistake
    """
    trace = _checked_trace(model)
    X = features_of(model).transform(X)
    rows = PerceptronRows(
        X, y, model.fit_intercept, model.intercept_scaling, _row_weights(model, X, y, sample_weight), None
    )
    bound = novikoff_bound(rows)
    replay = _Replay(rows, bound, float(model.eta0), trace)
    try:
        with np.errstate(all="ignore"):  # numbers out of the range of floats are checked in fractions
            replay.check(model)
    except _TraceError as reason:
        return Audit(False, len(trace["row"]), bound, replay.record, str(reason))
    return Audit(True, len(trace["row"]), bound, replay.record)


def _checked_trace(model: Any) -> Record:
    """The trace of a model, if the theorem applies to it."""
    name = type(model).__name__
    try:
        trace: Record = model.trace_
        parts = {"loss": model.loss, "step": model.step, "order": model.order}
    except AttributeError:
        raise ValueError(
            f"audit needs the trace of a perceptron: this {name} has none. Fit it with fit(X, y, trace=True)."
        ) from None
    if parts["loss"] != "perceptron" or parts["step"] != "constant":
        raise ValueError(
            f"Novikoff's bound is about the perceptron with a constant step: loss={parts['loss']!r} with "
            f"step={parts['step']!r} cannot be audited."
        )
    if not hasattr(model, "coef_"):
        raise ValueError(
            f"audit replays weights, and a {name} has none: a Perceptron with features='polynomial-2' makes the "
            "same updates as that kernel."
        )
    if parts["order"] == "batch":
        raise ValueError(
            "order='batch' moves by many rows at once, to which Novikoff's bound does not apply: use another order."
        )
    if len(model.classes_) != 2:
        raise ValueError(
            f"audit is about two classes, but the model has {len(model.classes_)}: fit it on y == a, for each class a."
        )
    return trace


def _row_weights(model: Any, X: Any, y: Any, sample_weight: Any) -> Floats | None:
    """The factors of the steps: sample weights times class weights."""
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    codes = codes_of(np.asarray(y), model.classes_)
    if codes is None or len(np.unique(codes)) < 2:
        raise ValueError(f"y must hold the labels that the model was fitted on, {model.classes_.tolist()}.")
    factors = class_factors(model.class_weight, model.classes_, codes, weights)
    if factors is None:
        return weights
    return factors[codes] if weights is None else weights * factors[codes]


class _Unclear(NamedTuple):
    """The mistakes at which floats cannot decide an inequality."""

    progress: Places
    norm: Places


class _Replay:
    """w after every mistake: in floats for all, in fractions where rounding could decide."""

    def __init__(self, rows: PerceptronRows, bound: MistakeBound, eta: float, trace: Record) -> None:
        self.rows, self.bound, self.eta, self.trace = rows, bound, eta, trace
        self.count = len(trace["row"])
        empty = np.full(self.count, nan)
        number = np.arange(1, self.count + 1)
        step = eta * bound.radius
        self.record: Record = {
            "mistake": number,
            "row": np.asarray(trace["row"]),
            "progress": empty,
            "least_progress": number * (eta * bound.margin),
            "squared_norm": empty.copy(),
            "most_squared_norm": number * (step * step),
        }

    def check(self, model: Any) -> None:
        """Raise _TraceError at the first error."""
        if self.count != model.n_updates_:
            raise _TraceError(f"The trace has {self.count} updates, but the model made {model.n_updates_}.")
        self.places = self._places()
        self._check_steps()
        w = self._check_replay(model.fit_intercept)
        if model.keep == "last" and self.count:
            self._check_end(w, model)
        self._check_inequalities()

    def _places(self) -> Places:
        where = {int(number): place for place, number in enumerate(self.rows.numbers)}
        for k, row in enumerate(self.trace["row"].tolist()):
            if row not in where:
                raise _TraceError(f"Mistake {k + 1} names row {row}, which is not among the rows.")
        return np.array([where[row] for row in self.trace["row"].tolist()], dtype=np.intp)

    def _check_steps(self) -> None:
        expected = self.eta * self.rows.weights[self.places]
        wrong = np.flatnonzero(self.trace["change"] != expected)
        if len(wrong):
            k = wrong[0]
            raise _TraceError(
                f"Mistake {k + 1} moved w by {self.trace['change'][k]:g} times its row, not {expected[k]:g}."
            )

    def _check_replay(self, fit_intercept: bool) -> Floats:
        """Replay w in floats. Margins and norms must be those of the trace, up to rounding."""
        w, travelled = np.zeros(self.rows.X.shape[1]), 0.0
        last = len(w) - fit_intercept
        steps = self.trace["change"] * self.rows.labels[self.places]
        lost = (len(w) + 8) * UNDERFLOW_LOSS
        for k, place in enumerate(self.places.tolist()):
            columns, values = self._row(place)
            size = float(np.linalg.norm(values)) + lost**0.5
            slack = 8 * (k + len(w) + 8) * HALF_ULP * travelled
            margin = float(self.rows.labels[place]) * float(values @ w[columns])
            recorded = float(self.trace["margin"][k])
            if not abs(margin - recorded) <= slack * size + lost:
                raise _TraceError(f"Mistake {k + 1} has margin {margin:g} by the rows, but {recorded:g} in the trace.")
            if recorded > 0:
                raise _TraceError(f"Update {k + 1} was not made at a mistake: its margin is {recorded:g}.")
            w[columns] += steps[k] * values
            travelled += abs(float(steps[k])) * size
            norm, recorded = float(np.linalg.norm(w[:last])), float(self.trace["norm"][k])
            if not abs(norm - recorded) <= slack + 8 * (k + len(w) + 8) * HALF_ULP * travelled + lost**0.5:
                raise _TraceError(f"After mistake {k + 1} the norm of w is {norm:g}, but {recorded:g} in the trace.")
            self.record["squared_norm"][k] = float(w @ w)
        self.path_length = travelled
        return w

    def _row(self, place: int) -> tuple[Any, Floats]:
        X = self.rows.X
        if is_sparse(X):
            part = slice(X.indptr[place], X.indptr[place + 1])
            return X.indices[part], X.data[part].astype(np.float64, copy=False)
        return slice(None), X[place].astype(np.float64, copy=False)

    def _check_end(self, w: Floats, model: Any) -> None:
        slack = 16 * (self.count + len(w) + 8) * HALF_ULP * self.path_length + self.count * UNDERFLOW_LOSS
        if not np.abs(w[: len(model.coef_[0])] - model.coef_[0]).max() <= slack:
            raise _TraceError("The trace does not end in the weights of the model.")

    def _check_inequalities(self) -> None:
        unclear = self._undecided_mistakes()
        if self.bound:
            for k in unclear.progress.tolist():
                if not self._has_progress(k + 1):
                    raise _TraceError(f"After mistake {k + 1}, w.w* is below {k + 1} eta gamma.")
        for k in unclear.norm.tolist():
            if not self._is_short(k + 1):
                raise _TraceError(f"After mistake {k + 1}, ||w||^2 is above {k + 1} eta^2 R^2.")

    def _undecided_mistakes(self) -> _Unclear:
        record, number = self.record, self.record["mistake"]
        lost = (number + self.rows.X.shape[1]) * UNDERFLOW_LOSS
        error = 8 * (number + self.rows.X.shape[1] + 8) * HALF_ULP * number * float(self.eta * self.bound.radius)
        unclear = np.empty(0, np.intp)
        if self.bound.hyperplane is not None:
            values, off = progress_of_rows(self.rows, self.bound.hyperplane, self.places)
            weights = self.eta * self.rows.weights[self.places]
            record["progress"] = np.cumsum(weights * values)
            lead = record["progress"] - record["least_progress"]
            unclear = np.flatnonzero(~(lead > error + np.cumsum(weights) * off + lost))
        length = float(self.eta * self.bound.radius) * number
        room = record["most_squared_norm"] - record["squared_norm"]
        return _Unclear(unclear, np.flatnonzero(~(room > 2 * error * length + lost)))

    def _exact_w(self, count: int) -> list[Fraction]:
        """w after so many mistakes, divided by eta, in fractions."""
        total = [Fraction(0)] * self.rows.X.shape[1]
        for place, often in zip(*np.unique(self.places[:count], return_counts=True), strict=True):
            columns, values = self._row(int(place))
            factor = int(often) * Fraction(float(self.rows.weights[place])) * int(self.rows.labels[place])
            named = range(len(total)) if isinstance(columns, slice) else columns.tolist()
            for column, value in zip(named, values.tolist(), strict=True):
                total[column] += factor * Fraction(value)
        return total

    def _has_progress(self, count: int) -> bool:
        assert self.bound.hyperplane is not None
        star = self.bound.hyperplane.weights
        along = sum((a * b for a, b in zip(self._exact_w(count), star, strict=True)), Fraction(0))
        least = (count * Fraction(self.bound.margin)) ** 2 * sum((b * b for b in star), Fraction(0))
        return along > 0 and along**2 >= least

    def _is_short(self, count: int) -> bool:
        if self.bound.radius == inf:
            return True
        square = sum((value * value for value in self._exact_w(count)), Fraction(0))
        return square <= count * Fraction(self.bound.radius) ** 2
