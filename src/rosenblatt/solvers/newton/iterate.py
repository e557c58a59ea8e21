"""Iterates of Newton's method."""

from dataclasses import dataclass, field

from ...foundation.types import Floats


@dataclass(eq=False)
class Iterate:
    """Weights z and the objective there.

    An objective with rows in memory also keeps the scores that z gives, and the loss's derivatives by the scores:
    `pull` is minus the first derivative, `curvature` the second; for joint classes it holds the probabilities. These
    vectors are empty where other processes hold the rows. `damping` is the share of equal probabilities that is mixed
    into those of joint classes; only Hessians heed it.
    """

    z: Floats
    value: float
    scores: Floats
    pull: Floats
    curvature: Floats
    damping: float = field(default=0.0, kw_only=True)
