"""Calls in several threads, and what the main thread does meanwhile."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

WAIT_SECONDS = 0.1  # between pauses


def call_side_by_side(
    calls: Sequence[Callable[[], object]], threads: int, pause: Callable[[], None], stop: Callable[[], None]
) -> None:
    """Make the calls, as many at a time as there are threads. `pause` is called at intervals until all have ended.

    At an exception `stop` tells the other calls to end, and then it is raised.
    """
    with ThreadPoolExecutor(min(threads, len(calls))) as pool:
        pending = {pool.submit(call) for call in calls}
        try:
            while pending:
                done, pending = wait(pending, timeout=WAIT_SECONDS)
                for future in done:
                    future.result()
                pause()
        except BaseException:
            stop()
            raise
