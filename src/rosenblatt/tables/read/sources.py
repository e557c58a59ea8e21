"""Open a table: one file, several, a pattern, a partitioned folder, standard input, or a table in memory.

The first bytes of a file after decompression show its format; its name decides only between text formats.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import pyarrow as arrow

from ...foundation.errors import InputError
from .batches import Batch, Reading, Source
from .compressed import STDIN, ByteStream, file_size
from .foreign_formats import MAX_MAGIC_SIZE, refuse_foreign_format
from .stored_files import is_address
from .text_lines import read_text_head

__all__ = ["Source", "open_source"]

SVMLIGHT = re.compile(rb"\s*[-+.\w]+(\s+qid:\d+)?(\s+\d+:[-+.\w]+)+\s*(#.*)?$")
JSON_NAMES, SVM_NAMES = (".jsonl", ".ndjson", ".json"), (".svm", ".libsvm", ".svmlight")
COMPRESSED_NAME = re.compile(r"\.(gz|bz2|xz|zst|lz4)$", re.IGNORECASE)
MODEL_NAME, MODEL_BEGINNING = ".safetensors", re.compile(rb'.{8}\{"__metadata__":\{"rosenblatt":', re.DOTALL)
PARTITION = re.compile(r"([^=/]+)=([^/]*)")


def open_source(where: Any) -> Source:
    """Open a table and find its columns. `where` is a path, a pattern, a folder, "-", several of these, or a table.

    >>> import tempfile
    >>> path = tempfile.mktemp(suffix=".csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("width,kind\\n1.5,a\\n2.5,b\\n")
    >>> source = open_source(path)
    >>> [batch] = source.batches({"width": "number"})
    >>> source.names, batch.table.num_rows, batch.where(1) == f"{path}, line 3"
    (['width', 'kind'], 2, True)
    """
    if isinstance(where, Source):
        return where
    if not isinstance(where, str | os.PathLike | Sequence):
        from .typed_files import InMemorySource

        return InMemorySource(where)
    given, models = ([where], []) if isinstance(where, str | os.PathLike) else split_models(where)
    files: list[tuple[str, dict[str, str]]] = []
    for path in given:
        found, more = expand_path(os.fspath(path))
        files, models = files + found, models + more
    if not files:
        raise InputError("no files were given.")
    source = open_file(files[0][0]) if len(files) == 1 and not files[0][1] else MultiFileSource(files)
    source.models = models
    return source


def note_models(source: Source) -> str | None:
    """What to tell a user whose tables lie among models, which are left out."""
    if not source.models:
        return None
    more = len(source.models) - 1
    which = f"{source.models[0]} is a model" if not more else f"{source.models[0]} and {more:,} more are models"
    return f"note: {which}, and left out of the table"


def is_model(file: Any) -> bool:
    """Whether a file is a model, by its name or its beginning. `train` writes models beside tables."""
    if str(file).lower().endswith(MODEL_NAME):
        return True
    if not os.path.isfile(file) or not os.access(file, os.R_OK):  # the bytes of a pipe could not be read again
        return False
    with open(file, "rb") as opened:
        return MODEL_BEGINNING.match(opened.read(64)) is not None


def split_models(files: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """The files that are no models, and the models; if there are models only, they count as the former."""
    given = list(files)
    tables, models = _tables_and_models(given)
    return (tables, models) if tables else (given, [])


def _tables_and_models(files: list[Any]) -> tuple[list[Any], list[Any]]:
    marked = [(file, is_model(file)) for file in files]
    return [file for file, model in marked if not model], [file for file, model in marked if model]


def expand_path(path: str) -> tuple[list[tuple[str, dict[str, str]]], list[str]]:
    """The files of a path, folder or pattern, each with the partition values in its folder names (`year=2024/`).

    Models in a folder, or that match a pattern, are returned apart.
    """
    if is_address(path):
        return _expand_address(path)
    if os.path.isdir(path):
        inside = sorted(
            file
            for file in map(str, Path(path).rglob("*"))
            if os.path.isfile(file) and not any(part[0] in "._" for part in Path(file).relative_to(path).parts)
        )
        found, models = _tables_and_models(inside)
        if not found:
            raise InputError(f"{path} is a folder that holds no {'tables, only models' if models else 'files'}.")
        partitions = [dict(PARTITION.findall(os.path.dirname(os.path.relpath(file, path)))) for file in found]
        return list(zip(found, partitions, strict=True)), models
    if not os.path.exists(path) and any(mark in path for mark in "*?["):
        matching, models = split_models(sorted(file for file in glob(path, recursive=True) if os.path.isfile(file)))
        if not matching:
            raise InputError(f"{path} matches no files.")
        return [(file, {}) for file in matching], models
    return [(path, {})], []


def _expand_address(path: str) -> tuple[list[tuple[str, dict[str, str]]], list[str]]:
    from .remote_files import expand_address

    inside = dict(expand_address(path))
    found, models = _tables_and_models(list(inside))
    if not found:
        raise InputError(f"{path} holds or matches no files: check the address.")
    return [(file, dict(PARTITION.findall(os.path.dirname(inside[file])))) for file in found], models


def open_file(path: str) -> Source:
    """Open a file in the format that its content shows."""
    stream = ByteStream(path)
    try:
        return open_stream(path, stream)
    except BaseException:
        stream.close()
        raise


def open_stream(path: str, stream: ByteStream) -> Source:
    """Open a stream in the format that its first bytes show."""
    start = stream.peek(8)
    if start.startswith(b"PAR1"):
        from .typed_files import ParquetFile

        return ParquetFile(path, stream)
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        from .typed_files import ArrowFile

        return ArrowFile(path, stream)
    refuse_foreign_format(path, stream.peek(MAX_MAGIC_SIZE))
    text_format = detect_text_format(path, read_text_head(stream)[: 1 << 16])
    if text_format == "svmlight":
        from .svmlight_table import SvmlightText

        return SvmlightText(path, stream)
    if text_format == "json":
        from .json_lines import JsonLines

        return JsonLines(path, stream)
    from .delimited import DelimitedText

    return DelimitedText(path, stream)


def detect_text_format(path: str, head: bytes) -> str:
    """The format of a text file, by its name or else by its first line: "svmlight", "json" or "delimited".

    >>> detect_text_format("rows.svm", b""), detect_text_format("-", b"+1 3:1 10:0.5\\n")
    ('svmlight', 'svmlight')
    >>> detect_text_format("x", b'{"a": 1}')
    'json'
    """
    name = COMPRESSED_NAME.sub("", path).lower()
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    if name.endswith(SVM_NAMES) or SVMLIGHT.match(first):
        return "svmlight"
    return "json" if name.endswith(JSON_NAMES) or first.lstrip().startswith(b"{") else "delimited"


class MultiFileSource(Source):
    """Several files with the same columns, read one after the other; partition values of folders are columns too."""

    def __init__(self, files: Sequence[tuple[str, dict[str, str]]], first: Source | None = None) -> None:
        self._files = files
        self._block_indexes: dict[str, Any] = {}  # by file
        self._done_before = 0  # bytes of the files already read
        self._first_source = open_file(files[0][0]) if first is None else first
        self.target = self._first_source.target
        self.rereadable = all(path != STDIN for path, _ in files)
        self.path = files[0][0] if len(files) == 1 else f"{files[0][0]} and {len(files) - 1} more"
        self._partitions = [name for name in files[0][1] if name not in self._first_source.names]
        self.names = [*self._first_source.names, *self._partitions]
        self.size = sum(file_size(path) for path, _ in files)

    @property
    def files(self) -> list[str]:
        return [path for path, _ in self._files] if self.rereadable else []

    def sample(self) -> Batch:
        return self._add_partitions(self._first_source.sample(), self._files[0][1], [*filter(None, self.names)])

    def batches(self, reading: Reading) -> Iterator[Batch]:
        own = {name: kind for name, kind in reading.items() if name not in self._partitions}
        for source, folders in self.open_files(own):
            for batch in source.batches(own):
                self.done = self._done_before + source.done
                yield self._add_partitions(batch, folders, list(reading))

    def batches_as_written(self, reading: Reading, names: Sequence[str]) -> Iterator[tuple[Batch, Any]]:
        own = {name: kind for name, kind in reading.items() if name not in self._partitions}
        own_names = [name for name in names if name not in self._partitions]
        for source, folders in self.open_files([*own, *own_names]):
            for batch, written in source.batches_as_written(own, own_names):
                self.done = self._done_before + source.done
                texts = self._add_partitions(Batch(written, batch.path, batch.place), folders, names)
                yield self._add_partitions(batch, folders, list(reading)), texts.table

    def open_files(self, names: Iterable[str]) -> Iterator[tuple[Source, dict[str, str]]]:
        """Open one file after the other and yield it with the values of its folders; all must have the columns."""
        self._done_before = 0
        for path, folders in self._files:
            source = self._first_source if path == self._first_source.path else open_file(path)
            source.block_index = self._block_indexes.get(path, source.block_index)
            for name in names:
                if name not in (*source.names, *self._partitions):
                    raise InputError(f"{path} has no column {name!r}, which {self._files[0][0]} has.")
            for name in self._partitions:
                if name not in folders:
                    raise InputError(f"{path} is not in a folder {name}=..., but {self._files[0][0]} is.")
            yield source, folders
            self._block_indexes[path] = source.block_index
            self._done_before += source.size

    def _add_partitions(self, batch: Batch, folders: dict[str, str], names: Sequence[str]) -> Batch:
        table = batch.table
        for name in self._partitions:
            if name in names:
                same = arrow.repeat(folders[name], table.num_rows)
                table = table.append_column(name, same)
        return Batch(table.select(names), batch.path, batch.place)
