"""Memory: sizes as people write them, and how much this process uses."""

import re

from .. import _core
from .errors import InputError

DEFAULT_LIMIT = 1 << 30
SMALLEST_LIMIT = 1 << 28  # Python, NumPy and Arrow take 60 MB, reading and encoding 100 MB more
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
SIZE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?I?)B?\s*", re.IGNORECASE)


def parse_size(given: int | float | str, name: str = "memory") -> int:
    """The number of bytes that a text such as 2GiB stands for.

    >>> parse_size("1GiB"), parse_size("1.5 GB"), parse_size(1 << 28)
    (1073741824, 1500000000, 268435456)
    >>> parse_size("some")
    Traceback (most recent call last):
    rosenblatt.foundation.errors.InputError: memory must be a number of bytes such as 500MB or 2GiB, not 'some'.
    """
    found = SIZE.fullmatch(str(given))
    if found is None or found[2].upper() not in UNITS or isinstance(given, bool):
        raise InputError(f"{name} must be a number of bytes such as 500MB or 2GiB, not {given!r}.")
    wanted = int(float(found[1]) * UNITS[found[2].upper()])
    if wanted < SMALLEST_LIMIT:
        raise InputError(
            f"{name} must be at least {format_size(SMALLEST_LIMIT)}, which reading alone needs, not {given!r}."
        )
    return wanted


def format_size(count: float) -> str:
    """A number of bytes for people.

    >>> format_size(1536 << 20), format_size(3 << 20)
    ('1.5 GiB', '3 MiB')
    """
    for unit, least in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= least:
            return f"{count / least:.3g} {unit}"
    return f"{count:.0f} bytes"


def resident_memory() -> int:
    """The resident memory of this process in bytes, or its peak where the system reports nothing else."""
    now, _ = _core.resident_bytes()
    if now:
        return now
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def private_memory() -> int:
    """The resident memory without pages of mapped files, which the system can drop."""
    return resident_memory() - _core.resident_bytes()[1]


def release_free_memory() -> None:
    """Return freed memory to the system that allocators keep for later."""
    import ctypes

    import pyarrow as arrow

    arrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # only glibc has it
    if trim is not None:
        trim(0)
