"""Explain why a block of a CSV file cannot be parsed, with the line and the column as a user finds them."""

import re
from collections.abc import Sequence

from ...foundation.errors import ColumnError, InputError
from .dialect import Dialect, quote_error, scan_rows
from .text_lines import Block, encoding_error

CONVERSION_ERROR = re.compile(
    r"In CSV column #(\d+): (?:Row #\d+: )?CSV conversion error to \w+.*?: invalid value '(.*)'", re.S
)


def explain_csv_error(path: str, names: Sequence[str], dialect: Dialect, block: Block, message: str) -> InputError:
    """An error that names the line and the column; Arrow's message has only numbers within a block."""
    if "UTF8" in message:
        return encoding_error(path, block)
    rows = scan_rows(block.text, dialect)
    if rows.unclosed_quote is not None or rows.misplaced_quote is not None:
        return quote_error(path, block.text, block.line, rows, dialect)
    return (
        _find_wrong_width(path, names, dialect, block)
        or _find_wrong_value(path, names, dialect, block, message)
        or InputError(f"{path} cannot be read as a table: {message.splitlines()[0].rstrip('.')}.")
    )


def _find_wrong_width(path: str, names: Sequence[str], dialect: Dialect, block: Block) -> InputError | None:
    for line, cells in dialect.rows(block.text):
        if len(cells) != len(names):
            values = f"{len(cells)} value{'' if len(cells) == 1 else 's'}"
            where = f"{path}, line {block.line + line - 1}"
            return InputError(f"{where} has {values} where the first line names {len(names)} columns.")
    return None


def _find_wrong_value(
    path: str, names: Sequence[str], dialect: Dialect, block: Block, message: str
) -> InputError | None:
    found = CONVERSION_ERROR.search(message)
    if found is None:
        return None
    place, value = int(found[1]), found[2]
    lines = (line for line, cells in dialect.rows(block.text) if cells[place] == value)
    where = f"line {block.line + next(lines, 1) - 1}"
    what = f"column {names[place]!r} does not hold numbers ({value!r} in {where})"
    return ColumnError(f"{path}, {what}: correct it", names[place])
