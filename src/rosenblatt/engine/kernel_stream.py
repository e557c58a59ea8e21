"""Training in the space of a kernel: the rows that a model keeps, after `fit` or while rows arrive."""

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..foundation.types import Codes, Floats, Mask, Places
from ..parts.kernels import Kernel, Support, gram_beside_support, stack_rows
from ..parts.recipe import Recipe
from .native_state import select_columns
from .result import TrainingResult
from .stream import Stream


@dataclass(frozen=True)
class KernelResult(TrainingResult):
    """A result whose alphas are those of the support alone; of a precomputed kernel, those of all rows."""

    support: Support | None = None


class KernelStream(Stream):
    """Rows that pass once, in the space of a kernel. Rows that moved w are kept."""

    def __init__(
        self, recipe: Recipe, kernel: Kernel, budget: int, multi_class: str, seed: int, label_form: str | None = None
    ) -> None:
        super().__init__(recipe, 0, multi_class, seed, label_form)
        self.kernel, self.budget = kernel, budget
        self.support: Support | None = None
        self.cache_size = 0.0
        self.coming: Any = None

    def __getstate__(self) -> dict[str, Any]:
        kept = ("kernel", "budget", "support", "cache_size", "coming")
        return super().__getstate__() | {name: self.__dict__[name] for name in kept}

    def with_room_for(self, X: Any, cache_size: float) -> "KernelStream":
        """A copy with room for the alphas of new rows, which `learn` visits next. This stream stays as it is."""
        new = copy(self)
        new.coming, new.cache_size = X, cache_size
        new.columns = self.columns + X.shape[0]
        new.states = [select_columns(state, np.arange(new.columns)) for state in self.states]
        return new

    def _visit(
        self,
        rows: _core.Rows,
        codes: Codes | Mask,
        weights: Floats | None,
        threads: int,
        predicted: _core.Rows | None = None,
    ) -> list[Floats]:
        """Visit each row once, as a row of the kernel matrix. Keep the rows that have an alpha afterwards."""
        gram = gram_beside_support(self.kernel, self.coming, self.support, self.budget, self.cache_size, threads)
        visited = gram.rows()
        scores = super()._visit(visited, codes, weights, threads, None if predicted is None else visited)
        saved = [state.__getstate__() for state in self.states]
        used = np.zeros(self.columns, bool)
        for state in saved:
            for name in ("v", "banked", "best"):
                if name in state:
                    used |= state[name].reshape(state["planes"], -1).any(axis=0)
        stay = np.flatnonzero(used)
        self.support = self._kept(stay, gram.diagonal())
        self.columns, self.coming = len(stay), None
        self.states = [select_columns(state, stay) for state in self.states]
        return scores

    def _kept(self, stay: Places, diagonal: Floats) -> Support:
        old = 0 if self.support is None else len(self.support)
        new = self.coming[stay[stay >= old] - old]
        if self.support is None or not old:
            return Support(self.kernel, new, None, diagonal[stay])
        return Support(self.kernel, stack_rows(self.support.X[stay[stay < old]], new), None, diagonal[stay])
