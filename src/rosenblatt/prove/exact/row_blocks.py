"""Blocks of rows that hold about as many numbers as caches or memory take at once."""

from collections.abc import Iterator

NUMBERS_PER_BLOCK = 1_000_000


def rows_per_block(rows: int, stored: int, most: int) -> int:
    """How many rows with evenly spread `stored` numbers hold at most so many: at least one row, at most as many.

    >>> rows_per_block(5, 15, 7), rows_per_block(2, 20, 7), rows_per_block(9, 0, 1)
    (2, 1, 1)
    >>> rows_per_block(1, 1, 7), rows_per_block(0, 0, 7)
    (7, 1)
    """
    return max(1, most * rows // max(1, rows, stored))


def row_blocks(rows: int, step: int) -> Iterator[slice]:
    """Slices of so many rows each, of which the last may be shorter.

    >>> list(row_blocks(3, 2))
    [slice(0, 2, None), slice(2, 4, None)]
    """
    return (slice(first, first + step) for first in range(0, rows, step))
