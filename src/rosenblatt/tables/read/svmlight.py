"""LIBSVM text to sparse rows: `label index:value index:value ... # comment`, one row a line.

Labels are numbers, indices increase, and a row may name its query (`qid:3`) after the label. Blank lines and comments
are skipped. All cores parse in parallel, and errors name the line.
"""

import lzma
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as arrow

from ... import _core
from ...foundation.errors import InputError
from ...foundation.threads import thread_count

READ_SIZE = 1 << 25  # bytes read at a time
COMPRESSED_SUFFIXES = (".xz", ".gz", ".bz2", ".zst", ".lz4", ".br")
MAX_INDEX = (1 << 31) - 2

Bytes = npt.NDArray[np.uint8]
Path = str | os.PathLike[str]


class SvmlightRows(NamedTuple):
    """CSR rows, columns counted from 0, with their labels, and their queries if any row names one (else -1)."""

    indptr: npt.NDArray[Any]
    indices: npt.NDArray[Any]
    values: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]
    n_features: int
    queries: npt.NDArray[np.int64] | None


class RawRows(NamedTuple):
    """Parsed rows with the indices of the file, which start at 0 or 1."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]
    labels: npt.NDArray[np.float64]
    queries: npt.NDArray[np.int64]
    min_index: int
    max_index: int


def read_svmlight(
    source: Path | Iterable[Any],
    n_features: int | None = None,
    zero_based: bool | str = "auto",
    name: str | None = None,
    n_jobs: int | None = None,
) -> SvmlightRows:
    """Read LIBSVM text from a file or from buffers.

    Parameters
    ----------
    source : path or iterable of buffers
        A path may end in .gz, .bz2, .zst or .xz. Buffers may end in the middle of a line.
    n_features : int or None, default None
        Number of columns; None: as many as the largest index needs.
    zero_based : bool or "auto", default "auto"
        Whether the first column is written 0. "auto": it is if any index is 0.
    name : str or None, default None
        The name of the source in error messages; None: its path.

    Examples
    --------
    >>> rows = read_svmlight([b"+1 1:0.5 3:2 # first\\n-1 2:", b"1e3\\n"])
    >>> rows.labels, rows.indices, rows.n_features
    (array([ 1., -1.]), array([0, 2, 1], dtype=int32), 3)
    >>> read_svmlight([b"1 5:1 3:1"], name="x.svm")
    Traceback (most recent call last):
    rosenblatt.foundation.errors.InputError: line 1 of x.svm: index 3 after 5; indices must rise.
    """
    if zero_based not in (True, False, "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', not {zero_based!r}.")
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source) if name is None else name
        source = _read_file(os.fspath(source))
    name = "the text" if name is None else name
    limit = MAX_INDEX if n_features is None else n_features - (zero_based is True)
    pieces = list(parse_svmlight(source, name, limit, n_jobs))
    smallest = min((piece.min_index for piece in pieces), default=MAX_INDEX)
    largest = max((piece.max_index for piece in pieces), default=-1)
    if smallest == 0 and zero_based is False:
        raise InputError(f"{name} has the index 0: pass zero_based=True.")
    first = 0 if zero_based is True or (zero_based == "auto" and smallest == 0) else 1
    needed = max(largest + 1 - first, 0)
    if n_features is not None and needed > n_features:
        raise InputError(f"{name} has indices up to {largest}, more than n_features={n_features}.")
    return _concatenate(pieces, first, needed if n_features is None else n_features)


def parse_svmlight(
    buffers: Iterable[Any], name: str, limit: int = MAX_INDEX, n_jobs: int | None = None, before: int = 0
) -> Iterator[RawRows]:
    """Parse each buffer into rows; `before` lines precede the first, and indices above `limit` are refused."""
    lines, threads = before, thread_count(n_jobs)
    for whole in _split_at_line_ends(buffers):
        parts = _core.read_svmlight(whole, limit, threads)
        if len(parts) == 2:
            raise InputError(f"line {lines + parts[0] + 1} of {name}: {parts[1]}.")
        lines += parts[-1]
        yield RawRows(*parts[:-1])


def _split_at_line_ends(buffers: Iterable[Any]) -> Iterator[Bytes]:
    """Split buffers at line ends. A line that spans buffers is copied and joined; others are not copied."""
    begun: list[bytes] = []
    for buffer in buffers:
        view = memoryview(buffer).cast("B")
        last = _find_last_line_end(view)
        if last < 0:
            begun.append(bytes(view))
            continue
        start = 0
        if begun:
            start = _find_line_end(view) + 1
            yield np.frombuffer(b"".join([*begun, view[:start]]), np.uint8)
        if last + 1 > start:
            yield np.frombuffer(view[start : last + 1], np.uint8)
        begun = [bytes(view[last + 1 :])] if last + 1 < len(view) else []
    if begun:
        yield np.frombuffer(b"".join(begun), np.uint8)


def _find_line_end(view: memoryview, reach: int = 1 << 12) -> int:
    """The position of the first line end, which must exist."""
    for start in range(0, len(view), reach):
        if (at := bytes(view[start : start + reach]).find(b"\n")) >= 0:
            return start + at
    raise AssertionError


def _find_last_line_end(view: memoryview, reach: int = 1 << 12) -> int:
    """The position of the last line end, or -1."""
    for stop in range(len(view), 0, -reach):
        start = max(stop - reach, 0)
        if (at := bytes(view[start:stop]).rfind(b"\n")) >= 0:
            return start + at
    return -1


def _read_file(path: str) -> Iterator[Any]:
    with lzma.open(path) if path.endswith(".xz") else arrow.input_stream(path) as stream:
        size = 0 if os.path.splitext(path)[1] in COMPRESSED_SUFFIXES else os.path.getsize(path)  # a pipe has size 0
        size = min(READ_SIZE, size + 1) if size else READ_SIZE
        try:
            while piece := stream.read(size):
                yield piece
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise InputError(f"{path} cannot be read: {error}.") from None


def _concatenate(pieces: list[RawRows], first: int, n_features: int) -> SvmlightRows:
    if len(pieces) == 1:
        starts, indices, values, labels = pieces[0][:4]
    else:
        empty = RawRows(
            np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0), np.empty(0, np.int64), 0, 0
        )
        indices, values, labels = (np.concatenate([p[i] for p in [empty, *pieces]]) for i in (1, 2, 3))
        before = np.cumsum([0, *(len(p.indices) for p in pieces)])
        starts = np.concatenate([[0], *(p.indptr[1:] + n for p, n in zip(pieces, before, strict=False))])
    queries = None
    if any(len(p.queries) for p in pieces):
        queries = np.concatenate([p.queries if len(p.queries) else np.full(len(p.labels), -1) for p in pieces])
    if first:
        indices -= first
    if starts[-1] < 1 << 31:
        return SvmlightRows(starts.astype(np.int32), indices, values, labels, n_features, queries)
    return SvmlightRows(starts, indices.astype(np.int64), values, labels, n_features, queries)
