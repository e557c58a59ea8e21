"""Blocks: a fixed number of rows at a fixed place in the data. A block names its data, so any worker can load it."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.matrices import as_rows, is_sparse
from ..foundation.types import Codes, Floats
from .traffic import pickled_size

BLOCK_ROWS = 1 << 14  # part of the definition of a model: other blocks give other roundings


@dataclass(frozen=True)
class LoadedBlock:
    """The rows of a block in the memory of a worker: an array or a CSR matrix, class numbers, and weights.

    `identity` names their content where something cheaper than a digest does, as the size and time of a file.
    """

    X: Any
    codes: Codes
    weights: Floats | None = None
    identity: str = ""

    @cached_property
    def rows(self) -> _core.Rows:
        return as_rows(self.X)

    @cached_property
    def fingerprint(self) -> str:
        """The identity, or a digest of all numbers, which tells a block that has changed."""
        if self.identity:
            return self.identity
        digest = hashlib.sha1(repr(self.X.shape).encode(), usedforsecurity=False)  # processors have instructions for it
        for array in self._arrays():
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        return digest.hexdigest()

    def load(self) -> "LoadedBlock":
        return self

    def __sizeof__(self) -> int:
        """The bytes of all numbers. Dask weighs by it whether to move rows or to compute where they are."""
        return sum(array.nbytes for array in self._arrays())

    def _arrays(self) -> list[npt.NDArray[Any]]:
        rows = [self.X.indptr, self.X.indices, self.X.data] if is_sparse(self.X) else [self.X]
        return [*rows, self.codes] if self.weights is None else [*rows, self.codes, self.weights]

    def __getstate__(self) -> dict[str, Any]:
        return {"X": self.X, "codes": self.codes, "weights": self.weights, "identity": self.identity}


class Block(ABC):
    """Rows of a fixed place in the data, described so that every worker can load them."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What an error calls it."""

    @abstractmethod
    def load(self) -> LoadedBlock:
        """The rows."""

    @property
    def argument(self) -> Any:
        """What is submitted to the executor, which `load_block` turns into the rows."""
        return self

    @property
    def holder(self) -> Any:
        """What keeps the rows on a worker of Dask, by its future `kept`; None where every worker loads them."""
        return None

    @property
    def sent_bytes(self) -> int:
        """The bytes of its description where that is sent with each task. References of Dask are not counted."""
        return 0


def load_block(argument: Any) -> LoadedBlock:
    """The rows that the argument of a task stands for: of a block, or of blocks held together and a place there."""
    if isinstance(argument, tuple):
        held, place = argument
        argument = held[place]
    loaded: LoadedBlock = argument.load()
    return loaded


@dataclass(frozen=True)
class ArrayBlock(Block):
    """A block whose rows travel with its description: a part of arrays in memory."""

    first: int
    loaded: LoadedBlock

    @property
    def name(self) -> str:
        return f"rows {self.first:,} to {self.first + len(self.loaded.codes) - 1:,}"

    def load(self) -> LoadedBlock:
        return self.loaded

    @cached_property
    def sent_bytes(self) -> int:
        return pickled_size(self.loaded)


def blocks_of_arrays(
    X: Any, codes: npt.NDArray[np.int32], weights: Floats | None = None, rows: int = BLOCK_ROWS
) -> Iterator[ArrayBlock]:
    """The blocks of rows in memory.

    >>> [block.name for block in blocks_of_arrays(np.zeros((20_000, 2)), np.zeros(20_000, np.int32))]
    ['rows 0 to 16,383', 'rows 16,384 to 19,999']
    """
    for first in range(0, len(codes), rows):
        part = slice(first, first + rows)
        yield ArrayBlock(first, LoadedBlock(X[part], codes[part], None if weights is None else weights[part]))
