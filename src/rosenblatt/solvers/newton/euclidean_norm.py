"""The Euclidean norm of a vector whose squares may not be floats."""

import math

from ... import _core
from ...foundation.errors import TooLarge
from ...foundation.types import Floats


def euclidean_norm(x: Floats) -> float:
    """The norm, computed in units of the largest entry so that squares neither overflow nor vanish.

    >>> import numpy as np
    >>> euclidean_norm(np.array([0.0, -2e200]))
    2e+200
    """
    norm = _core.euclidean_norm(x)
    if math.isnan(norm):
        raise TooLarge
    return norm
