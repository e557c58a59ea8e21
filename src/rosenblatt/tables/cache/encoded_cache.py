"""Encoded tables on the disk: training reads rows from them, and later runs need not encode the table again.

A cache is a folder with one subfolder for each table and its options. A subfolder holds the rows as they would be in
memory, dense or CSR, one file for each array, and the state of the encoder. `header.json` lists the arrays with a
checksum of every block. A subfolder is written under a temporary name and then renamed, so it is never incomplete.
"""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np

from ...foundation.errors import InputError
from ...foundation.json_values import arrays_in, arrays_out
from ...foundation.memory import format_size
from ...foundation.splitting import USE_NAMES
from ...foundation.temporary_paths import lock_temporary_folder, remove_abandoned
from ..encode.columns.entries import CsrArrays
from ..encode.encoded_rows import EncodedRows, LabelledRows
from ..encode.encoder import Encoder
from .cache_folder import UNFINISHED_NAME
from .cache_header import read_header, write_header
from .disk_arrays import ArrayInfo, ArrayWriter, check_array, convert_array, load_array, map_array
from .stored_rows import PlacedArray, StoredRows

FORMAT = 1
MAPPED_ARRAYS = (
    ".values",
    ".places",
    ".starts",
    ".codes",
)  # what is not loaded: the rows themselves, and their classes
DISK_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MAX_INT32 = 2**31 - 1
Facts = dict[str, Any]


