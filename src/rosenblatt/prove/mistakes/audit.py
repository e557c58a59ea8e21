"""Check the trace of a perceptron against Novikoff's proof, update by update. `mistake_bound.py` has the proof."""

from dataclasses import dataclass
from fractions import Fraction
from math import nan
from typing import Any, NamedTuple

import numpy as np

from ...foundation.label_sets import refuse_several_labels
from ...foundation.labels import class_factors, codes_of
from ...foundation.notebook_html import ShownInNotebooks
from ...foundation.types import Floats, Places
from ...parts.features import features_of
from ..margin.class_hulls import HALF_ULP
from .audit_mixing import MixedAudit, audit_mixing
from .audit_text import audit_picture, audit_text
from .mistake_bound import MistakeBound, PerceptronRows, novikoff_bound, progress_of_rows
from .traced_rows import UNDERFLOW_LOSS, Record, TracedRows, TraceError, has_progress, is_short

MAX_TABLE_LINES = 12


@dataclass(frozen=True)
class Audit(ShownInNotebooks):
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

    def _picture(self) -> str:
        return audit_picture(self.record, "at each mistake") if self.mistakes else ""

    def __str__(self) -> str:
        names = ("mistake", "row", "w.w*", "at least", "||w||^2", "at most")
        columns = [self.record[name] for name in RECORD_COLUMNS]
        cells = [[column[place] for column in columns] for place in _printed_places(self.mistakes)]
        return audit_text(names, cells, f"{self.mistakes} mistakes", self.bound, self.why_not, "at every mistake")


RECORD_COLUMNS = ("mistake", "row", "progress", "least_progress", "squared_norm", "most_squared_norm")


def _printed_places(count: int) -> list[int]:
    """
    >>> _printed_places(3), _printed_places(40)
    ([0, 1, 2], [0, 1, 3, 7, 15, 31, 39])
    """
    if count <= MAX_TABLE_LINES:
        return list(range(count))
    return [*(2**power - 1 for power in range(count.bit_length()) if 2**power < count), count - 1]


def audit(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Audit | MixedAudit:
    """Replay the trace of a perceptron and check both inequalities of Novikoff's proof at every mistake.

    The model must have been fitted with `trace=True` on these rows, labels and weights. Every update must name a row,
    be made at a mistake, move w by eta times the row, and give w the norm that the trace records. Then
    w.w* >= k eta gamma and ||w||^2 <= k eta^2 R^2 are checked, in exact arithmetic if rounding could decide. With
    `keep="average"`, "best" and "vote", the trace and the audit are about the weights that move. The trace of shards
    that were mixed on many workers gives a `MixedAudit`, of the same inequalities after every epoch.

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
    eta, margin = float(model.eta0), float(model.margin)
    bound, traced = novikoff_bound(rows, margin, eta), TracedRows(rows, eta, trace, margin)
    if "shard" in trace:
        return audit_mixing(model, traced, bound)
    replay = _Replay(traced, bound)
    try:
        with np.errstate(all="ignore"):  # numbers out of the range of floats are checked in fractions
            replay.check(model)
    except TraceError as reason:
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
    if not model.learns_weights:
        raise ValueError(
            f"audit replays weights, and a {name} has none: a Perceptron with features='polynomial-2' makes the "
            "same updates as that kernel."
        )
    if parts["order"] == "batch":
        raise ValueError(
            "order='batch' moves by many rows at once, to which Novikoff's bound does not apply: use another order."
        )
    if model._learned.warm:
        raise ValueError(
            f"Novikoff's bound is about weights that start from 0, but this {name} started from the weights of an "
            "earlier fit: set warm_start=False and fit it again with trace=True."
        )
    refuse_several_labels(model, "audit")
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

    def __init__(self, traced: TracedRows, bound: MistakeBound) -> None:
        self.traced, self.bound, self.eta = traced, bound, traced.eta
        eta, trace = traced.eta, traced.trace
        empty = np.full(self.traced.count, nan)
        number = np.arange(1, self.traced.count + 1)
        step = eta * bound.radius
        self.record: Record = {
            "mistake": number,
            "row": np.asarray(trace["row"]),
            "progress": empty,
            "least_progress": number * (eta * bound.margin),
            "squared_norm": empty.copy(),
            "most_squared_norm": number * (step * step + eta * eta * bound.slack),
        }

    def check(self, model: Any) -> None:
        """Raise TraceError at the first error."""
        self.traced.check_steps(model)
        w, travelled = np.zeros(self.traced.columns), 0.0
        for k in range(self.traced.count):
            travelled = self.traced.replay(k, w, travelled, roundings=k)
            self.record["squared_norm"][k] = float(w @ w)
        self.traced.check_end(w, model, travelled, roundings=self.traced.count)
        self._check_inequalities()

    def _check_inequalities(self) -> None:
        unclear = self._undecided_mistakes()
        if self.bound:
            for k in unclear.progress.tolist():
                if not has_progress(self._exact_w(k + 1), Fraction(k + 1), self.bound):
                    raise TraceError(f"After mistake {k + 1}, w.w* is below {k + 1} eta gamma.")
        for k in unclear.norm.tolist():
            if not is_short(self._exact_w(k + 1), Fraction(k + 1), self.bound):
                raise TraceError(f"After mistake {k + 1}, ||w||^2 is above {k + 1} eta^2 R^2.")

    def _undecided_mistakes(self) -> _Unclear:
        record, number, traced = self.record, self.record["mistake"], self.traced
        lost = (number + traced.columns) * UNDERFLOW_LOSS
        error = 8 * (number + traced.columns + 8) * HALF_ULP * number * float(self.eta * self.bound.radius)
        unclear = np.empty(0, np.intp)
        if self.bound.hyperplane is not None:
            values, off = progress_of_rows(traced.rows, self.bound.hyperplane, traced.places)
            weights = self.eta * traced.rows.weights[traced.places]
            record["progress"] = np.cumsum(weights * values)
            lead = record["progress"] - record["least_progress"]
            unclear = np.flatnonzero(~(lead > error + np.cumsum(weights) * off + lost))
        length = float(self.eta * self.bound.radius) * number
        room = record["most_squared_norm"] - record["squared_norm"]
        return _Unclear(unclear, np.flatnonzero(~(room > 2 * error * length + lost)))

    def _exact_w(self, count: int) -> list[Fraction]:
        """w after so many mistakes, divided by eta, in fractions."""
        places, often = np.unique(self.traced.places[:count], return_counts=True)
        return self.traced.exact_sum(dict(zip(places.tolist(), map(Fraction, often.tolist()), strict=True)))
