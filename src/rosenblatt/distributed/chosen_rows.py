"""Rows that leave their workers: some rows of blocks, by their numbers, for a working set on the driver."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..foundation.matrices import as_csr, is_sparse
from ..foundation.types import Places
from .block import LoadedBlock
from .cluster import Cluster


@dataclass(frozen=True)
class ChosenRows:
    """Some rows of a block, with their places in it."""

    numbers: Places
    rows: LoadedBlock


def take_rows(block: LoadedBlock, numbers: Places) -> ChosenRows:
    """The rows of a block at these places."""
    weights = None if block.weights is None else block.weights[numbers]
    return ChosenRows(numbers, LoadedBlock(block.X[numbers], block.codes[numbers], weights))


def fetch_rows(cluster: Cluster, starts: Places, numbers: Places) -> dict[int, ChosenRows]:
    """Rows by their numbers among all rows, by the place of their block. Only the blocks that hold them are asked.

    `starts` are the numbers of the first row of each block, and of all rows.
    """
    places = np.searchsorted(starts, numbers, side="right") - 1
    return cluster.gather(take_rows, {int(k): numbers[places == k] - starts[k] for k in np.unique(places)})


def stack_rows(parts: Sequence[Any]) -> Any:
    """Arrays or CSR matrices, one below the other."""
    if not is_sparse(parts[0]):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return as_csr(vstack(parts, format="csr"))


def joined_rows(answers: dict[int, ChosenRows]) -> LoadedBlock:
    """The rows of all blocks that were asked, in the order of the blocks."""
    parts = [answers[place].rows for place in sorted(answers)]
    weights = [part.weights for part in parts if part.weights is not None]
    codes = np.concatenate([part.codes for part in parts])
    return LoadedBlock(stack_rows([part.X for part in parts]), codes, np.concatenate(weights) if weights else None)
