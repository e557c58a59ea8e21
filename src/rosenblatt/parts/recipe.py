"""A learner is a recipe: loss x penalty x order x step x keep x stop x features.

A `Recipe` checks each part and their combination before training, and converts to the struct that the core reads.
"""

from dataclasses import dataclass, field

import numpy as np

from .. import _core
from ..foundation.types import Floats
from .features import Features, as_features
from .keeps import KEEPS
from .losses import LOSSES
from .orders import ORDERS, WHOLE_PASSES
from .parameter_checks import check_nonzero, check_positive, check_share, check_whole_number, refuse_together
from .part import choose
from .steps import ALMA, PASSIVE_AGGRESSIVE, SCHEDULES, SECOND_ORDER, STEPS
from .stops import CRITERIA, Stops

MOST_FULL_COLUMNS = 4096  # a covariance matrix of so many columns has 134 MB a plane


@dataclass(frozen=True)
class Recipe:
    """The parts of a learner.

    >>> Recipe(order="working-set").keep
    'last'
    >>> Recipe(step="pa")
    Traceback (most recent call last):
        ...
    ValueError: step='pa' does not go with loss='perceptron': passive-aggressive steps are made for the hinge loss.
    """

    loss: str = "perceptron"
    order: str = "shuffle"
    step: str = "constant"
    keep: str = "last"
    features: str | Features = "identity"
    eta0: float = 1.0
    C: float = 1.0
    margin: float = 0.0  # a row pushes unless its margin is larger; of the step "alma", the share of the widest margin
    alpha: float = 0.0
    l1_ratio: float = 0.0  # the share of ||w||_1 in the penalty; the rest is 1/2 ||w||^2
    fit_intercept: bool = True
    intercept_scaling: float = 1.0
    penalize_intercept: bool = False
    stops: Stops = field(default_factory=Stops)

    def __post_init__(self) -> None:
        self._check_each()
        self._check_together()

    def _check_each(self) -> None:
        choose("loss", self.loss, LOSSES)
        choose("order", self.order, ORDERS)
        choose("step", self.step, STEPS)
        choose("keep", self.keep, KEEPS)
        as_features(self.features)
        choose("criterion", self.stops.criterion, CRITERIA)
        check_positive("eta0", self.eta0)
        check_positive("C", self.C)
        check_positive("margin", self.margin, or_zero=True)
        check_positive("alpha", self.alpha, or_zero=True)
        check_share("l1_ratio", self.l1_ratio)
        check_nonzero("intercept_scaling", self.intercept_scaling)
        check_positive("tol", self.stops.tol, or_zero=True)
        check_whole_number("max_iter", self.stops.max_iter)
        if self.stops.n_iter_no_change is not None:
            check_whole_number("n_iter_no_change", self.stops.n_iter_no_change)
        if self.stops.max_seconds is not None:
            check_positive("max_seconds", self.stops.max_seconds)

    def _check_together(self) -> None:
        """Refuse parts that do not go together, naming both. docs/parameters.md has the same table."""
        self._check_margin()
        self._check_alma()
        self._check_second_order()
        self._check_passive_aggressive()
        self._check_vote()
        if STEPS[self.step].needs_penalty and self.alpha == 0:
            refuse_together("step", self.step, "penalty", "none", "its size is 1 / (alpha t)")
        self._check_l1()
        self._check_working_set()

    def _check_passive_aggressive(self) -> None:
        if self.step not in PASSIVE_AGGRESSIVE:
            return
        if self.loss != "hinge":
            refuse_together(
                "step", self.step, "loss", self.loss, "passive-aggressive steps are made for the hinge loss"
            )
        if self.order == "batch":
            refuse_together("step", self.step, "order", self.order, "a passive-aggressive step looks at one row")
        if self.alpha != 0:
            refuse_together("step", self.step, "penalty", "l2", "C already bounds how far a row moves w")

    def _check_working_set(self) -> None:
        if self.order != "working-set":
            return
        if not LOSSES[self.loss].pushes_only_mistakes:
            refuse_together(
                "order",
                self.order,
                "loss",
                self.loss,
                "the set is done when no row pushes, and this loss keeps pushing",
            )
        if self.alpha != 0:
            refuse_together(
                "order", self.order, "penalty", "l2", "the set is done when no row pushes, and a penalty keeps pushing"
            )
        if self.keep == "best":
            refuse_together(
                "order", self.order, "keep", self.keep, "while its hard rows clash it looks at no others to compare"
            )

    def _check_margin(self) -> None:
        if self.margin == 0:
            return
        if self.loss != "perceptron":
            refuse_together("margin", self.margin, "loss", self.loss, "this loss has a margin of its own")
        if self.order not in WHOLE_PASSES:
            refuse_together("margin", self.margin, "order", self.order, "it looks for mistakes, not for small margins")
        if self.stops.criterion in ("loss", "gradient"):
            why = "the loss is that of mistakes, and pushes by a margin do not lower it"
            refuse_together("margin", self.margin, "criterion", self.stops.criterion, why)

    def _check_alma(self) -> None:
        if self.step not in ALMA:
            return
        if self.loss != "perceptron":
            refuse_together("step", self.step, "loss", self.loss, "it is made for the perceptron's loss")
        if self.order not in WHOLE_PASSES:
            refuse_together("step", self.step, "order", self.order, "it visits rows one by one, in passes")
        if self.alpha != 0:
            refuse_together("step", self.step, "penalty", "l2", "it keeps w in the unit ball already")
        if self.margin >= 1:
            raise ValueError(f"margin must be below 1 with step='alma', the share of the widest, not {self.margin!r}.")

    def _check_vote(self) -> None:
        if self.keep != "vote":
            return
        if self.loss != "perceptron":
            refuse_together("keep", self.keep, "loss", self.loss, "it is the vote of perceptrons")
        if self.order not in WHOLE_PASSES:
            refuse_together("keep", self.keep, "order", self.order, "votes count visits, equally many of every row")
        if self.step not in SCHEDULES:
            refuse_together("keep", self.keep, "step", self.step, "each w must be the one before plus a row")
        if self.alpha != 0:
            refuse_together("keep", self.keep, "penalty", "l2", "each w must be the one before plus a row")

    def _check_second_order(self) -> None:
        if self.step not in SECOND_ORDER:
            return
        if self.loss not in ("perceptron", "hinge"):
            why = "second-order steps are made for the perceptron and the hinge loss"
            refuse_together("step", self.step, "loss", self.loss, why)
        if self.order == "batch":
            refuse_together("step", self.step, "order", self.order, "a second-order step looks at one row")
        if self.alpha != 0:
            refuse_together("step", self.step, "penalty", "l2", "C already bounds how far a row moves w")

    def check_columns(self, columns: int) -> None:
        """Refuse a covariance matrix of more weights than fit."""
        if self.step == "full" and columns > MOST_FULL_COLUMNS:
            raise ValueError(
                f"step='full' keeps a number for each pair of columns, for at most {MOST_FULL_COLUMNS:,} columns, not "
                f"{columns:,}: choose step='diagonal'."
            )

    def _check_l1(self) -> None:
        if not self.l1_ratio:
            return
        if self.keep == "average":
            refuse_together("keep", self.keep, "penalty", "l1", "a mean of weights is 0 only where all of them are")
        if self.order == "batch":
            refuse_together("order", self.order, "penalty", "l1", "its rule is one of single rows")
        if STEPS[self.step].needs_penalty:
            refuse_together("step", self.step, "penalty", "l1", "its size rests on 1/2 ||w||^2 as the whole penalty")
        if self.penalize_intercept:
            refuse_together("penalize_intercept", True, "penalty", "l1", "steps of single rows leave the offset free")

    @property
    def offset_value(self) -> float:
        """The constant coordinate of every row; 0 without an offset."""
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    @property
    def pushes_correct_rows(self) -> bool:
        """Whether rows on the right side of the plane may move w, so that no mistakes is not the end."""
        return self.margin > 0

    @property
    def margin_factor(self) -> float:
        """The margin that a row must exceed; of the step "alma", times the row's norm and divided by sqrt(k).

        >>> Recipe(step="alma", margin=0.5).margin_factor == 8**0.5
        True
        """
        return self.margin * 8**0.5 / (1 - self.margin) if self.step in ALMA else float(self.margin)

    @property
    def ends_without_mistakes(self) -> bool:
        """Whether only weights without mistakes are to end training, rather than a limit or other weights kept."""
        stops, plain = self.stops, self.keep == "last" and self.alpha == 0
        exact = stops.criterion == "mistakes" and stops.tol == 0 and stops.n_iter_no_change is None
        return plain and exact and LOSSES[self.loss].pushes_only_mistakes

    def penalty_of(self, w: Floats) -> float:
        """alpha (r ||w||_1 + (1 - r) / 2 ||w||^2) with r = l1_ratio, the penalty of the mean loss."""
        square, length = float(w @ w), float(np.abs(w).sum()) if self.l1_ratio else 0.0
        return self.alpha * (self.l1_ratio * length + (1 - self.l1_ratio) / 2 * square)

    def downhill_with_penalty(self, downhill: Floats, w: Floats) -> Floats:
        """Minus the gradient of the mean loss with its penalty; where w is 0, the subgradient nearest to 0."""
        least: Floats = downhill - self.alpha * (1 - self.l1_ratio) * w
        if self.l1_ratio:
            most = self.alpha * self.l1_ratio
            least = least - np.where(w == 0, np.clip(least, -most, most), most * np.sign(w))
        return least

    def lifted(self, rows: _core.Rows) -> _core.Rows:
        """The rows, lifted by the recipe's features."""
        return as_features(self.features).lifted(rows)

    def native(self, stream: bool = False) -> _core.Recipe:
        """The struct that the core reads. `stream` is for rows that are seen only once."""
        single_pass = stream and self.order != "batch"
        return _core.Recipe(
            loss=LOSSES[self.loss].code,
            order=ORDERS["cyclic" if single_pass else self.order].code,
            step=STEPS[self.step].code,
            keep=KEEPS[self.keep].code,
            eta0=float(self.eta0),
            aggressiveness=float(self.C),
            margin=self.margin_factor,
            penalty=float(self.alpha * (1 - self.l1_ratio)),
            l1=float(self.alpha * self.l1_ratio),
            offset_value=self.offset_value,
            penalize_offset=bool(self.penalize_intercept),
            stream=stream,
        )
