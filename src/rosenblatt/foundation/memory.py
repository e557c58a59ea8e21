"""How much memory there is to use, and how much is used."""

import re

from .. import _core
from .errors import InputError

DEFAULT = 1 << 30
LEAST = 1 << 28  # Python, NumPy and Arrow take 60 MB, and what they are reading and encoding 100 MB more
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
SIZE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([KMGT]?I?)B?\s*", re.IGNORECASE)


def size(given: int | float | str, name: str = "memory") -> int:
    """A number of bytes, as people write it.

    >>> size("1GiB"), size("1.5 GB"), size(1 << 28)
    (1073741824, 1500000000, 268435456)
    >>> size("some")
    Traceback (most recent call last):
    rosenblatt.foundation.errors.InputError: memory must be a number of bytes such as 500MB or 2GiB, not 'some'.
    """
    found = SIZE.fullmatch(str(given))
    if found is None or found[2].upper() not in UNITS or isinstance(given, bool):
        raise InputError(f"{name} must be a number of bytes such as 500MB or 2GiB, not {given!r}.")
    wanted = int(float(found[1]) * UNITS[found[2].upper()])
    if wanted < LEAST:
        raise InputError(f"{name} must be at least {shown(LEAST)}, which reading alone needs, not {given!r}.")
    return wanted


def shown(count: float) -> str:
    """
    >>> shown(1536 << 20), shown(3 << 20)
    ('1.5 GiB', '3 MiB')
    """
    for unit, least in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= least:
            return f"{count / least:.3g} {unit}"
    return f"{count:.0f} bytes"


def resident() -> int:
    """The bytes of memory that this process takes now; where nothing tells that, the most so far."""
    now, _ = _core.resident_bytes()
    if now:
        return now
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def own() -> int:
    """What of it is not pages of files, which come again when they are read."""
    return resident() - _core.resident_bytes()[1]


def give_back() -> None:
    """Return memory to the system that was freed but is kept for later."""
    import ctypes

    import pyarrow as arrow

    arrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's alone
    if trim is not None:
        trim(0)
