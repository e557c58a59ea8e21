"""Encoded tables on the disk, to be trained on without being in memory, and again without being read again.

A cache is a folder of folders, one a table and its options. Each has the rows as they would be in memory, dense or CSR,
one file an array; what was learned about the columns; and in `header.json` what belongs together, with checksums of
every block. A folder is written under another name and renamed whole, so there are no halves.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

import numpy as np

from ...foundation.errors import InputError
from ...foundation.json_values import arrays_in, arrays_out
from ...foundation.memory import shown
from ...foundation.splitting import USE_NAMES
from ..encode.columns import Sparse
from ..encode.encoded_rows import Encoded, LabelledRows
from ..encode.encoder import Encoder
from .disk_arrays import About, Stored, check, loaded, mapped, retyped

FORMAT = 1
ROWS = (".values", ".places", ".starts", ".codes")  # what is not loaded: the rows themselves, and their classes
HEADER, LOCK = "header.json", "lock"
HOUR = 3600.0  # seconds
NAME = re.compile(r"[0-9a-f]{32}")
UNFINISHED = re.compile(r"\.[0-9a-f]{32}\.[0-9a-f]{8}")
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MOST_INT32 = 2**31 - 1
Facts = dict[str, Any]


def key_of(about: Mapping[str, Any]) -> str:
    """The name of a cache: a digest of all that its content depends on."""
    whole = json.dumps({"format": FORMAT, **about}, sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Contents:
    """What a cache holds: an encoder, rows in parts, and whatever else is known."""

    path: Path
    encoder: Encoder
    parts: dict[str, LabelledRows]
    facts: Facts

    def remove(self) -> None:
        """From the disk; arrays that are in use stay until they are not."""
        shutil.rmtree(self.path, ignore_errors=True)


class Writer:
    """A cache in the making."""

    def __init__(self, path: Path, what: str) -> None:
        self._path, self._what = path, what
        self._arrays: dict[str, Stored] = {}
        self._columns = 0

    def append(self, part: str, rows: LabelledRows) -> None:
        """Append rows of a part. Every part must be appended to at least once, if only without rows."""
        encoded, self._columns = rows.encoded, rows.encoded.columns
        self._write(f"{part}.codes", rows.codes)
        if encoded.dense is not None:
            self._write(f"{part}.values", encoded.dense)
            return
        assert encoded.sparse is not None
        starts, places, values = encoded.sparse
        name = f"{part}.starts"
        if name not in self._arrays:
            self._write(name, np.zeros(1, np.int64))
        before = self._arrays[f"{part}.places"].items if f"{part}.places" in self._arrays else 0
        self._write(name, starts[1:].astype(np.int64) + before)
        self._write(f"{part}.places", places)
        self._write(f"{part}.values", values)

    def _write(self, name: str, values: Any) -> None:
        if name not in self._arrays:
            self._arrays[name] = Stored(self._path / name)
        self._arrays[name].write(values)

    def end(self, encoder: Encoder, facts: Facts) -> None:
        """All rows are there."""
        tensors: dict[str, Any] = {}
        state = arrays_out(encoder.state(), "encoder", tensors)
        for name, values in tensors.items():
            self._write(name, values)
        about = {name: stored.end() for name, stored in self._arrays.items()}
        for part in USE_NAMES:
            self._one_type_of_index(part, about)
        header = {"format": FORMAT, "of": self._what, "columns": self._columns, "encoder": state}
        header |= {"arrays": about, "facts": facts}
        text = json.dumps(header)
        whole = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "header": text}
        (self._path / HEADER).write_text(json.dumps(whole))

    def close(self) -> None:
        for stored in self._arrays.values():
            stored.close()

    def _one_type_of_index(self, part: str, about: dict[str, About]) -> None:
        """The core takes starts and places of one type, the smallest that will do."""
        starts, places = f"{part}.starts", f"{part}.places"
        if starts not in about:
            return
        name, dtype = (places, np.int64) if about[places]["items"] > MOST_INT32 else (starts, np.int32)
        about[name] = retyped(self._path / name, about[name], dtype)


@contextmanager
def writing(folder: Path, key: str, what: str) -> Iterator[Writer]:
    """Write a cache; it is there when the block ends well, and leaves no trace otherwise. `what` it is of is named."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        path = folder / f".{key}.{token_hex(4)}"
        path.mkdir()
    except OSError as error:
        raise _no_room(error, folder, what) from None
    writer = Writer(path, what)
    try:
        with (path / LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield writer
            (path / LOCK).unlink()
            with suppress(OSError):  # somebody else was quicker, with the same
                os.rename(path, folder / key)
    except BaseException as error:
        _leave(writer, path)
        full = _no_room(error, folder, what) if isinstance(error, OSError) else error
        if new:
            with suppress(OSError):
                folder.rmdir()
        raise full from None
    _leave(writer, path)


def _leave(writer: "Writer", path: Path) -> None:
    """No trace but what has another name by now."""
    writer.close()
    shutil.rmtree(path, ignore_errors=True)


def _no_room(error: OSError, folder: Path, what: str) -> Exception:
    if error.errno in FULL:
        free = shown(os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize)
        return InputError(
            f"{folder} has no room for the cache of {what} ({free} left): make room, or name another folder by --cache."
        )
    return error


def _sweep(folder: Path) -> None:
    """Remove what others left who were killed while they wrote."""
    for path in filter(lambda path: UNFINISHED.fullmatch(path.name), folder.glob(".*")):
        with suppress(BlockingIOError, NotADirectoryError, FileNotFoundError):  # alive, none of ours, or gone by now
            if not (path / LOCK).exists() and time.time() - path.stat().st_mtime < HOUR:
                continue  # just begun, or about to get its name
            with (path / LOCK).open("ab") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)


