"""Count what a driver sends to workers and what they return, pass by pass."""

import pickle
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class PassTraffic:
    """Passes of one kind: how many there were, their tasks, and the bytes of all tasks and of all answers."""

    passes: int = 0
    tasks: int = 0
    sent: int = 0
    returned: int = 0


@dataclass
class Traffic:
    """The traffic of passes by their kind, which is the name of the function that workers compute.

    A task that is submitted again counts once. What Dask moves by itself is not counted.
    """

    by_kind: dict[str, PassTraffic] = field(default_factory=dict)

    def begin(self, function: Callable[..., Any]) -> PassTraffic:
        """Count a pass that begins; its tasks and answers are to be added to what is returned."""
        name = getattr(function, "__name__", type(function).__name__).replace("_", " ")
        found = self.by_kind.setdefault(name, PassTraffic())
        found.passes += 1
        return found

    def as_dict(self) -> dict[str, dict[str, int]]:
        """The counts as plain values."""
        return {name: asdict(found) for name, found in self.by_kind.items()}


def pickled_size(value: Any) -> int:
    """The bytes that a value takes on its way to another process. Arrays are measured without a copy.

    What cannot be pickled goes to threads of this process only, and takes none.

    >>> import numpy as np
    >>> 8000 < pickled_size(np.zeros(1000)) < 8200, pickled_size(lambda: None)
    (True, 0)
    """
    buffers: list[pickle.PickleBuffer] = []
    try:
        size = len(pickle.dumps(value, protocol=5, buffer_callback=buffers.append))
    except (pickle.PicklingError, AttributeError, TypeError):
        return 0
    return size + sum(buffer.raw().nbytes for buffer in buffers)
