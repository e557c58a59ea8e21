"""A learner with its working set on the driver: it learns the hardest rows there, and workers check all rows.

A check is a pass over all blocks. If a row is wrong, the hardest rows travel to the driver, where the core learns them
in its own working-set order until they are right. Every update is on a row that is wrong at that moment, so Novikoff's
bound holds. The set depends on the rows and the seed alone, never on workers.
"""

from typing import Any

import numpy as np

from .. import _core
from ..engine.native_state import restore_state
from ..engine.run_learner import TRACE_LINES, Inspection, Learner, Planes
from ..foundation.types import Floats, History, Places
from ..parts.keeps import KEEPS
from ..solvers.separation_check import is_proved_inseparable
from .block import LoadedBlock
from .block_rows import BlockRows
from .block_totals import Totals, inspect_block
from .chosen_rows import fetch_rows, joined_rows
from .hardest_rows import HardestRows, hardest_rows
from .shard_epoch import MixedProblem

SMALLEST_SET = 256  # rows; the same in the core
MAX_NUMBERS = 1 << 25  # stored in the rows of a set


def set_size(rows: int, stored_values: int) -> int:
    """The rows of a working set: a quarter of all rows, or a quarter of a quarter and so on that is small enough.

    >>> set_size(200, 400), set_size(1_000_000, 50_000_000), set_size(100_000_000, 5_000_000_000)
    (200, 250000, 390625)
    """
    size = rows
    while size > SMALLEST_SET and (size == rows or size * (stored_values // rows) > MAX_NUMBERS):
        size //= 4
    return size


class WorkingSetState:
    """The core's state of the rows on the driver. `checked` counts the visits of checks by workers.

    `numbers` are those of the rows on the driver; without any a check is next.
    """

    def __init__(
        self, native: _core.State, checked: int = 0, numbers: Places | None = None, clean: bool = False
    ) -> None:
        self.native, self.checked, self.numbers, self.clean = native, checked, numbers, clean

    @property
    def visits(self) -> int:
        return self.native.visits + self.checked

    @property
    def updates(self) -> int:
        return self.native.updates

    @property
    def mistakes(self) -> int:
        return self.native.mistakes

    @property
    def best_mistakes(self) -> float:
        return self.native.best_mistakes

    @property
    def overflow(self) -> bool:
        return self.native.overflow

    def counts(self) -> tuple[int, int, int, float, float, int]:
        visits, *others = self.native.counts()
        return (visits + self.checked, *others)  # type: ignore[return-value]

    def kept(self) -> Planes:
        return self.native.kept()

    def now(self) -> Planes:
        """The present weights, which the next visit sees."""
        saved = self.native.__getstate__()
        return (saved["scale"] * saved["v"]).reshape(saved["planes"], -1), saved["offset"]

    def begin_set(self, numbers: Places) -> None:
        """Go on with other rows on the driver."""
        begin = {"level": 0, "run": 0, "position": 0, "check_position": 0, "check_mistakes": 0.0, "checking": False}
        self.native = restore_state({**self.native.__getstate__(), **begin, "clean": False})
        self.numbers = numbers

    def __getstate__(self) -> dict[str, Any]:
        own = {"checked": self.checked, "numbers": self.numbers, "clean": self.clean}
        return {"native": self.native.__getstate__(), **own}


class WorkingSetLearner(Learner):
    """One problem in the working-set order, whose rows many workers hold."""

    def __init__(self, rows: BlockRows, problem: MixedProblem, seed: int, start: Planes | None = None) -> None:
        self._rows, self._problem, self._seed = rows, problem, seed
        self.count, self.columns, self.stored_values = rows.count, rows.columns, rows.survey.stored_values
        self.total_weight = rows.total_weight()
        self.is_warm, self.is_traced, self.traces = start is not None, problem.traced, list[History]()
        recipe = problem.recipe
        native = _core.State(problem.labels.plane_count, rows.columns, KEEPS[recipe.keep].code, seed)
        if start is not None:
            native.set_weights(np.ascontiguousarray(start[0]), start[1] / recipe.intercept_scaling)
        self.state: WorkingSetState = WorkingSetState(native)
        self._offset_value = float(recipe.intercept_scaling) if recipe.fit_intercept else 0.0
        self._starts = np.append(0, np.cumsum(rows.survey.block_rows))
        self._trace = _core.Trace(TRACE_LINES) if problem.traced else None
        self._held: LoadedBlock | None = None  # the rows of the set
        self._native_problem: _core.Problem | None = None

    def advance(self, budget: int, last_visit: int) -> None:
        """Learn on the driver, or check all rows by one pass, whatever the budget."""
        state = self.state
        if state.numbers is None:
            self._check()
            return
        if self._native_problem is None:
            self._fetch(state.numbers)
        assert self._native_problem is not None
        state.native.advance(self._native_problem, budget, last_visit - state.checked, self._trace)
        if self._trace is not None and not state.overflow:
            self.traces.append(self._located(self._trace.drain(), state.numbers))
        if state.native.clean:
            state.numbers, self._native_problem = None, None

    def _check(self) -> None:
        coef, offset = self.state.now()
        most = set_size(self.count, self.stored_values)
        shards = [(int(first), [place]) for place, first in enumerate(self._starts[:-1])]
        given = self._problem, coef, offset * self._offset_value, self._seed, most
        found: HardestRows = self._rows.cluster.reduce_shards(hardest_rows, HardestRows.__add__, shards, *given)
        self.state.checked += self.count
        if found.wrong:
            self.state.begin_set(found.numbers)
        else:
            self.state.clean = True

    def _fetch(self, numbers: Places) -> None:
        self._held = joined_rows(fetch_rows(self._rows.cluster, self._starts, numbers))
        self._native_problem = self._problem.native(self._held)

    def _located(self, lines: History, numbers: Places) -> History:
        """Lines of a trace with numbers of all rows and visits."""
        return {**lines, "row": numbers[lines["row"]], "visit": lines["visit"] + self.state.checked}

    def is_inseparable(self) -> bool:
        """Whether the rows on the driver prove that no weights classify all rows correctly."""
        if self._held is None:
            return False
        rows, labels = self._problem.rows.rows(self._held), self._problem.labels.relabel(self._held.codes)
        return is_proved_inseparable(rows.rows, bool(self._problem.recipe.fit_intercept), labels)

    def inspect(self, coef: Floats, intercept: Floats, gradient: bool = False) -> Inspection:
        given = self._problem, coef, intercept, gradient
        totals: Totals = self._rows.cluster.reduce(inspect_block, Totals.__add__, *given)
        return totals.inspection

    def restore(self, saved: dict[str, Any]) -> None:
        native = restore_state(saved["native"])
        if native.kept()[0].shape != self.state.kept()[0].shape:
            raise ValueError("its weights are not of these columns")
        self.state = WorkingSetState(native, saved["checked"], saved["numbers"], saved["clean"])
        self._native_problem = None