def cache_key(about: Mapping[str, Any]) -> str:
    """The name of a cached table: a digest of all that its content depends on."""
    whole = json.dumps({"format": FORMAT, **about}, sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class CachedTable:
    """A table in a cache: its encoder, its rows by their use, and the facts of its survey."""

    path: Path
    encoder: Encoder
    rows_by_use: dict[str, LabelledRows]
    facts: Facts

    def remove(self) -> None:
        """Delete the files. Arrays in use stay readable until they are closed."""
        shutil.rmtree(self.path, ignore_errors=True)


class CacheWriter:
    """Writes the arrays and the header of one cached table."""

    def __init__(self, path: Path, what: str) -> None:
        self.path, self._what = path, what
        self._arrays: dict[str, ArrayWriter | PlacedArray] = {}
        self._columns = 0

    def append(self, use: str, rows: LabelledRows | StoredRows) -> None:
        """Append rows of one use. Every use needs at least one call, if only without rows."""
        self._write(f"{use}.codes", rows.codes)
        if isinstance(rows, StoredRows):
            self._columns = rows.columns
            self._note(f"{use}.values", rows.values)
            return
        encoded, self._columns = rows.encoded, rows.encoded.columns
        if encoded.dense is not None:
            self._write(f"{use}.values", encoded.dense)
            return
        assert encoded.sparse is not None
        starts, places, values = encoded.sparse
        name = f"{use}.starts"
        if name not in self._arrays:
            self._write(name, np.zeros(1, np.int64))
        before = self._arrays[f"{use}.places"].items if f"{use}.places" in self._arrays else 0
        self._write(name, starts[1:].astype(np.int64) + before)
        self._write(f"{use}.places", places)
        self._write(f"{use}.values", values)

    def _write(self, name: str, values: Any) -> None:
        array = self._arrays[name] if name in self._arrays else ArrayWriter(self.path / name)
        assert isinstance(array, ArrayWriter)
        self._arrays[name] = array
        array.write(values)

    def _note(self, name: str, written: ArrayInfo) -> None:
        """Note the next part of an array, which a worker has written."""
        array = self._arrays[name] if name in self._arrays else PlacedArray(self.path / name)
        assert isinstance(array, PlacedArray)
        self._arrays[name] = array
        array.add(written)

    def end(self, encoder: Encoder, facts: Facts) -> None:
        """Write the encoder, the facts and the header, after the last rows."""
        tensors: dict[str, Any] = {}
        state = arrays_out(encoder.state(), "encoder", tensors)
        for name, values in tensors.items():
            self._write(name, values)
        about = {name: stored.end() for name, stored in self._arrays.items()}
        for use in USE_NAMES:
            self._one_type_of_index(use, about)
        header = {"format": FORMAT, "of": self._what, "columns": self._columns, "encoder": state}
        header |= {"arrays": about, "facts": facts}
        write_header(self.path, header)

    def close(self) -> None:
        for stored in self._arrays.values():
            stored.close()

    def _one_type_of_index(self, use: str, about: dict[str, ArrayInfo]) -> None:
        """Give starts and places the same integer type, as the core requires: the smallest that is large enough."""
        starts, places = f"{use}.starts", f"{use}.places"
        if starts not in about:
            return
        name, dtype = (places, np.int64) if about[places]["items"] > MAX_INT32 else (starts, np.int32)
        about[name] = convert_array(self.path / name, about[name], dtype)


@contextmanager
def write_cache(folder: Path, key: str, what: str) -> Iterator[CacheWriter]:
    """Write a cached table; if the block fails, nothing remains. `what` names the table in errors."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        remove_abandoned(folder, UNFINISHED_NAME)
    except OSError as error:
        raise _disk_error(error, folder, what) from None
    path = folder / f".{key}.{token_hex(4)}"
    writer = CacheWriter(path, what)
    try:
        with lock_temporary_folder(path):
            yield writer
            with suppress(OSError):  # another process has just written the same cache
                os.rename(path, folder / key)
    except BaseException as error:
        _clean_up(writer, path)
        full = _disk_error(error, folder, what) if isinstance(error, OSError) else error
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise full from None
    _clean_up(writer, path)


def _clean_up(writer: "CacheWriter", path: Path) -> None:
    """Close the files and remove the temporary folder, if it was not renamed."""
    writer.close()
    shutil.rmtree(path, ignore_errors=True)


def _disk_error(error: OSError, folder: Path, what: str) -> Exception:
    if error.errno in DISK_FULL_ERRORS:
        free = format_size(os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize)
        return InputError(
            f"{folder} has no room for the cache of {what} ({free} left): free some space, or give another --cache."
        )
    return error


def open_cache(folder: Path, key: str, most: int, tell: Callable[[int, int], None] | None = None) -> CachedTable | None:
    """Open a cached table after checking every block; `tell` is called with the bytes checked and the total.

    Pages of its rows are released whenever the process holds more than `most` bytes of memory.
    """
    path = folder / key
    if not path.is_dir():
        return None
    advice = f"remove {path} and train again: the cache is written anew"
    header = read_header(path, advice)
    arrays: dict[str, ArrayInfo] = header["arrays"]
    total = sum(about["items"] * np.dtype(about["type"]).itemsize for about in arrays.values())
    done = 0

    def checked(size: int) -> None:
        nonlocal done
        done += size
        if tell is not None:
            tell(done, total)

    for name, about in arrays.items():
        check_array(path / name, about, advice, checked)
    return _contents(path, header, most)


def open_new_cache(folder: Path, key: str, most: int) -> CachedTable:
    """Open a cached table that was just written, without checking its blocks."""
    path = folder / key
    return _contents(path, read_header(path, f"remove {path} and train again"), most)


def _contents(path: Path, header: dict[str, Any], most: int) -> CachedTable:
    arrays = {
        name: map_array(path / name, about, most) if name.endswith(MAPPED_ARRAYS) else load_array(path / name, about)
        for name, about in header["arrays"].items()
    }
    state = arrays_in(header["encoder"], arrays)
    rows_by_use = {}
    for use in USE_NAMES:
        values = arrays[f"{use}.values"]
        if f"{use}.starts" in arrays:
            sparse = CsrArrays(arrays[f"{use}.starts"], arrays[f"{use}.places"], values)
            encoded = EncodedRows(header["columns"], None, sparse)
        else:
            encoded = EncodedRows(header["columns"], values.reshape(-1, header["columns"]), None)
        rows_by_use[use] = LabelledRows(encoded, arrays[f"{use}.codes"])
    return CachedTable(path, Encoder.from_state(state), rows_by_use, header["facts"])
