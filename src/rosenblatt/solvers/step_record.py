"""The history of a solver: one line a step, with the clock that goes on after a checkpoint."""

import time

import numpy as np

from ..engine.resume import Tree
from ..foundation.types import History


class StepRecord:
    """Visits, objective, distance from the optimum and seconds after each step.

    `distance` names the third column, "gradient" or "gap". `saved` is a tree that an earlier run left, or empty.
    """

    def __init__(self, distance: str, saved: Tree) -> None:
        self._names = ("visits", "objective", distance, "seconds")
        lines = saved.get("record")
        columns = [] if not lines else [lines[name].tolist() for name in self._names]
        self.lines: list[tuple[int, float, float, float]] = list(zip(*columns, strict=True))
        self._began: float = time.perf_counter() - saved.get("seconds", 0.0)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def seconds(self) -> float:
        """Seconds since the run began, those before a checkpoint included."""
        return time.perf_counter() - self._began

    def add(self, visits: int, objective: float, distance: float, seconds: float) -> None:
        self.lines.append((visits, objective, distance, seconds))

    def history(self) -> History:
        """The columns as arrays."""
        columns = zip(*self.lines, strict=True) if self.lines else [()] * 4
        return {name: np.array(column) for name, column in zip(self._names, columns, strict=True)}

    def tree(self) -> Tree:
        """What a checkpoint keeps."""
        return {"record": self.history() if self.lines else None, "seconds": self.seconds}
