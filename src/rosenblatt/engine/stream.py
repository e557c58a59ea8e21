"""Learn from rows that pass only once. New classes may appear at any time."""

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.errors import TooLarge
from ..foundation.phrases import count
from ..foundation.types import Codes, Floats, History, Mask
from ..parts.keeps import KEEPS
from ..parts.recipe import Recipe
from ..parts.steps import ALMA
from ..parts.stops import Status
from .class_problems import class_problems
from .column_map import ColumnMap
from .native_state import combine_planes, limit_memory, remap_columns, restore_state, with_updates

Trainers = dict[int, tuple[int]]  # the models in training, and who trains them


class Stream:
    """Learns from rows in the order they arrive, each once. New classes may appear at any time.

    One class is kept as a plane for "this class", two as one plane for the second, more as one plane each. Where a row
    may have several labels (`label_form` says how they are given), each label has a plane, whatever their number.
    """

    label_form: str | None = None

    parameters: Mapping[str, Any] | None = None  # those that are known to make its recipe; the caller's note

    def __init__(
        self, recipe: Recipe, columns: int, multi_class: str, seed: int, label_form: str | None = None
    ) -> None:
        self.recipe, self.columns, self.joint, self.seed = recipe, columns, multi_class == "joint", seed
        self.label_form = label_form
        recipe.check_columns(columns)
        if recipe.keep == "vote":
            raise ValueError(
                "keep='vote' does not go with rows that are seen once, because the vote keeps every row that moved w: "
                "call fit with all rows, or choose keep='average'."
            )
        self.classes = 0
        self.calls = 0
        self.states: list[_core.State] = []
        self._prepare()

    def _prepare(self) -> None:
        self._returned: tuple[list[_core.State], tuple[Floats, Floats]] | None = None
        self._native = self.recipe.native(stream=True)
        self._row_learner: tuple[_core.State, _core.RowLearner] | None = None

    def __getstate__(self) -> dict[str, Any]:
        kept = ("recipe", "columns", "joint", "seed", "classes", "calls", "states", "label_form")
        return {name: self.__dict__[name] for name in kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def learn(self, rows: _core.Rows, codes: Codes | Mask, weights: Floats | None, threads: int) -> None:
        """Visit each row once. If numbers overflow, no row counts."""
        self._visit(rows, codes, weights, threads)

    def prepare_for_rows(
        self, labels: Sequence[Any], names: npt.NDArray[Any] | None, parameters: dict[str, Any], trainers: Trainers
    ) -> None:
        """Make `learn_row` ready, if there are two classes. `labels` are the classes as Python's values.

        `names` are those of the columns, if they have any. `parameters` are those that make the recipe; ... stands for
        a name that must not be there. While there are `trainers`, no row takes the short way.
        """
        if self.classes == 2 and self.label_form is None:
            [state], signs = self.states, {labels[0]: -1, labels[1]: 1}
            known = self.columns, names, signs, parameters, trainers, np.ndarray
            self._row_learner = state, _core.RowLearner(state, self._native, *known)

    def is_ready_for_rows(self, parameters: dict[str, Any]) -> bool:
        """Whether `learn_row` is ready for a model with these parameters."""
        ready = self._row_learner
        return ready is not None and self.states[0] is ready[0] and ready[1].is_for(parameters)

    def learn_row(self, parameters: dict[str, Any], X: Any, y: Any) -> bool:
        """Visit the one row of X as `learn` does, if it is plain and the parameters are still the same objects.

        X is an array, list or sparse matrix, or a data frame with the names that are known; y is an array, list or
        series of one known label. Otherwise nothing happens and the answer is False.
        """
        ready = self._row_learner
        if ready is None or not ready[1].learn(parameters, self, X, y):
            return False
        self.states = [ready[0]]  # a new list: its weights are computed anew
        self.calls += 1
        return True

    def predict_and_learn(
        self,
        rows: _core.Rows,
        codes: Codes | Mask,
        weights: Floats | None,
        threads: int,
        predicted: _core.Rows | None = None,
    ) -> Floats:
        """Score each row by the weights that `returned` has just before it, then visit it; return the scores.

        There is one score for each row of `returned`'s weights, with the bits that `_core.scores` gives. `predicted`
        are the rows to score, if the rows to learn differ from them. Only the order "batch" scores all rows first.
        """
        return np.hstack(self._visit(rows, codes, weights, threads, rows if predicted is None else predicted))

    def _visit(
        self,
        rows: _core.Rows,
        codes: Codes | Mask,
        weights: Floats | None,
        threads: int,
        predicted: _core.Rows | None = None,
    ) -> list[Floats]:
        """Visit each row once, and return the scores that each state gives to the `predicted` rows."""
        rows = self.recipe.lifted(rows)
        predicted = None if predicted is None else self.recipe.lifted(predicted)
        one_move = rows.count == 1 and len(self.states) == 1  # nothing to undo if it overflows
        states = self.states if one_move else [state.copy() for state in self.states]
        slice_visits = max(1, (1 << 22) * rows.count // max(rows.stored_values, 1))
        scores = []
        for state, labels in zip(states, class_problems(codes, self.classes, self.joint), strict=True):
            state.new_rows()
            problem = _core.Problem(rows, labels.signs, labels.codes, weights, self._native, threads)
            last = state.visits + rows.count
            if predicted is not None:
                scores.append(np.empty((rows.count, labels.plane_count)))
            while state.visits < last:
                if predicted is None:
                    state.advance(problem, slice_visits, last)
                else:
                    state.predict_and_advance(problem, slice_visits, last, predicted, scores[-1])
                if state.overflow:
                    raise TooLarge
        self.states = list(states)  # a new list: its weights are computed anew
        self.calls += 1
        return scores

    def _has_joint_state(self) -> bool:
        return self.joint and self.classes > 2 and self.label_form is None

    def grow(self, places: Sequence[int], classes: int) -> None:
        """Make room for new classes; `places` says which number each old class has now."""
        old, self.classes = self.classes, classes
        sources = {place: k for k, place in enumerate(places)}
        whole = self.label_form is None  # one plane for two classes
        if old == 2 and whole:
            self._split(joint=self._has_joint_state())
        if self._has_joint_state():
            before = self.states[0] if old else self._fresh(1)
            self.states = [combine_planes(before, [(sources.get(k, -1), 1.0) for k in range(classes)])]
        elif classes == 2 and whole:
            self.states = [
                self._fresh(1) if not old else combine_planes(self.states[0], [(0, 1.0 if places[0] else -1.0)])
            ]
        else:
            self.states = [self.states[sources[k]] if k in sources else self._fresh(1) for k in range(classes)]

    def go_on_from(self, coef: Floats, intercept: Floats, updates: int, classes: int) -> None:
        """Start from the weights of so many classes that so many updates have made."""
        self.grow([], classes)
        parts = len(self.states)
        planes, offsets = np.split(coef, parts), np.split(intercept / self.recipe.intercept_scaling, parts)
        for state, plane, offset in zip(self.states, planes, offsets, strict=True):
            state.set_weights(plane, offset)
        if self.recipe.step in ALMA:  # its steps decrease with the updates
            self.states = [with_updates(state, updates // parts) for state in self.states]

    def _split(self, joint: bool) -> None:
        """One plane for the second of two classes becomes two planes that decide alike."""
        plane = self.states[0]
        half = [(0, -0.5), (0, 0.5)]
        self.states = [combine_planes(plane, half)] if joint else [combine_planes(plane, [(0, -1.0)]), plane]

    def _fresh(self, planes: int) -> _core.State:
        return _core.State(planes, self.columns, KEEPS[self.recipe.keep].code, self.seed)

    def remap(self, columns: ColumnMap) -> None:
        """Go on with other columns; scores stay what they were."""
        self.columns = len(columns.sources)
        value = self.recipe.intercept_scaling if self.recipe.fit_intercept else np.inf
        self.states = [remap_columns(state, columns, value) for state in self.states]

    def limit_memory(self, averaged: int, steps: int) -> None:
        """Count at most so many rows in the average, and at most so many in the falling steps.

        A long stream can then still be followed when it changes.
        """
        self.states = [limit_memory(state, averaged, steps) for state in self.states]

    def snapshot(self) -> "Stream":
        """A copy that rows to come do not change."""
        new = copy(self)
        new.states = [state.copy() for state in self.states]
        return new

    def without_call_counts(self) -> "Stream":
        """A copy that does not tell in how many calls its rows were learned: equal rows make equal files."""
        new = copy(self)
        new.calls = 1
        new.states = [restore_state({**state.__getstate__(), "passes": 1}) for state in self.states]
        return new

    @property
    def returned(self) -> tuple[Floats, Floats]:
        """The weights and offsets of the present states, computed once: whatever changes states makes a new list."""
        states, weights = self.states, self._returned
        if weights is None or weights[0] is not states:
            self._returned = weights = (states, self._weights_of(states))
        return weights[1]

    def _weights_of(self, states: list[_core.State]) -> tuple[Floats, Floats]:
        kept = [state.kept() for state in states]
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
        kind = "one-vs-rest planes" if self.label_form is None else "planes, one a label"
        by = f" by {len(self.states)} {kind}" if len(self.states) > 1 else ""
        sentence = f"{count(seen, 'row')} streamed, {count(self.n_mistakes, 'mistake')} made on the way{by}"
        return Status(sentence, "stream", self.n_mistakes, seen, 1)

    @property
    def history(self) -> History:
        return {}

    trace = None
    vote = None
