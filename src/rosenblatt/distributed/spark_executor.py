"""A Spark session as an executor: each task is a job of one partition, which Spark places and repeats by itself."""

import pickle
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any


class SparkExecutor(Executor):
    """The executors of a Spark session or context. Threads of this process wait for the jobs.

    Jobs carry pickled tasks, so rosenblatt must be installed where Spark's Python workers run.
    """

    def __init__(self, session: Any) -> None:
        self._context = getattr(session, "sparkContext", session)
        self.workers = int(self._context.defaultParallelism)
        self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="spark-job")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._threads.submit(self._run_job, pickle.dumps((fn, args, kwargs)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads. The session stays as it is."""
        self._threads.shutdown(wait, cancel_futures=cancel_futures)

    def _run_job(self, task: bytes) -> Any:
        try:
            [answer] = self._context.parallelize([task], 1).map(run_pickled).collect()
        except Exception as error:  # of Spark itself: those of tasks come with the answer
            raise BrokenExecutor(f"a Spark job failed: {str(error).strip().partition(chr(10))[0]}") from None
        result, failure = pickle.loads(answer)
        if failure is not None:
            raise failure
        return result


def is_spark(given: Any) -> bool:
    """Whether this is a Spark session or context. Spark is not imported for it."""
    return type(given).__module__.partition(".")[0] == "pyspark" and hasattr(
        getattr(given, "sparkContext", given), "parallelize"
    )


def run_pickled(task: bytes) -> bytes:
    """Run a pickled call, and pickle its result or its error. This is what Spark's workers run.

    >>> pickle.loads(run_pickled(pickle.dumps((max, (3, 5), {}))))
    (5, None)
    """
    try:
        fn, args, kwargs = pickle.loads(task)
        answer: tuple[Any, BaseException | None] = fn(*args, **kwargs), None
    except Exception as error:
        answer = None, error
    return pickle.dumps(answer)
