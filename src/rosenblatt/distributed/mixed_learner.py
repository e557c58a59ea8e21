"""A learner whose rows many workers hold. It advances by whole passes: an epoch on each shard, then the mixture."""

import operator
from typing import Any

import numpy as np

from ..engine.run_learner import Inspection, Learner, Planes
from ..foundation.types import Floats, History
from ..parts.losses import LOSSES
from .block_rows import BlockRows
from .block_totals import Totals, inspect_block
from .mixed_state import MixedState, restore_state
from .shard_epoch import MixedProblem, ShardVisit, shard_epoch
from .shards import Shard, shards_of, visit_seed


class MixedLearner(Learner):
    """Iterative parameter mixing (McDonald, Hall and Mann, 2010) of one problem.

    `order` is that of the rows within a block, and of the blocks within a shard. `keep` is what the state keeps.
    """

    def __init__(
        self, rows: BlockRows, problem: MixedProblem, order: str, keep: str, seed: int, start: Planes | None = None
    ) -> None:
        self._rows, self._problem, self._order, self._seed = rows, problem, order, seed
        self.count, self.columns, self.stored_values = rows.count, rows.columns, rows.survey.stored_values
        self.total_weight = rows.total_weight()
        self.is_warm, self.is_traced, self.traces = start is not None, problem.traced, list[History]()
        planes, recipe = problem.labels.plane_count, problem.recipe
        coef, offset = np.zeros((planes, rows.columns)), np.zeros(planes)
        if start is not None:
            coef, offset = np.ascontiguousarray(start[0]), start[1] / recipe.intercept_scaling
        self.state: MixedState = MixedState(coef, offset, keep)
        self._offset_value = float(recipe.intercept_scaling) if recipe.fit_intercept else 0.0
        self._shards = shards_of(rows.survey.block_rows)

    def advance(self, budget: int, last_visit: int) -> None:
        """One pass over all rows, whatever the budget: tasks are not cut."""
        state, recipe = self.state, self._problem.recipe
        if state.checking:
            mistakes = self.inspect(state.coef, state.offset * self._offset_value)[1]
            state.check(mistakes, self.count, LOSSES[recipe.loss].pushes_only_mistakes and not recipe.alpha)
            return
        visits = [self._visit(shard) for shard in self._shards]
        given = self._problem, state.coef, state.offset
        epoch = self._rows.cluster.reduce_shards(shard_epoch, operator.add, visits, *given)
        state.learn(epoch, rests=not recipe.alpha)
        self.traces += epoch.traces

    def _visit(self, shard: Shard) -> tuple[ShardVisit, list[int]]:
        """What a shard does in this epoch, and the numbers of its blocks in the order of their visits."""
        epoch = self.state.passes
        seed = visit_seed(self._seed, 0 if self._order == "shuffle-once" else epoch, shard.number)
        places = shard.visiting_order(self._order, seed)
        first_rows = tuple(shard.first_rows[place] for place in places)
        before = epoch * self.count + shard.first_rows[0]
        visit = ShardVisit(epoch, shard.number, seed, first_rows, steps=epoch * shard.rows, visits=before)
        return visit, [shard.blocks[place] for place in places]

    def inspect(self, coef: Floats, intercept: Floats, gradient: bool = False) -> Inspection:
        given = self._problem, coef, intercept, gradient
        totals: Totals = self._rows.cluster.reduce(inspect_block, operator.add, *given)
        return totals.inspection

    def restore(self, saved: dict[str, Any]) -> None:
        self.state = restore_state(saved, self.state)
