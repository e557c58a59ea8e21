"""How many workers an executor has."""

from concurrent.futures import Executor
from typing import Any


def worker_count(executor: Executor) -> int:
    """How many tasks an executor computes at once, as far as it tells.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> worker_count(ThreadPoolExecutor(3))
    3
    """
    told: Any = getattr(executor, "workers", None) or getattr(executor, "_max_workers", None)
    return max(1, int(told or 1))
