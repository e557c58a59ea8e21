"""Plan a large training on paper: measure rates of one core here, and say what many machines would take.

    python -m benchmarks.cluster_plan --terabytes 10 --machines 100 --cores 16

Rates are processor time; on a busy machine they are lower. Nothing is assumed but that work divides by the number of
cores: disks, networks and shared memory are not in the figures.
"""

import argparse
import operator
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BLOCK_TASKS = 200  # tasks that measure what the driver and Dask's scheduler take for one
PART_ROWS, READINGS = 1 << 18, 3  # of a Parquet file in one task, and how often it is read before training
MAX_TASKS = 1024  # of one pass, as in distributed/task_groups.py, or two a worker
SAMPLE_ROWS = 1 << 19
ALGORITHMS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "logistic, to the optimum": ("logistic", {}),
    "squared hinge, to the optimum": ("svm", {"loss": "squared-hinge"}),
    "hinge, to a gap of 1e-3": ("svm", {"loss": "hinge", "tol": 1e-3}),
    "logistic by SGD, 10 epochs": ("logistic", {"solver": "sgd", "max_iter": 10, "tol": 0.0}),
}


@dataclass(frozen=True)
class TrainingRate:
    """What one core takes for a row until training ends, the passes over all rows, and the bytes a task returns.

    `most_tasks` is the number of shards that learn at once, where there are shards.
    """

    seconds_per_row: float
    passes: float
    returned: float
    most_tasks: int | None = None


@dataclass(frozen=True)
class Rates:
    """What was measured: the bytes of a row, the time of a core to learn columns and encode a row, and trainings.

    `task_seconds` is the processor time that the driver and Dask's scheduler take for one task.
    """

    row_bytes: int
    encode_seconds: float
    task_seconds: float
    trainings: Mapping[str, TrainingRate]


@dataclass(frozen=True)
class Line:
    """One line of a plan, in seconds and bytes."""

    name: str
    cores: float  # the time of all cores together, divided by their number
    driver: float
    returned: float  # to the driver, in all passes


def tasks_of_pass(workers: int) -> int:
    """The most tasks of a pass on so many workers.

    >>> tasks_of_pass(2), tasks_of_pass(1600)
    (32, 3200)
    """
    return min(16 * workers, max(MAX_TASKS, 2 * workers))


def plan(rates: Rates, size: float, workers: int) -> list[Line]:
    """The lines of a plan for a table of so many bytes on so many cores."""
    rows = size / rates.row_bytes
    parts, encode = READINGS * rows / PART_ROWS * rates.task_seconds, rows * rates.encode_seconds / workers
    lines = [Line("learn columns, encode into the cache", encode, parts, rows * 4)]
    for name, rate in rates.trainings.items():
        tasks = rate.passes * (rate.most_tasks or tasks_of_pass(workers))
        busy = min(workers, rate.most_tasks or workers)
        lines.append(Line(name, rows * rate.seconds_per_row / busy, tasks * rates.task_seconds, tasks * rate.returned))
    return lines


def measure(rows: int = SAMPLE_ROWS) -> Rates:
    """The rates of one core of this machine, on a table of 40 columns of numbers."""
    import pyarrow.parquet

    from benchmarks.large_files import COLUMNS, number_table

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as one:
        path = Path(folder, "rows.parquet")
        table = number_table(np.random.default_rng(1), rows)
        pyarrow.parquet.write_table(table, path, compression="none", row_group_size=1 << 16)
        start = time.process_time()
        encoded = encode(path, Path(folder, "cache"), one)
        seconds = (time.process_time() - start) / rows
        trainings = {name: training_rate(encoded, one, *asked) for name, asked in ALGORITHMS.items()}
        return Rates(8 * COLUMNS, seconds, task_seconds(), trainings)


