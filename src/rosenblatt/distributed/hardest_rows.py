"""The rows with the smallest margins among all blocks, and how many rows are wrong: the check of a working set."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..foundation.types import Floats, Places
from .block import LoadedBlock
from .block_totals import inspect_margins
from .shard_epoch import MixedProblem

Lots = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class HardestRows:
    """The hardest rows of some blocks, at most so many: their numbers among all rows, margins and lots.

    Lots decide between equal margins. `wrong` is the weight of all rows that are misclassified.
    """

    most: int
    wrong: float
    numbers: Places
    margins: Floats
    lots: Lots

    def __add__(self, other: "HardestRows") -> "HardestRows":
        return HardestRows(
            self.most,
            self.wrong + other.wrong,
            np.append(self.numbers, other.numbers),
            np.append(self.margins, other.margins),
            np.append(self.lots, other.lots),
        ).hardest()

    def hardest(self) -> "HardestRows":
        """The same without rows beyond the most. Rows stay in their order."""
        if len(self.numbers) <= self.most:
            return self
        chosen = np.sort(np.lexsort((self.numbers, self.lots, self.margins))[: self.most])
        return replace(self, numbers=self.numbers[chosen], margins=self.margins[chosen], lots=self.lots[chosen])


def hardest_rows(
    blocks: Iterator[LoadedBlock],
    first: int,
    problem: MixedProblem,
    coef: Floats,
    intercept: Floats,
    seed: int,
    most: int,
) -> HardestRows:
    """The hardest rows of a block, whose first row has this number among all rows."""
    [block] = blocks
    wrong, margins = inspect_margins(block, problem, coef, intercept)
    numbers = np.arange(first, first + len(margins))
    return HardestRows(most, wrong, numbers, margins, lots(seed, numbers)).hardest()


def lots(seed: int, numbers: Places) -> Lots:
    """64 random bits for each row, as the core draws them.

    >>> from rosenblatt.distributed.shards import random_bits
    >>> lots(7, np.arange(3)).tolist() == [random_bits(7, row) for row in range(3)]
    True
    """
    z = np.uint64(seed % 2**64) + (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    found: Lots = z ^ z >> np.uint64(31)
    return found
