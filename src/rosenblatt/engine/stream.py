"""Learning from rows that pass only once, with room for classes that turn up on the way."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.phrases import count
from ..foundation.types import Codes, Floats, History
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from ..parts.stops import Status
from .column_map import Move
from .run import signs_of


class Stream:
    """Learning from rows that pass once, in the order they come; classes may turn up at any time.

    One class is kept as a plane for "this class", two as one plane for the second, more as one plane each.
    """

    def __init__(self, recipe: Recipe, columns: int, multi_class: str, seed: int) -> None:
        self.recipe, self.columns, self.joint, self.seed = recipe, columns, multi_class == "joint", seed
        self.classes = 0
        self.calls = 0
        self.states: list[_core.State] = []
        self._prepare()

    def _prepare(self) -> None:
        self._native = self.recipe.native(stream=True)

    def __getstate__(self) -> dict[str, Any]:
        kept = ("recipe", "columns", "joint", "seed", "classes", "calls", "states")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def learn(self, rows: _core.Rows, codes: Codes, weights: Floats | None, threads: int) -> None:
        """Visit each row once; all of them, or none if their numbers overflow."""
        rows = self.recipe.lifted(rows)
        one_move = rows.count == 1 and len(self.states) == 1  # nothing to undo if it overflows
        states = self.states if one_move else [state.copy() for state in self.states]
        for k, state in enumerate(states):
            state.new_rows()
            signs = None if self._has_joint_state() else signs_of(codes, 1 if self.classes == 2 else k)
            problem = _core.Problem(rows, signs, None if signs is not None else codes, weights, self._native, threads)
            last = state.visits + rows.count
            while state.visits < last:
                state.advance(problem, max(1, (1 << 22) * rows.count // max(rows.stored_values, 1)), last)
                if state.overflow:
                    raise TooLarge
        self.__dict__.pop("returned", None)
        self.states = states
        self.calls += 1

    def _has_joint_state(self) -> bool:
        return self.joint and self.classes > 2

    def grow(self, places: Sequence[int], classes: int) -> None:
        """Make room for new classes; `places` says which number each old class has now."""
        self.__dict__.pop("returned", None)
        old, self.classes = self.classes, classes
        sources = {place: k for k, place in enumerate(places)}
        if old == 2:
            self._split(joint=self._has_joint_state())
        if self._has_joint_state():
            before = self.states[0] if old else self._fresh(1)
            self.states = [rearranged(before, [(sources.get(k, -1), 1.0) for k in range(classes)])]
        elif classes == 2:
            self.states = [self._fresh(1) if not old else rearranged(self.states[0], [(0, 1.0 if places[0] else -1.0)])]
        else:
            self.states = [self.states[sources[k]] if k in sources else self._fresh(1) for k in range(classes)]

    def _split(self, joint: bool) -> None:
        """One plane for the second of two classes becomes two planes that decide alike."""
        plane = self.states[0]
        half = [(0, -0.5), (0, 0.5)]
        self.states = [rearranged(plane, half)] if joint else [rearranged(plane, [(0, -1.0)]), plane]

    def _fresh(self, planes: int) -> _core.State:
        return _core.State(planes, self.columns, KEEPS[self.recipe.keep].code, self.seed)

    def move(self, move: Move) -> None:
        """Go on with other columns; scores stay what they were."""
        self.__dict__.pop("returned", None)
        self.columns = len(move.sources)
        value = self.recipe.intercept_scaling if self.recipe.fit_intercept else np.inf
        self.states = [moved(state, move, value) for state in self.states]

    def forget(self, averaged: int, steps: int) -> None:
        """Go on as if the average were of so many rows, and falling steps had been so many, if there are more.

        So that a stream is followed wherever it goes, however long it has been going.
        """
        self.__dict__.pop("returned", None)
        self.states = [forgetful(state, averaged, steps) for state in self.states]

    @cached_property
    def returned(self) -> tuple[Floats, Floats]:
        kept = [state.kept() for state in self.states]
        scaling = self.recipe.intercept_scaling if self.recipe.fit_intercept else 0.0
        return np.vstack([coef for coef, _ in kept]), np.concatenate([offset for _, offset in kept]) * scaling

    @property
    def coef(self) -> Floats:
        return self.returned[0]

    @property
    def intercept(self) -> Floats:
        return self.returned[1]

    @property
    def n_iter(self) -> int:
        return 1

    @property
    def n_visits(self) -> int:
        return sum(state.visits for state in self.states)

    @property
    def n_updates(self) -> int:
        return sum(state.updates for state in self.states)

    @property
    def n_mistakes(self) -> int:
        return sum(state.mistakes for state in self.states)

    @property
    def status(self) -> Status:
        seen = max((state.visits for state in self.states), default=0)
        by = f" by {len(self.states)} one-vs-rest planes" if len(self.states) > 1 else ""
        sentence = f"{count(seen, 'row')} streamed, {count(self.n_mistakes, 'mistake')} made on the way{by}"
        return Status(sentence, "stream", self.n_mistakes, seen, 1)

    @property
    def history(self) -> History:
        return {}

    trace = None


def rearranged(state: _core.State, planes: Sequence[tuple[int, float]]) -> _core.State:
    """A copy of a state whose planes are multiples of the old ones; a source of -1 makes a plane of zeros.

    Runs of right answers begin anew: they were runs among fewer classes.
    """
    saved = {**state.__getstate__(), "run": 0, "bar": 0}
    old = saved["planes"]
    for name in ("v", "offset", "banked", "offset_sum", "best", "best_offset"):
        if name in saved:
            values = saved[name].reshape(old, -1)
            new = [factor * values[k] if k >= 0 else np.zeros(values.shape[1]) for k, factor in planes]
            saved[name] = np.concatenate(new)
    saved["planes"] = len(planes)
    return restored(saved)


def moved(state: _core.State, move: Move, offset_value: float) -> _core.State:
    """A copy of a state with other columns, which take their weights from the old ones."""
    saved = state.__getstate__()
    scale, planes = saved["scale"], saved["planes"]
    if "banked" in saved:
        saved["banked"] = saved["banked"] + saved["scale_sum"] * saved["v"]  # as the core folds
    saved |= {"v": saved["v"] * scale, "scale": 1.0, "scale_sum": 0.0, "columns": len(move.sources)}
    for name, offset in (("v", "offset"), ("banked", "offset_sum"), ("best", "best_offset")):
        if name in saved:
            old = saved[name].reshape(planes, -1)
            new = np.where(move.sources >= 0, old.take(np.maximum(move.sources, 0), axis=1) * move.factors, 0.0)
            for to, source, factor in move.more:
                new[:, to] += factor * old[:, source]
            for source, factor in move.offset:
                saved[offset] = saved[offset] + old[:, source] * (factor / offset_value)
            saved[name] = new.reshape(-1)
    return restored(saved)


def forgetful(state: _core.State, averaged: int, steps: int) -> _core.State:
    """A copy of a state whose average and steps are of at most so many rows."""
    if state.averaged <= averaged and state.steps <= steps:
        return state
    saved = state.__getstate__()
    share = min(1.0, averaged / saved["averaged"]) if saved["averaged"] else 1.0
    saved |= {"steps": min(saved["steps"], steps), "averaged": saved["averaged"] * share}
    saved["scale_sum"] *= share
    for name in ("banked", "offset_sum"):
        if name in saved:
            saved[name] = saved[name] * share
    return restored(saved)


def restored(saved: dict[str, Any]) -> _core.State:
    state: _core.State = _core.State.__new__(_core.State)
    state.__setstate__(saved)
    return state
