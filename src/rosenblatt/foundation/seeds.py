"""Seeds of the core's random numbers, drawn in one way from `random_state`."""

from typing import Any

import numpy as np


def draw_seed(random_state: np.random.RandomState | int) -> int:
    """The next seed of a generator, or the first one of a fresh generator with this number.

    >>> draw_seed(0) == draw_seed(np.random.RandomState(0))
    True
    """
    random = random_state if isinstance(random_state, np.random.RandomState) else np.random.RandomState(random_state)
    return int(random.randint(2**31 - 1))


def checked_random_state(random_state: Any) -> np.random.RandomState:
    """The generator that scikit-learn makes of `random_state`; what cannot be a seed is refused by name."""
    from sklearn.utils import check_random_state

    try:
        generator: np.random.RandomState = check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "random_state must be None, a whole number from 0 to 4294967295 or a numpy.random.RandomState, not "
            f"{random_state!r:.70}."
        ) from None
    return generator
