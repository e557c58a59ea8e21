"""The folder of caches: list the cached tables, delete them, and delete what killed processes left."""

import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ...foundation.errors import InputError
from ...foundation.temporary_paths import remove_abandoned
from .cache_header import read_header

CACHE_NAME = re.compile(r"[0-9a-f]{32}")
UNFINISHED_NAME = re.compile(r"\.[0-9a-f]{32}\.[0-9a-f]{8}")


class CacheSize(NamedTuple):
    """The bytes of a cached table, and the path of the table."""

    bytes: int
    of: str


def cache_sizes(folder: Path) -> dict[Path, CacheSize]:
    """The cached tables in a folder."""
    if not folder.is_dir():
        return {}
    found = [path for path in folder.iterdir() if CACHE_NAME.fullmatch(path.name) and path.is_dir()]
    return {
        path: CacheSize(sum(each.stat().st_size for each in path.iterdir()), _table_of(path)) for path in sorted(found)
    }


def _table_of(path: Path) -> str:
    try:
        return str(read_header(path, "")["of"])
    except (InputError, KeyError, OSError):
        return "a damaged cache"


def clear_caches(folder: Path) -> int:
    """Delete the cached tables in a folder, and nothing else; returns their size in bytes."""
    remove_abandoned(folder, UNFINISHED_NAME)
    found = cache_sizes(folder)
    for path in found:
        shutil.rmtree(path)
    with suppress(OSError):
        folder.rmdir()
    return sum(size.bytes for size in found.values())
