"""How many threads to use. Results never depend on the number."""

import os
from numbers import Integral

from .. import _core

SMALL_VALUES = 1 << 17  # fewer stored values are read sooner than threads are started


def thread_count(n_jobs: int | None) -> int:
    """Threads to use. None: every core this process may run on, within OMP_NUM_THREADS; results do not depend on it."""
    if n_jobs is None and (threads := _core.default_threads()):
        return threads
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return max(1, min(cores, int(limit))) if limit.isdigit() else cores
    if not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of threads, -1 for all cores, or None, not {n_jobs!r}.")
    return min(int(n_jobs), 1024) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


def threads_for(rows: _core.Rows, n_jobs: int | None) -> int:
    """Threads for one pass over rows: one where there is little to read."""
    return 1 if rows.stored_values < SMALL_VALUES else thread_count(n_jobs)