def encode(path: Path, folder: Path, executor: Executor) -> Any:
    """The encoded table, as workers write it."""
    from rosenblatt.tables.cache.storage import Storage
    from rosenblatt.tables.read.sources import open_source
    from rosenblatt.tables.survey.encode_table import TableEncoding
    from rosenblatt.tables.survey.table_task import SplitOptions, TableTask

    task = TableTask(open_source(path), SplitOptions(test_fraction=0.0), "label", executor)
    return TableEncoding(task, Storage(folder=folder, shared=True)).run().table


def training_rate(table: Any, executor: Executor, algorithm: str, options: dict[str, Any]) -> TrainingRate:
    from rosenblatt.distributed.cluster import Cluster
    from rosenblatt.distributed.shards import MAX_SHARDS
    from rosenblatt.distributed.train_blocks import train_blocks
    from rosenblatt.training.request import NamedPlan
    from rosenblatt.training.train_on_executor import table_blocks

    cluster, rows = Cluster(executor, list(table_blocks(table))), len(table.train.codes)
    start = time.process_time()
    learned = train_blocks(NamedPlan.of(algorithm, options, "ovr", False), cluster, 2)
    seconds = time.process_time() - start
    kinds = cluster.traffic.by_kind.values()
    returned = sum(kind.returned for kind in kinds) / sum(kind.tasks for kind in kinds)
    shards = MAX_SHARDS if "solver" in options else None
    passes = learned.n_visits / rows + 2  # the survey, and the count of mistakes
    return TrainingRate(seconds / rows, passes, returned, shards)


def task_seconds() -> float:
    """The processor time of this process, which holds Dask's driver and scheduler, for one task."""
    from distributed import Client, LocalCluster

    from rosenblatt.distributed.block import blocks_of_arrays
    from rosenblatt.distributed.cluster import Cluster
    from rosenblatt.distributed.dask_executor import DaskExecutor

    blocks = list(blocks_of_arrays(np.zeros((BLOCK_TASKS, 1)), np.zeros(BLOCK_TASKS, np.int32), rows=1))
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "silence_logs": 50}
    with LocalCluster(n_workers=1, **options) as workers, Client(workers, set_as_default=False) as client:
        cluster = Cluster(DaskExecutor(client), blocks)
        cluster.reduce(rows_of, operator.add)  # sends the blocks
        start = time.process_time()
        cluster.reduce(rows_of, operator.add)
        return (time.process_time() - start) / BLOCK_TASKS


def rows_of(block: Any) -> int:
    return len(block.codes)


def report(rates: Rates, lines: list[Line], size: float, workers: int) -> str:
    """The rates, then the plan."""
    rows, encoded = size / rates.row_bytes, 1 / rates.encode_seconds
    return "\n".join(
        [
            f"one core encodes {encoded:,.0f} rows a second ({encoded * rates.row_bytes / 1e6:,.0f} MB)",
            *(f"{name}: {rate_text(rate)}" for name, rate in rates.trainings.items()),
            f"the driver and Dask's scheduler take {1e3 * rates.task_seconds:.2f} ms a task",
            "",
            f"{size / 1e12:g} TB, {rows:,.0f} rows, {workers:,} cores, {tasks_of_pass(workers):,} tasks a pass:",
            f"{'':36}  {'cores':>8}  {'driver':>8}  {'to the driver':>13}",
            *map(line_text, lines),
        ]
    )


def rate_text(rate: TrainingRate) -> str:
    speed = rate.passes / rate.seconds_per_row
    return f"{rate.passes:.1f} passes, {speed:,.0f} rows a second, core and pass, {rate.returned / 1e3:.1f} KB a task"


def line_text(line: Line) -> str:
    return f"{line.name:36}  {line.cores:>6,.0f} s  {line.driver:>6,.0f} s  {line.returned / 1e9:>10,.1f} GB"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_plan", description=__doc__)
    parser.add_argument("--terabytes", type=float, default=10.0)
    parser.add_argument("--machines", type=int, default=100)
    parser.add_argument("--cores", type=int, default=16, help="of each machine")
    given = parser.parse_args()
    rates, size, workers = measure(), given.terabytes * 1e12, given.machines * given.cores
    print(report(rates, plan(rates, size, workers), size, workers))


if __name__ == "__main__":
    main()
