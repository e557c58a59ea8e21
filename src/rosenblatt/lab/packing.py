"""Arrays in JSON, bit for bit: their bytes in base64, little-endian, which a page reads as a typed array."""

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
import numpy.typing as npt

Packed = dict[str, Any]
KINDS = ("<f8", "<f4", "<i4")


def packed(array: npt.ArrayLike, kind: str = "<f8") -> Packed:
    """
    >>> packed([[1, 2]], "<i4")
    {'kind': '<i4', 'shape': [1, 2], 'bytes': 'AQAAAAIAAAA='}
    """
    values = np.ascontiguousarray(array, dtype=kind)
    return {"kind": kind, "shape": list(values.shape), "bytes": b64encode(values.tobytes()).decode()}


def unpacked(content: Packed) -> npt.NDArray[Any]:
    """
    >>> unpacked(packed([0.1, 0.2])).tolist()
    [0.1, 0.2]
    """
    return np.frombuffer(b64decode(content["bytes"]), dtype=content["kind"]).reshape(content["shape"])
