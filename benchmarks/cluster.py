"""Many workers: ours against dask-ml on the same two Dask workers, and ours on Dask against one process of ours.

Every worker and the one process use one thread. Workers, scheduler and driver share this machine. Tables are trained on
from the file to the model: columns are learned, rows encoded into a new cache, and the optimum is found.
"""

import atexit
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.parquet

from benchmarks.commands import OURS, run
from benchmarks.datasets import cache_folder, output_folder
from benchmarks.large_files import COLUMNS, number_table, size_factor
from benchmarks.peers import NoPeer
from benchmarks.tasks import Mark, Pair, faster, needs, task, within
from benchmarks.timing import stopwatch

TABLE = 4e9 * size_factor()  # bytes of numbers
ROWS, WIDTH, CHUNK = round(1e6 * size_factor()), 50, round(62_500 * size_factor())
FEW = ROWS // 10
GROUP_ROWS = 1 << 16  # of a Parquet file
NEAR = 1e-4  # the relative gap to the least objective that a peer must reach; its "newton" leaves out the penalty
SOLVERS = ("newton", "lbfgs")  # of dask-ml; its others do not come near in the time there is

LOGISTIC = f"logistic optimum, {ROWS:,} x {WIDTH} as a Dask array on two workers"
TRAIN = f"rosenblatt train, {TABLE / 1e9:g} GB of Parquet"


@cache
def client(workers: int) -> Any:
    """A client of so many workers, which end with this process."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    )
    found = Client(cluster, set_as_default=False)
    atexit.register(lambda: (found.close(), cluster.close()))
    return found


@cache
def rows_on_workers(classes: int) -> tuple[Any, Any]:
    """Normal rows and their overlapping classes, held by two workers."""
    import dask.array as da
    from dask import persist
    from distributed import wait

    weights, random = np.random.default_rng(0).standard_normal((WIDTH, classes)), da.random.default_rng(1)
    X = random.standard_normal((ROWS, WIDTH), chunks=(CHUNK, WIDTH))
    y = (X @ weights + random.gumbel(size=(ROWS, classes), chunks=(CHUNK, classes))).argmax(axis=1)
    with client(2).as_current():
        X, y = persist(X, y)
        wait([X, y])
    return X, y


def on_two_workers(fit: Callable[[], Any]) -> Callable[[], Any]:
    """The same, by the two workers."""

    def run_there() -> Any:
        with client(2).as_current():
            return fit()

    return run_there


def objective(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The logistic loss of all rows and half the squared weights, the intercept's, too, as dask-ml penalises it."""
    w = np.append(np.ravel(model.coef_), np.ravel(model.intercept_))
    return float(np.logaddexp(0, (1 - 2 * y) * (X @ w[:-1] + w[-1])).sum() + w @ w / 2)


@task("dask-ml", LOGISTIC, "dask-ml, its fastest solver", faster(5))
def against_dask_ml() -> Pair:
    from rosenblatt import LogisticRegression

    X, y = rows_on_workers(2)
    ours, found = LogisticRegression(penalize_intercept=True), {}

    def fit_ours() -> None:
        found["ours"] = on_two_workers(lambda: ours.fit(X, y))()

    def fit_peer(solver: str) -> Any:
        from dask_ml.linear_model import LogisticRegression as Peer

        return on_two_workers(lambda: Peer(solver=solver).fit(X, y))()

    def fit_fastest_peer() -> None:
        found["peer"] = fit_peer(found["solver"])

    def gap(model: Any) -> float:
        here = found.get("rows") or tuple(client(2).gather(client(2).compute([X, y])))
        found["rows"] = here
        return objective(model, *here) / objective(found["ours"], *here) - 1

    def choose_peer() -> None:
        fit_ours()
        seconds = {}
        for solver in SOLVERS:
            start = time.perf_counter()
            if gap(fit_peer(solver)) <= NEAR:
                seconds[solver] = time.perf_counter() - start
        if not seconds:
            raise NoPeer(f"no solver of dask-ml came within {NEAR:g} of the least objective")
        found["solver"] = min(seconds, key=lambda solver: seconds[solver])

    def remark() -> str:
        return f"gap of {found['solver']} to ours {gap(found['peer']):.0e}"

    return Pair(stopwatch(fit_ours), stopwatch(fit_fastest_peer), remark, choose_peer)


def more_accurate() -> Mark:
    """Both sides measure the share of rows that are right."""
    return Mark("more", lambda ours, peer: "", lambda ours, peer: ours > peer, lambda share: f"{share:.2%}")


@task("three-classes", f"accuracy, {FEW:,} rows of three classes", "dask-ml, lbfgs (dask-ml#859)", more_accurate())
def three_classes() -> Pair:
    from rosenblatt import LogisticRegression

    X, y = (part[:FEW] for part in rows_on_workers(3))

    @cache  # the same at each run
    def accuracy(side: str) -> float:
        if side == "ours":
            model: Any = LogisticRegression()
        else:
            from dask_ml.linear_model import LogisticRegression as Peer

            model = Peer(solver="lbfgs", max_iter=20)
        return float(on_two_workers(lambda: (model.fit(X, y).predict(X) == y).mean().compute())())

    return Pair(lambda: accuracy("ours"), lambda: accuracy("peer"), prepare_peer=needs("dask_ml"))


def write_table(size: float) -> Path:
    """A Parquet file of about `size` bytes, kept between runs."""
    path = cache_folder() / f"cluster-{size / 1e9:g}.parquet"
    if path.is_file():
        return path
    unfinished, random, file = path.with_suffix(".unfinished"), np.random.default_rng(1), None
    for _ in range(max(1, round(size / (GROUP_ROWS * COLUMNS * 8)))):
        table = number_table(random, GROUP_ROWS)
        file = file or arrow.parquet.ParquetWriter(
            unfinished, table.schema, compression="none", use_dictionary=["label"]
        )
        file.write_table(table)
    file.close()
    unfinished.rename(path)
    return path


def train(path: Path, *options: object) -> None:
    words = ("train", path, "--target", "label", "--test-fraction", 0, "--algorithm", "logistic", "--set", "tol=1e-6")
    folder = output_folder() / "cluster-cache"
    words += ("--cache", folder, "--no-cache", "--quiet", "--force", "--model", output_folder() / "cluster-model")
    run("env", "OMP_NUM_THREADS=1", *OURS, *words, *options)


def against_one_process(workers: int) -> Pair:
    """So many Dask workers against one process, which reads and caches the table, too: it is larger than its memory."""
    path = write_table(TABLE)
    run("dd", f"if={path}", "of=/dev/null", "bs=1M")  # both sides find the file in the page cache
    address = client(workers).scheduler.address
    return Pair(stopwatch(lambda: train(path, "--scheduler", address)), stopwatch(lambda: train(path)))


@task("two-workers", TRAIN + ", two Dask workers", "one process, one thread", faster(1.7))
def two_workers() -> Pair:
    return against_one_process(2)


@task("one-worker", TRAIN + ", one Dask worker", "one process, one thread", within(1.15))
def one_worker() -> Pair:
    return against_one_process(1)
