"""Who computes on Dask collections: the workers of the Dask client in use; without one, threads of this process."""

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

from ..foundation.threads import thread_count
from .dask_executor import DaskExecutor, current_client


@contextmanager
def collection_executor(n_jobs: int | None = None) -> Iterator[Executor]:
    """The executor for Dask collections. `n_jobs` is the number of threads where there is no client."""
    client = current_client()
    if client is not None:
        yield DaskExecutor(client)
    else:
        with ThreadPoolExecutor(thread_count(n_jobs)) as threads:
            yield threads
