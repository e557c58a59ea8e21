"""Seeds of the core's random numbers, drawn in one way from `random_state`."""

import numpy as np


def draw_seed(random_state: np.random.RandomState | int) -> int:
    """The next seed of a generator, or the first one of a fresh generator with this number.

    >>> draw_seed(0) == draw_seed(np.random.RandomState(0))
    True
    """
    random = random_state if isinstance(random_state, np.random.RandomState) else np.random.RandomState(random_state)
    return int(random.randint(2**31 - 1))
