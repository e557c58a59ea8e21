"""Cut the text and the batches of a stream into smaller pieces."""

from collections.abc import Iterator

from ...tables.read.batches import Batch
from ...tables.read.dialect import Dialect, RowScan, scan_rows
from ...tables.read.text_lines import Block

PARSED_BYTES = 1 << 21  # of a large block that one thread parses


def split_block(block: Block, dialect: Dialect) -> Iterator[Block]:
    """Split a large block into several that can be parsed in parallel."""
    text, line, offset = block
    while len(text) > 2 * PARSED_BYTES:
        rows = scan_rows(text[:PARSED_BYTES], dialect)
        if not rows.end:
            break
        yield Block(text[: rows.end], line, offset)
        line, offset, text = line + rows.lines, offset + rows.end, text[rows.end :]
    yield Block(text, line, offset)


def first_half(text: bytes | bytearray, dialect: Dialect) -> RowScan | None:
    """The scan of about the first half of some rows; None if there is only one row."""
    rows = scan_rows(text[: len(text) // 2], dialect)
    if not rows.end:
        rows = scan_rows(text[: text.find(dialect.newline.encode()) + 1], dialect)
    return rows if 0 < rows.end < len(text) else None


def batch_from(batch: Batch, first: int) -> Batch:
    """The rows of a batch from the row `first` on."""
    return Batch(batch.table.slice(first), batch.path, lambda row: batch.place(first + row))
