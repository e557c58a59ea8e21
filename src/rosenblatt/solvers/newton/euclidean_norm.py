"""The Euclidean norm of a vector whose squares may not be floats."""

import math

import numpy as np

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats


def euclidean_norm(x: Floats) -> float:
    """The norm, computed in units of the largest entry so that squares neither overflow nor vanish.

    >>> euclidean_norm(np.array([0.0, -2e200]))
    2e+200
    """
    largest = max(float(np.max(x)), -float(np.min(x)))  # without a copy of x, which may be large
    if not math.isfinite(largest):
        raise TooLarge
    if largest == 0:
        return 0.0
    scaled = x / largest
    return largest * math.sqrt(_core.dot(scaled, scaled))
