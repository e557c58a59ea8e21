"""JSON lines whose columns and types are known before the first line is read, such as those of a model."""

from collections.abc import Iterable
from typing import Any

import pyarrow as arrow

from .batches import CATEGORY, DATE, NUMBER, TEXT
from .json_lines import JsonLines

TYPES = {NUMBER: arrow.float64(), CATEGORY: arrow.string(), TEXT: arrow.string(), DATE: arrow.string()}


class TypedJsonLines(JsonLines):
    """Rows as JSON objects, one a line, read with `reader`. Absent members are missing values, others are ignored.

    >>> from .text_lines import Block
    >>> read = TypedJsonLines("rows", ["size", "kind"]).reader({"size": NUMBER, "kind": CATEGORY})
    >>> read(Block(b'{"size": 2, "note": "new"}\\n', 1, 0)).table.to_pylist()
    [{'size': 2.0, 'kind': None}]
    """

    rereadable = False

    def __init__(self, path: str, names: Iterable[str]) -> None:
        self.path, self.names = path, list(names)

    def _type(self, name: str, kind: str) -> Any:
        return TYPES[kind]
