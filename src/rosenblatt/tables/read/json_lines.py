"""JSON lines: one object per line. The members of the first objects are the columns; absent ones are missing values."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as arrow

from ...foundation.errors import InputError
from ...foundation.threads import thread_count
from .arrow_types import check_column_types
from .batches import NUMBER, Batch, Reading, check_column_names
from .compressed import STDIN, ByteStream, file_size
from .parallel_map import map_in_parallel
from .text_lines import Block, TextSource, encoding_error, read_blocks, read_text_head


class JsonLines(TextSource):
    """A file of JSON lines, plain or compressed."""

    def __init__(self, path: str, stream: ByteStream) -> None:
        self.path, self.size = path, file_size(path)
        self._head = read_text_head(stream)
        self._stream = stream if path == STDIN else None
        self.rereadable = path != STDIN
        if self._stream is None:
            stream.close()
        self._sample_schema = self.sample().table.schema
        self.names = check_column_names(path, self._sample_schema.names)

    def sample(self) -> Batch:
        end = len(self._head) if len(self._head) < (1 << 20) else self._head.rfind(b"\n") + 1
        return self._parse(Block(self._head[:end], 1, 0), None)

    def reader(self, reading: Reading) -> Callable[[Block], Batch]:
        schema = arrow.schema([(name, self._type(name, kind)) for name, kind in reading.items()])

        def batch(block: Block) -> Batch:
            parsed = self._parse(block, schema)
            check_column_types(parsed, reading)
            return parsed

        return batch

    def batches(self, reading: Reading) -> Iterator[Batch]:
        if self.only_block is not None:
            yield self.reader(reading)(self.only_block)
            return
        stream = self._stream or ByteStream(self.path)
        read_text_head(stream)  # skips a byte order mark

        make, read = self.reader(reading), ((stream.done, block) for block in read_blocks(stream, 1))
        for self.done, batch in map_in_parallel(lambda each: (each[0], make(each[1])), read, thread_count(None)):
            yield batch
        stream.close()

    def _type(self, name: str, kind: str) -> Any:
        sampled = self._sample_schema.field(name).type
        if arrow.types.is_null(sampled):
            return arrow.float64() if kind == NUMBER else arrow.string()
        return arrow.float64() if arrow.types.is_integer(sampled) else sampled

    def _parse(self, block: Block, schema: Any) -> Batch:
        from pyarrow import json

        ignored = {} if schema is None else {"explicit_schema": schema, "unexpected_field_behavior": "ignore"}
        try:
            table = json.read_json(
                arrow.BufferReader(block.text),
                json.ReadOptions(use_threads=False, block_size=len(block.text) + 1),
                json.ParseOptions(newlines_in_values=False, **ignored),
            )
            table.validate(full=True)
        except arrow.ArrowInvalid as error:
            raise self._explain(block, str(error)) from None
        first = block.line  # the batch must not hold the text of the block
        return Batch(table, self.path, lambda row: f"line {first + row}")

    def _explain(self, block: Block, message: str) -> InputError:
        if "UTF8" in message:
            return encoding_error(self.path, block)
        if block.text.lstrip().startswith(b"["):
            return InputError(f"{self.path} is one JSON array: write one object per line instead (JSON lines).")
        if not block.text.strip():
            return InputError(f"{self.path} is empty; each line must hold a JSON object.")
        row = re.search(r"in row (\d+)", message)
        line = block.line + (int(row[1]) if row else 0)
        what = re.sub(r" in row \d+", "", message.splitlines()[0]).replace("JSON parse error: ", "").rstrip(". ")
        changed = re.search(r"Column\(/(.*?)\) changed from (\w+) to (\w+)", what)
        if changed:
            what = f"column {changed[1]!r} changes from {changed[2]} to {changed[3]}"
        return InputError(f"{self.path}, line {line} cannot be read: {what}; correct it.")
