"""What users may give as an executor: a number of processes, a Dask client or its address, a Spark session, or any
`Executor`."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from ..foundation.errors import InputError
from ..foundation.extras import needs_extra
from .dask_executor import DaskExecutor, is_dask_adapter
from .local_processes import LocalProcesses
from .spark_executor import SparkExecutor, is_spark
from .worker_failures import ClusterError

CONNECT_SECONDS = 30


@contextmanager
def open_executor(given: Any) -> Iterator[Executor]:
    """The executor for what a user gave. One that is made here ends here.

    >>> with open_executor("three"):
    ...     pass
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.errors.InputError: executor must be a number of processes, a Dask client, the address of a \
Dask scheduler such as 'tcp://host:8786', a Spark session, or a concurrent.futures.Executor, not 'three'.
    """
    if isinstance(given, Executor):  # futures of Dask's own may never end after a worker's death
        yield DaskExecutor.of_adapter(given) if is_dask_adapter(given) else given
    elif isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        with LocalProcesses(given) as processes:
            yield processes
    elif isinstance(given, str) and "://" in given:
        with connect(given) as client:
            yield DaskExecutor(client)
    elif hasattr(given, "get_executor"):
        yield DaskExecutor(given)
    elif is_spark(given):
        with SparkExecutor(given) as jobs:
            yield jobs
    else:
        raise InputError(
            "executor must be a number of processes, a Dask client, the address of a Dask scheduler such as "
            f"'tcp://host:8786', a Spark session, or a concurrent.futures.Executor, not {given!r}."
        )


def connect(address: str) -> Any:
    """A client of the Dask scheduler at this address."""
    with needs_extra("dask", "a Dask scheduler"):
        import distributed
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ClusterError(f"no Dask scheduler answers at {address} ({reason}): check the address.") from None
