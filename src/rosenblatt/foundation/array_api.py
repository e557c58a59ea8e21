"""Arrays of other libraries (PyTorch, JAX, CuPy and whatever follows the array API) as NumPy arrays."""

from typing import Any

import numpy as np


def as_numpy(values: Any, name: str) -> Any:
    """An array of another library as a NumPy array, without a copy where the library allows it; the rest as it is.

    Refused if it is on a device that NumPy cannot read.

    >>> as_numpy([1, 2], "X")
    [1, 2]
    """
    if isinstance(values, np.ndarray) or not hasattr(type(values), "__dlpack_device__"):
        return values
    try:
        return np.asarray(values)
    except (TypeError, RuntimeError, BufferError):
        kind = f"{type(values).__module__}.{type(values).__name__}"
        raise TypeError(f"{name} is a {kind} that NumPy cannot read: move it to the CPU and detach it first.") from None
