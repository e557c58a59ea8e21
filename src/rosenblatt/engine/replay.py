"""Repeat a training run and stop it at given visits or updates, to see the weights on the way.

A trace records at which visit the weights moved, but not the weights. The core's `advance` is resumable, so the same
recipe with the same seed runs again and stops there. No weight is computed here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.types import Codes, Floats
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from .class_problems import ClassProblem, class_problems, whole_problem
from .native_state import without_l1_sum

NO_LIMIT = 1 << 40


@dataclass(frozen=True)
class Replay:
    """The runs of one training from weights of 0: one for each problem, in the order of `class_problems`.

    `whole` is the problem of all classes together, by which mistakes and loss are counted.
    """

    rows: _core.Rows
    problems: Sequence[ClassProblem]
    whole: ClassProblem
    recipe: Recipe
    weights: Floats | None
    seed: int

    @property
    def plane_count(self) -> int:
        return sum(problem.plane_count for problem in self.problems)

    def weights_path(self, visits: npt.NDArray[Any], runs: npt.NDArray[Any]) -> Floats:
        """All planes before the first and after each update: an array of updates + 1, planes, columns + 1.

        `visits` tells when each update was made, and `runs` by which run. The offset stands last in its row.
        """
        path = np.zeros((len(visits) + 1, self.plane_count, self.rows.columns + 1))
        for number, problem in enumerate(self.problems):
            updates = np.flatnonzero(runs == number).tolist()
            begin, last = 1, path[0, problem.planes]
            for update, state in zip(updates, self._states_at_visits(problem, visits[updates].tolist()), strict=True):
                path[begin : update + 1, problem.planes] = last
                begin, last = update + 1, self._moving_weights(state, problem)
            path[begin:, problem.planes] = last
        return path

    def quality(self, keep: str, updates: Sequence[Sequence[int]]) -> tuple[Floats, Floats]:
        """Misclassified rows and mean loss of the weights that a keep returns, after so many updates of each run.

        Updates are counted, not visits: the checks of a pocket are visits too, but they move nothing.
        """
        replay = replace(self, recipe=replace(self.recipe, keep=keep))
        whole = replay.whole.native(self.rows, self.weights, replay.recipe, 1)
        total = 1.0 if self.weights is not None else float(self.rows.count)
        runs = (replay._states_at_updates(*one) for one in zip(self.problems, updates, strict=True))
        found = []
        for states in zip(*runs, strict=True):
            kept = [state.kept() for state in states]
            coef = np.ascontiguousarray(np.vstack([plane for plane, _ in kept]))
            offsets = np.concatenate([offset for _, offset in kept]) * self._offset_value
            wrong, _, loss, _, _ = _core.inspect(whole, coef, offsets)
            found.append((float(wrong), loss / total))
        numbers = np.array(found)
        return numbers[:, 0], numbers[:, 1]

    @property
    def _offset_value(self) -> float:
        return float(self.recipe.intercept_scaling) if self.recipe.fit_intercept else 0.0

    def _begin(self, problem: ClassProblem) -> tuple[_core.Problem, _core.State]:
        keep = KEEPS[self.recipe.keep].code
        state = _core.State(problem.plane_count, self.rows.columns, keep, self.seed)
        return problem.native(self.rows, self.weights, self.recipe, 1), state

    def _states_at_visits(self, problem: ClassProblem, visits: Sequence[int]) -> Iterator[_core.State]:
        """The state of one run after so many visits: always the same object, advanced."""
        native, state = self._begin(problem)
        for visit in visits:
            if visit > state.visits:
                state.advance(native, NO_LIMIT, visit, None)
            yield state

    def _states_at_updates(self, problem: ClassProblem, updates: Sequence[int]) -> Iterator[_core.State]:
        """The state of one run after so many updates: `advance` ends when its trace is full."""
        native, state = self._begin(problem)
        for count in updates:
            if count > state.updates:
                state.advance(native, NO_LIMIT, NO_LIMIT, _core.Trace(count - state.updates))
            yield state

    def _moving_weights(self, state: _core.State, problem: ClassProblem) -> Floats:
        """The weights that the updates move, whatever weights are kept: one row a plane, the offset last."""
        if self.recipe.keep == "last":
            coef, offsets = state.kept()
        else:
            saved = without_l1_sum(state)
            coef, offsets = saved["v"].reshape(problem.plane_count, -1) * saved["scale"], saved["offset"]
        return np.column_stack([coef, offsets * self._offset_value])


def replay_training(
    rows: _core.Rows,
    codes: Codes,
    classes: int,
    recipe: Recipe,
    *,
    multi_class: str = "ovr",
    weights: Floats | None = None,
    seed: int = 0,
) -> Replay:
    """The replay of `train` with the same arguments."""
    problems = list(class_problems(codes, classes, multi_class == "joint"))
    return Replay(recipe.lifted(rows), problems, whole_problem(codes, classes), recipe, weights, seed)
