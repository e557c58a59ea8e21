"""What a fit trains: the plan, the checked rows with their classes and weights, and the seed."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .. import _core
from ..engine.held_out import HeldOut
from ..engine.replay import Replay, replay_training
from ..foundation.errors import TooLarge
from ..foundation.label_sets import LabelSets
from ..foundation.matrices import as_rows
from ..foundation.splitting import split
from ..foundation.types import Codes, Floats, Labels
from ..parts.features import Features
from ..parts.kernels import Kernel
from ..solvers.training_plan import TrainingPlan
from ..solvers.tuning.tuning import Tuning
from .validation import Examples


@dataclass(frozen=True)
class TrainingProblem:
    """All that decides a fit from weights of 0.

    `rows` are the rows that the solver visits (lifted, or rows of a kernel matrix), `codes` and `weights` their classes
    and weights. With early stopping these are not all rows of `data`: `kept` are the numbers of those that stay. Where
    a row may have several labels, `classes` are these, and `sets` takes the place of `codes`.
    """

    plan: TrainingPlan
    data: Examples
    classes: Labels
    rows: _core.Rows
    codes: Codes
    weights: Floats | None
    seed: int
    held_out: HeldOut | None = None
    kept: npt.NDArray[np.intp] | None = None
    tuning: Tuning | None = None  # what was tried to choose the plan's C

    @property
    def label_form(self) -> str | None:
        """How several labels a row were given; None if a row has one."""
        return self.data.label_form

    @property
    def sets(self) -> LabelSets:
        """The labels of rows that may have several."""
        assert isinstance(self.data.labels, LabelSets)
        return self.data.labels

    @property
    def total_weight(self) -> float:
        if self.weights is None:
            return float(self.rows.count)
        with np.errstate(over="ignore"):
            total = float(self.weights.sum())
        if not np.isfinite(total):
            raise TooLarge
        return total

    def hold_out(self, fraction: float, features: Features) -> "TrainingProblem":
        """The same problem with a share of each class held out."""
        kept, out = split(self.codes, fraction, self.seed)
        if not len(out):
            raise ValueError(
                f"validation_fraction={fraction!r} of {len(self.codes)} rows holds out none of any class: raise it, "
                "or set early_stopping=False."
            )
        X, codes, weights = self.data.X, self.codes, self.weights
        held_out = HeldOut(features.lifted(as_rows(X[out])), codes[out], None if weights is None else weights[out])
        return replace(
            self,
            rows=features.lifted(as_rows(X[kept])),
            codes=codes[kept],
            weights=None if weights is None else weights[kept],
            held_out=held_out,
            kept=kept,
        )

    def replay(self) -> Replay:
        """The training loop of the fit, to be run again step by step."""
        classes, multi_class = len(self.classes), self.plan.multi_class
        recipe, weights = self.plan.loop(self.rows, classes, self.weights, self.total_weight, 1)
        return replay_training(
            self.rows, self.codes, classes, recipe, multi_class=multi_class, weights=weights, seed=self.seed
        )


@dataclass(frozen=True, kw_only=True)
class KernelProblem(TrainingProblem):
    """What a fit with a kernel trains: `rows` are those of the kernel matrix `gram`. `began` is when it was started."""

    kernel: Kernel
    gram: _core.Gram
    began: float
