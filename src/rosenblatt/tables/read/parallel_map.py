"""`map` in several threads, with a bounded number of results ahead."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from typing import Any, TypeVar

MAX_THREADS = 8  # that read; each takes about 20 MB for its part of a file

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_parallel(make: Callable[[Item], Result], given: Iterable[Item], threads: int) -> Iterator[Result]:
    """`map` in several threads. At most `threads` + 2 results are computed ahead, which bounds the memory.

    >>> list(map_in_parallel(abs, [-1, 2, -3], threads=2))
    [1, 2, 3]
    """
    if threads == 1:
        yield from map(make, given)
        return
    threads = min(threads, MAX_THREADS)
    helpers: set[int] = set()
    pool = ThreadPoolExecutor(threads, initializer=lambda: helpers.add(get_ident()))
    waiting: deque[Any] = deque()
    try:
        for item in given:
            waiting.append(pool.submit(make, item))
            if len(waiting) > threads + 1:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # an abandoned generator is closed by any thread, and a thread of the pool cannot wait for itself
        pool.shutdown(wait=get_ident() not in helpers, cancel_futures=True)
