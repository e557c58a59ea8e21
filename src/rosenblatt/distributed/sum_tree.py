"""Add partial results by a fixed tree, so that the bits do not depend on who computes what, or when.

Leaves are numbered. A node of level k covers 2^k leaves that begin at a multiple of 2^k. The last nodes of an
incomplete tree are added from the right. Any run of leaves that is a node of the tree may be added elsewhere
beforehand: the result has the same bits.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def add_by_tree(values: Iterable[T], combine: Callable[[T, T], T]) -> T:
    """The sum of at least one value, given one after the other. At most one value per level is held.

    >>> add_by_tree("abcdefg", lambda left, right: f"({left}{right})")
    '(((ab)(cd))((ef)g))'
    """
    nodes: list[tuple[int, T]] = []  # from left to right, levels fall
    for value in values:
        level = 0
        while nodes and nodes[-1][0] == level:
            value, level = combine(nodes.pop()[1], value), level + 1
        nodes.append((level, value))
    _, total = nodes.pop()
    while nodes:
        total = combine(nodes.pop()[1], total)
    return total


def run_length(leaves: int, most_runs: int) -> int:
    """The shortest run of leaves that is a node of the tree and leaves at most so many runs.

    >>> run_length(1000, most_runs=300), run_length(7, most_runs=300)
    (4, 1)
    """
    length = 1
    while length * most_runs < leaves:
        length *= 2
    return length
