"""Which leaves of a pass share a task. No choice changes a bit: answers are nodes of the sum tree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from .sum_tree import run_length

MAX_TASKS = 1024  # of one pass; more leaves than that share tasks. A task costs the driver and Dask 1 to 4 ms
TASKS_PER_WORKER = 16  # at most; at least half as many, so that workers end together
MANY_LEAVES = 8  # of a task. Where that makes fewer tasks, half as many are enough: such passes are short
FEW_LEAVES = 8  # of a thread that are one task where workers hold rows. More are two: one answers, the other begins
MAX_LEAVES_PER_TASK = 256  # where there are few workers: a task that ends tells that the cluster is alive


@dataclass(frozen=True)
class Leaf:
    """A leaf of the sum tree: its number, the numbers of its blocks, and what it is besides them."""

    number: int
    blocks: Sequence[int]
    own: Any = None


def runs_of_leaves(leaves: Sequence[Leaf], workers: int) -> list[Sequence[Leaf]]:
    """Groups of leaves that any worker computes: runs that are nodes of the tree, some for each worker.

    >>> leaves = [Leaf(number, [number]) for number in range(100)]
    >>> [len(group) for group in runs_of_leaves(leaves, workers=1)]
    [16, 16, 16, 16, 16, 16, 4]
    """
    most = TASKS_PER_WORKER * workers
    wanted = max(min(most, max(most // 2, len(leaves) // MANY_LEAVES)), len(leaves) // MAX_LEAVES_PER_TASK, 1)
    length = run_length(len(leaves), min(wanted, max(MAX_TASKS, 2 * workers)))
    return [leaves[first : first + length] for first in range(0, len(leaves), length)]


def leaves_by_holder(
    leaves: Sequence[Leaf], holders: Sequence[str], threads: Mapping[str, int]
) -> list[Sequence[Leaf]]:
    """Groups of leaves whose rows the same worker holds. `threads` are those of each worker.

    >>> leaves = [Leaf(number, [number]) for number in range(7)]
    >>> groups = leaves_by_holder(leaves, ["a", "b", "a", "a", "b", "a", "unknown"], {"a": 1, "b": 1})
    >>> [[leaf.number for leaf in group] for group in groups]
    [[0, 2, 3, 5], [1, 4], [6]]
    """
    held: dict[str, list[Leaf]] = {}
    for leaf, holder in zip(leaves, holders, strict=True):
        held.setdefault(holder, []).append(leaf)
    groups: list[Sequence[Leaf]] = []
    for holder, own in held.items():
        tasks = threads.get(holder, 1)
        if holder in threads and len(own) > FEW_LEAVES * tasks:
            tasks *= 2
        length = min(ceil(len(own) / tasks), MAX_LEAVES_PER_TASK)
        groups += [own[first : first + length] for first in range(0, len(own), length)]
    return groups
