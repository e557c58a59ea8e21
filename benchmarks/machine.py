"""The machine of a run: its processor, memory, streaming-read rate and library versions."""

import os
import platform
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from benchmarks.timing import stopwatch

LIBRARIES = (
    *("numpy", "scipy", "scikit-learn", "vowpalwabbit", "mlpack", "scikit-learn-intelex", "liblinear-multicore"),
    *("fasttext-numpy2", "glum", "skglm", "celer", "river", "mlflow-skinny"),
)


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def reader(X: np.ndarray) -> Callable[[], None]:
    """A function that reads every byte of `X` once, on all cores, as fast as memory allows.

    Each thread takes the maximum of its own slices. numpy's maximum is vectorised and keeps up with memory; its
    float64 sum does not and would understate the rate by a third.
    """
    slices = np.array_split(X.reshape(-1), 8 * cores())
    threads = ThreadPoolExecutor(cores())

    def read() -> None:
        for _ in threads.map(np.max, slices):
            pass

    return read


def read_rate() -> float:
    """The streaming-read rate in bytes a second: best of fifteen reads of 2 GiB, far more than any cache holds."""
    X = np.ones(2**28)
    seconds = stopwatch(reader(X))
    return X.nbytes / min(seconds() for _ in range(15))


def processor() -> str:
    """The model name of the processor."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory() -> float:
    """Bytes of main memory."""
    return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")


def versions() -> dict[str, str]:
    """The versions of Python and of the other libraries."""
    found = {"Python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "not installed"
    return found
