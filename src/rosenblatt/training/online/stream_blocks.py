"""Cut the text and the batches of a stream into smaller pieces."""

from collections.abc import Iterator

from ...tables.read.batches import Batch
from ...tables.read.dialect import Dialect, RowScan, scan_rows
from ...tables.read.text_lines import Block

PARSED_BYTES = 1 << 21  # of a large block that one thread parses


def split_block(block: Block, dialect: Dialect) -> Iterator[Block]:
    """Split a large block into several that can be parsed in parallel."""
    text, line, offset = block
    at = 0
    while len(text) - at > 2 * PARSED_BYTES:
        rows = scan_rows(text[at : at + PARSED_BYTES], dialect)
        if not rows.end:
            break
        yield Block(text[at : at + rows.end], line, offset + at)
        line, at = line + rows.lines, at + rows.end
    yield Block(text[at:], line, offset + at)


def first_half(text: bytes | bytearray, dialect: Dialect) -> RowScan | None:
    """The scan of about the first half of some rows; None if there is only one row."""
    rows = scan_rows(text[: len(text) // 2], dialect)
    if not rows.end:
        rows = scan_rows(text[: text.find(dialect.newline.encode()) + 1], dialect)
    return rows if 0 < rows.end < len(text) else None


def rows_of(batch: Batch, first: int, last: int) -> Batch:
    """The rows of a batch from `first` to the one before `last`."""
    return Batch(batch.table.slice(first, last - first), batch.path, lambda row: batch.place(first + row))
