"""Shards: fixed runs of blocks that are learned apart and mixed. They depend on the rows alone, never on workers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from .sum_tree import run_length

MAX_SHARDS = 256  # part of the definition of a model, as BLOCK_ROWS is


@dataclass(frozen=True)
class Shard:
    """A run of blocks. `first_rows` are the global numbers of the first row of each block."""

    number: int
    blocks: range
    first_rows: tuple[int, ...]
    rows: int

    def visiting_order(self, order: str, seed: int) -> list[int]:
        """The places of its blocks in the order of their visits.

        >>> Shard(0, range(4), (0, 5, 10, 15), 20).visiting_order("shuffle", seed=1)
        [3, 0, 1, 2]
        """
        places = range(len(self.blocks))
        return list(places) if order == "cyclic" else sorted(places, key=lambda place: random_bits(seed, place))


def shards_of(block_rows: Sequence[int]) -> list[Shard]:
    """The shards of blocks of so many rows: at most MAX_SHARDS runs of 1, 2, 4, 8 .. blocks.

    >>> [(shard.blocks, shard.rows) for shard in shards_of([10, 10, 7])]
    [(range(0, 1), 10), (range(1, 2), 10), (range(2, 3), 7)]
    >>> len(shards_of([16384] * 1000)), shards_of([16384] * 1000)[0].blocks
    (250, range(0, 4))
    """
    length, every = run_length(len(block_rows), MAX_SHARDS), range(len(block_rows))
    starts = [0]
    for rows in block_rows:
        starts.append(starts[-1] + rows)
    runs = [every[first : first + length] for first in every[::length]]
    return [
        Shard(number, run, tuple(starts[k] for k in run), starts[run.stop] - starts[run.start])
        for number, run in enumerate(runs)
    ]


def visit_seed(seed: int, epoch: int, shard: int) -> int:
    """The seed of the visits of a shard in an epoch."""
    return reduce(random_bits, (epoch, shard), seed)


def random_bits(seed: int, counter: int) -> int:
    """64 random bits, as the core draws them: SplitMix64 (Steele, Lea and Flood)."""
    z = (seed + (counter + 1) * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
    return z ^ z >> 31
