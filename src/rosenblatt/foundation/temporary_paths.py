"""Temporary files and folders. What a killed process leaves of them is removed by the next one that writes there.

A process locks the file that it writes, or the file `lock` in the folder that it writes. The system releases the lock
of a process that dies, so what is not locked was abandoned.
"""

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from .file_lock import lock_file

LOCK = "lock"
# Neither follow a symbolic link nor wait for the other end of a pipe, whoever made them. NFS locks need O_RDWR.
OPEN_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # Windows has neither


def open_temporary_file(path: Path) -> BinaryIO:
    """Create a temporary file, which is locked until it is closed."""
    file = None
    while file is None:
        file = _open_locked(path)
    return file


def lock_temporary_folder(path: Path) -> BinaryIO:
    """Create a temporary folder, if there is none, and lock it until the file returned is closed."""
    lock = None
    while lock is None:
        path.mkdir(exist_ok=True)
        with suppress(FileNotFoundError):  # another process has just removed the empty folder
            lock = _open_locked(path / LOCK)
    return lock


def remove_abandoned(folder: Path, name: re.Pattern[str]) -> None:
    """Remove the files and folders with such a name that no process has locked."""
    with suppress(OSError):  # a folder that is missing or may not be listed
        for found in filter(name.fullmatch, os.listdir(folder)):
            with suppress(OSError):  # still written, removed meanwhile, or not ours to remove
                _remove_unlocked(folder / found)


def _open_locked(path: Path) -> BinaryIO | None:
    """Open and lock a file. None if another process took it for abandoned before it was locked, and removed it."""
    file = path.open("wb")
    with suppress(OSError):  # a file system without locks, where nothing is taken for abandoned
        lock_file(file, wait=True)
    if path.exists():
        return file
    file.close()
    return None


def _remove_unlocked(path: Path) -> None:
    if path.is_dir() and not (path / LOCK).exists():
        path.rmdir()  # empty: just created, and if its process lives, it creates the folder again
        return
    descriptor = os.open(path / LOCK if path.is_dir() else path, OPEN_FLAGS)
    try:
        lock_file(descriptor, wait=False)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    finally:
        os.close(descriptor)
