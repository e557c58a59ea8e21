"""Add partial results by a fixed tree, so that the bits do not depend on who computes what, or when.

Leaves are numbered. A node of level k covers 2^k leaves that begin at a multiple of 2^k. The last nodes of an
incomplete tree are added from the right. Any leaves may be added elsewhere, as far as they make up nodes of the tree:
the result has the same bits.
"""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")
Nodes = dict[tuple[int, int], T]  # the sum of each node by its level and by its place within the level


class SumTree(Generic[T]):
    """Values of leaves in any order, added to nodes of the tree as soon as both halves of a node are there.

    >>> some, others = (SumTree(lambda left, right: f"({left}{right})") for _ in range(2))
    >>> for leaf in (2, 5, 4):
    ...     some.add(0, leaf, "abcdefg"[leaf])
    >>> some.nodes
    {(0, 2): 'c', (1, 2): '(ef)'}
    >>> for leaf in (0, 1, 6, 3):
    ...     others.add(0, leaf, "abcdefg"[leaf])
    >>> others.merge(some.nodes)
    >>> others.total()
    '(((ab)(cd))((ef)g))'
    """

    def __init__(self, combine: Callable[[T, T], T]) -> None:
        self._combine = combine
        self.nodes: Nodes[T] = {}

    def add(self, level: int, place: int, value: T) -> None:
        """Add a node; one of level 0 is a leaf."""
        while (level, place ^ 1) in self.nodes:
            other = self.nodes.pop((level, place ^ 1))
            value = self._combine(other, value) if place % 2 else self._combine(value, other)
            level, place = level + 1, place // 2
        self.nodes[level, place] = value

    def merge(self, nodes: Nodes[T]) -> None:
        """Add nodes that were made elsewhere."""
        for (level, place), value in nodes.items():
            self.add(level, place, value)

    def total(self) -> T:
        """The sum of all leaves, of which there must be one at least."""
        *before, last = sorted(self.nodes, key=lambda node: node[1] << node[0])
        total = self.nodes[last]
        for node in reversed(before):
            total = self._combine(self.nodes[node], total)
        return total


def add_by_tree(values: Iterable[T], combine: Callable[[T, T], T]) -> T:
    """The sum of at least one value, given one after the other. At most one value per level is held.

    >>> add_by_tree("abcdefg", lambda left, right: f"({left}{right})")
    '(((ab)(cd))((ef)g))'
    """
    tree = SumTree(combine)
    for number, value in enumerate(values):
        tree.add(0, number, value)
    return tree.total()


def run_length(leaves: int, most_runs: int) -> int:
    """The shortest run of leaves that is a node of the tree and leaves at most so many runs.

    >>> run_length(1000, most_runs=300), run_length(7, most_runs=300)
    (4, 1)
    """
    length = 1
    while length * most_runs < leaves:
        length *= 2
    return length
