"""Errors of a cluster: which failures are a worker's death, and the sentences for those that cannot be mended."""

from concurrent.futures import BrokenExecutor, CancelledError

from ..foundation.errors import InputError

WORKER_DEATHS = (BrokenExecutor, CancelledError, ConnectionError, MemoryError)
CLUSTER_PACKAGES = ("distributed", "ray", "pyspark")


class ClusterError(InputError):
    """The cluster cannot finish a computation. The text is one sentence: what, where, what to do."""


def is_worker_death(error: BaseException) -> bool:
    """Whether a task failed because of its worker, so that another worker may succeed.

    >>> is_worker_death(BrokenExecutor()), is_worker_death(ValueError())
    (True, False)
    """
    return isinstance(error, WORKER_DEATHS) or type(error).__module__.partition(".")[0] in CLUSTER_PACKAGES


def gave_up(what: str, attempts: int, error: BaseException) -> ClusterError:
    """The error of a task that failed on every worker that tried it."""
    if isinstance(error, MemoryError):
        return ClusterError(f"no worker has enough memory for {what}: give workers more memory, or run fewer on each.")
    last = str(error).partition("\n")[0] or "no reason was given"
    return ClusterError(
        f"workers died {attempts} times while they computed {what} (last: {type(error).__name__}: {last}): look into "
        "their logs, and check that they have enough memory."
    )


def no_answer(patience: float) -> ClusterError:
    """The error of a cluster on which nothing has ended for too long."""
    return ClusterError(
        f"no worker finished a task within {patience:g} s: check that workers are running and can reach the data."
    )
