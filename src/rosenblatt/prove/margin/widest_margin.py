"""The result of `max_margin`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...foundation.notebook_html import ShownInNotebooks, clouds_picture
from ...foundation.rounding import text_above, text_below
from ...foundation.types import Floats, Places
from ..exact.hyperplane import Hyperplane


class Support(NamedTuple):
    """The support rows and their weights, with sum 1 in each class (over all rows if there is no intercept)."""

    rows: Places
    weights: Floats


@dataclass(frozen=True)
class MaxMargin(ShownInNotebooks):
    """The answer of `max_margin`. It is false if no hyperplane separates the rows; then `why_not` is the reason.

    `margin` is a lower bound on the margin of `hyperplane`, and no hyperplane has a margin above `upper`. Both are 0 if
    the rows are not separable.
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
        """The distance of the two bounds, relative to the upper one."""
        return 1.0 - self.margin / self.upper if self.upper else 0.0

    def _picture(self) -> str:
        return clouds_picture("complete", "the widest margin") if self else clouds_picture("overlap", "no margin")

    def __str__(self) -> str:
        if not self:
            return self.why_not
        bounds = f"margin {text_below(self.margin)}, at most {text_above(self.upper)}"
        return f"{bounds}, supported by {len(self.support.rows)} rows"


def no_margin(why_not: str, upper: float) -> MaxMargin:
    """The answer if no hyperplane is known to separate the rows."""
    return MaxMargin(None, 0.0, upper, Support(np.empty(0, np.intp), np.empty(0)), why_not)
