"""What is known of the widest margin."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundation.rounding import text_above, text_below
from ...foundation.types import Floats, Places
from ..exact.hyperplane import Hyperplane


class Support(NamedTuple):
    """The rows that hold the hyperplane, and their weights: of sum 1 in each class, or in all through the origin."""

    rows: Places
    weights: Floats


@dataclass(frozen=True)
class MaxMargin:
    """The answer of `max_margin`; false if no hyperplane separates the rows, and then `why_not` says why.

    `margin` is at most the margin of `hyperplane`, and no hyperplane has more than `upper`. Both are 0 if the rows are
    not separable: the hulls of the two classes meet.
    """

    hyperplane: Hyperplane | None
    margin: float
    upper: float
    support: Support
    why_not: str = ""

    def __bool__(self) -> bool:
        return self.hyperplane is not None

    @property
    def gap(self) -> float:
        """How far apart the bounds are, relative to the upper one."""
        return 1.0 - self.margin / self.upper if self.upper else 0.0

    def __str__(self) -> str:
        if not self:
            return self.why_not
        bounds = f"margin {text_below(self.margin)}, at most {text_above(self.upper)}"
        return f"{bounds}, held by {len(self.support.rows)} rows"


def no_margin(why_not: str, upper: float) -> MaxMargin:
    return MaxMargin(None, 0.0, upper, Support(np.empty(0, np.intp), np.empty(0)), why_not)
