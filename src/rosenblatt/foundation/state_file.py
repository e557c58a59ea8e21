"""Trees of plain values and arrays as one file, and back, bit by bit: safetensors, with a checksum of every byte.

A tree is made of dicts, lists, arrays, floats, whole numbers, truth values, texts and None. Its arrays are the file's
tensors, its floats one more tensor, for JSON has no infinities; the rest is JSON in the metadata. No pickle: reading
never runs code.
"""

import hashlib
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from .types import Tensors

TREE, CHECKSUM, FLOATS = "tree", "checksum", "floats"
ARRAY, FLOAT = "$array", "$float"  # the keys that stand for what is kept in a tensor
BLANK = "0" * 64


class Damaged(ValueError):
    """Bytes that are not what `written` made."""


def written(tree: dict[str, Any]) -> bytes:
    """A tree as the content of a file.

    >>> import math
    >>> tree = {"weights": np.array([0.1, 0.2]), "best": math.inf, "runs": [None, {"visits": 3, "clean": False}]}
    >>> again = read(written(tree))
    >>> again["weights"], again["best"], again["runs"]
    (array([0.1, 0.2]), inf, [None, {'visits': 3, 'clean': False}])
    """
    from safetensors.numpy import save

    tensors: Tensors = {}
    floats: list[float] = []
    text = json.dumps(_packed(tree, "", tensors, floats))
    tensors[FLOATS] = np.array(floats, dtype=np.float64)
    return add_checksum(save(tensors, metadata={TREE: text, CHECKSUM: BLANK}))


def add_checksum(content: bytes) -> bytes:
    """A file whose checksum is blank, with its checksum."""
    header, rest = _parts(content)
    digest = _digest(header, rest).encode()
    mark = f'"{CHECKSUM}":"'.encode()
    at = header.index(mark + BLANK.encode()) + len(mark)
    return b"".join((header[:at], digest, header[at + len(digest) :], rest))


def read(content: bytes) -> dict[str, Any]:
    """The tree, its arrays free to be changed; `Damaged` where a bit differs from what was written."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        header, rest = _parts(content)
        about = json.loads(header[8:])["__metadata__"]
        checksum = about[CHECKSUM].encode()
        if header.count(checksum) != 1 or _digest(header.replace(checksum, BLANK.encode()), rest).encode() != checksum:
            raise Damaged
        tensors = load(content)
        tree: dict[str, Any] = _unpacked(json.loads(about[TREE]), tensors, tensors[FLOATS])
    except (SafetensorError, LookupError, AttributeError, TypeError, ValueError, RecursionError, MemoryError):
        raise Damaged from None
    return tree


def _parts(content: bytes) -> tuple[bytes, memoryview]:
    """The header, its length before it, and the tensors."""
    size = 8 + int.from_bytes(content[:8], "little")
    if not 8 < size <= len(content):
        raise Damaged
    return content[:size], memoryview(content)[size:]


def _digest(header: bytes, rest: memoryview) -> str:
    sha = hashlib.sha256(header)
    sha.update(rest)
    return sha.hexdigest()


def _packed(value: Any, path: str, tensors: Tensors, floats: list[float]) -> Any:
    """JSON; arrays become tensors named by their path."""
    if isinstance(value, dict):
        return {_escaped(name): _packed(one, f"{path}.{name}", tensors, floats) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_packed(one, f"{path}.{k}", tensors, floats) for k, one in enumerate(value)]
    if isinstance(value, np.ndarray):
        tensors[path[1:]] = np.asarray(value, order="C")
        return {ARRAY: path[1:]}
    if isinstance(value, float):  # NumPy's doubles are floats, too
        floats.append(value)
        return {FLOAT: len(floats) - 1}
    if value is None or isinstance(value, bool | int | str):
        return value
    return _packed(value.item(), path, tensors, floats)  # another of NumPy's numbers


def _unpacked(value: Any, tensors: Tensors, floats: npt.NDArray[np.float64]) -> Any:
    if isinstance(value, list):
        return [_unpacked(one, tensors, floats) for one in value]
    if not isinstance(value, dict):
        return value
    if ARRAY in value:
        return tensors[value[ARRAY]].copy()
    if FLOAT in value:
        return float(floats[value[FLOAT]])
    return {name.removeprefix("$"): _unpacked(one, tensors, floats) for name, one in value.items()}


def _escaped(name: str) -> str:
    return f"${name}" if name.startswith("$") else name
