"""What a run trains: rows with their labels, and the state that moves over them.

The rows are in memory here. `distributed/mixed_learner.py` has the learner whose rows are held by many workers.
"""

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.types import Floats, History
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from .class_problems import ClassProblem
from .native_state import restore_state

TRACE_LINES = 4096  # updates that a trace holds before it is drained

Planes = tuple[Floats, Floats]  # weights and offsets
Inspection = tuple[int, float, float, Floats, Floats]  # rows wrong, their weight, loss, margins, gradient


class LearnerState(Protocol):
    """What a run asks of a state: its counts, and the weights that it keeps."""

    @property
    def visits(self) -> int: ...
    @property
    def updates(self) -> int: ...
    @property
    def mistakes(self) -> int: ...
    @property
    def best_mistakes(self) -> float: ...
    @property
    def clean(self) -> bool: ...
    @property
    def overflow(self) -> bool: ...
    def counts(self) -> tuple[int, int, int, float, float, int]: ...
    def kept(self) -> Planes: ...
    def __getstate__(self) -> dict[str, Any]: ...


class Learner(ABC):
    """One problem and its state. `traces` are the updates so far, if they are traced."""

    state: LearnerState
    count: int  # rows
    columns: int
    total_weight: float
    stored_values: int
    is_warm: bool  # whether it started from weights other than 0
    is_traced: bool
    traces: list[History]

    @abstractmethod
    def advance(self, budget: int, last_visit: int) -> None:
        """Move the state by about so many visits, at most until it has made `last_visit` of them."""

    @abstractmethod
    def inspect(self, coef: Floats, intercept: Floats, gradient: bool = False) -> Inspection:
        """What these weights do on all rows, as `_core.inspect` tells it."""

    @abstractmethod
    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from a saved state."""


class NativeLearner(Learner):
    """Rows in memory, and the core's state."""

    def __init__(
        self,
        rows: _core.Rows,
        labels: ClassProblem,
        recipe: Recipe,
        weights: Floats | None = None,
        seed: int = 0,
        threads: int = 1,
        start: Planes | None = None,
        trace: bool = False,
    ) -> None:
        recipe.check_columns(rows.columns)
        self.count, self.columns, self.stored_values = rows.count, rows.columns, rows.stored_values
        with np.errstate(over="ignore"):
            self.total_weight = float(rows.count if weights is None else weights.sum())
        if np.isinf(self.total_weight):
            raise TooLarge
        self.problem = labels.native(rows, weights, recipe, threads)
        self.state: _core.State = _core.State(labels.plane_count, rows.columns, KEEPS[recipe.keep].code, seed)
        self.is_warm = start is not None
        if start is not None:
            coef, intercept = start
            self.state.set_weights(np.ascontiguousarray(coef), intercept / recipe.intercept_scaling)
        self.is_traced, self.traces = trace, []
        self._trace = _core.Trace(TRACE_LINES) if trace else None

    def advance(self, budget: int, last_visit: int) -> None:
        self.state.advance(self.problem, budget, last_visit, self._trace)
        if self._trace is not None and not self.state.overflow:
            self.traces.append(self._trace.drain())

    def inspect(self, coef: Floats, intercept: Floats, gradient: bool = False) -> Inspection:
        return _core.inspect(self.problem, coef, intercept, gradient=gradient)

    def restore(self, saved: dict[str, Any]) -> None:
        state = restore_state(saved)
        if state.kept()[0].shape != self.state.kept()[0].shape:
            raise ValueError("its weights are not of these columns")
        self.state = state