def opened(folder: Path, key: str, most: int, tell: Callable[[int, int], None] | None = None) -> Contents | None:
    """A cache that is there, after a look at every block; `tell` hears how many bytes of how many were looked at.

    Its rows are let go whenever the process holds more than `most` bytes of memory.
    """
    path = folder / key
    if not path.is_dir():
        return None
    advice = f"remove {path} and train again, and it is made anew"
    header = _header(path, advice)
    arrays: dict[str, About] = header["arrays"]
    total = sum(about["items"] * np.dtype(about["type"]).itemsize for about in arrays.values())
    done = 0

    def looked(size: int) -> None:
        nonlocal done
        done += size
        if tell is not None:
            tell(done, total)

    for name, about in arrays.items():
        check(path / name, about, advice, looked)
    return _contents(path, header, most)


def _header(path: Path, advice: str) -> dict[str, Any]:
    try:
        whole = json.loads((path / HEADER).read_bytes())
        if hashlib.sha256(whole["header"].encode()).hexdigest() != whole["sha256"]:
            raise ValueError
        header: dict[str, Any] = json.loads(whole["header"])
    except FileNotFoundError:
        raise InputError(f"{path / HEADER} is missing: {advice}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{path / HEADER} is damaged: {advice}.") from None
    return header


def written(folder: Path, key: str, most: int) -> Contents:
    """A cache that was just written."""
    path = folder / key
    return _contents(path, _header(path, f"remove {path} and train again"), most)


def _contents(path: Path, header: dict[str, Any], most: int) -> Contents:
    arrays = {
        name: mapped(path / name, about, most) if name.endswith(ROWS) else loaded(path / name, about)
        for name, about in header["arrays"].items()
    }
    state = arrays_in(header["encoder"], arrays)
    parts = {}
    for part in USE_NAMES:
        values = arrays[f"{part}.values"]
        if f"{part}.starts" in arrays:
            sparse = Sparse(arrays[f"{part}.starts"], arrays[f"{part}.places"], values)
            encoded = Encoded(header["columns"], None, sparse)
        else:
            encoded = Encoded(header["columns"], values.reshape(-1, header["columns"]), None)
        parts[part] = LabelledRows(encoded, arrays[f"{part}.codes"])
    return Contents(path, Encoder.from_state(state), parts, header["facts"])


class Size(NamedTuple):
    """How much of the disk a cache takes, and the table that it is of."""

    bytes: int
    of: str


def sizes(folder: Path) -> dict[Path, Size]:
    """The caches in a folder."""
    if not folder.is_dir():
        return {}
    found = [path for path in folder.iterdir() if NAME.fullmatch(path.name) and path.is_dir()]
    return {path: Size(sum(each.stat().st_size for each in path.iterdir()), _of(path)) for path in sorted(found)}


def _of(path: Path) -> str:
    try:
        return str(_header(path, "")["of"])
    except (InputError, KeyError, OSError):
        return "a damaged cache"


def clear(folder: Path) -> int:
    """Remove all caches of a folder, and nothing else; how many bytes they had."""
    _sweep(folder)
    found = sizes(folder)
    for path in found:
        shutil.rmtree(path)
    with suppress(OSError):
        folder.rmdir()
    return sum(size.bytes for size in found.values())
