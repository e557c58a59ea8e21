"""Locks that keep other processes out of a file. The system releases the lock of a process that dies."""

from typing import BinaryIO


def lock_file(file: int | BinaryIO, *, wait: bool) -> None:
    """Lock an open file until it is closed.

    Raises BlockingIOError if another process has locked it and `wait` is false, and another OSError where the system or
    the file system has no locks.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        raise OSError("this system has no locks that end with their process") from None
    fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
