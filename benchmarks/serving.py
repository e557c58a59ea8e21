"""`rosenblatt serve` under load: a model of 30 numeric columns, with a log, on one core; the clients are on another.

MLflow serves scikit-learn's StandardScaler and LogisticRegression of the same rows on the same core. Requests are sent
as fast as eight connections allow, or at a fixed rate. The remarks tell the processor time of the service for each
request, which other programs disturb least.
"""

import atexit
import json
import shutil
import socket
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow

from benchmarks.datasets import output_folder
from benchmarks.http_load import (
    HOST,
    Answered,
    Request,
    Server,
    as_fast_as_it_goes,
    at_rate,
    closed_loop,
    on_client_core,
)
from benchmarks.large_files import size_factor
from benchmarks.tasks import Pair, faster, format_megabytes, needs, task, under, within
from benchmarks.timing import Stopwatch
from rosenblatt import fit, save

COLUMNS, CONNECTIONS, SECONDS = 30, 8, 2.0
RATE, SLOW_RATE = 2000, 100  # requests a second
BATCH_ROWS, BATCHES = 20_000, 10
LEARNED, TOGETHER, MANY_CONNECTIONS = 5000, 100, 64
STEADY = round(1_000_000 * size_factor())  # requests over which memory is observed
NAMES = [f"x{k}" for k in range(COLUMNS)]
ARROW = "application/vnd.apache.arrow.stream"


@cache
def table() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, COLUMNS))
    return X, np.where(X @ random.normal(size=COLUMNS) > 0, "a", "b")


def served(folder: Path) -> Server:
    """Our service, with an empty log."""
    X, y = table()
    path, log = folder / "served.safetensors", folder / "served.log"
    shutil.rmtree(log, ignore_errors=True)
    save(fit({**dict(zip(NAMES, X.T, strict=True)), "y": y}, target="y", algorithm="averaged"), path)
    return Server([sys.executable, "-m", "rosenblatt.cli", "serve", str(path), "--log", str(log), "--port", "0"])


@cache
def ours() -> Server:
    """Our service, which ends with this process."""
    server = served(output_folder())
    atexit.register(server.close)
    return server


@cache
def mlflow() -> Server:
    """MLflow's server of a scikit-learn pipeline, started as MLflow starts it; it ends with this process."""
    import mlflow.sklearn
    import pandas
    from mlflow.pyfunc.scoring_server import get_cmd
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = table()
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(pandas.DataFrame(X, columns=NAMES), y)
    folder = output_folder() / "mlflow-model"
    shutil.rmtree(folder, ignore_errors=True)
    mlflow.sklearn.save_model(model, folder, serialization_format="cloudpickle", pip_requirements=[])
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    command, environment = get_cmd(str(folder.resolve()), port=port, host=HOST, timeout=60, nworkers=1)
    trusted = {**environment, "MLFLOW_ALLOW_PICKLE_DESERIALIZATION": "true"}
    server = Server([sys.executable, "-m", *command.split()], port, trusted)
    atexit.register(server.close)
    server.wait_for(mlflow_row())
    return server


def row() -> dict[str, float]:
    return dict(zip(NAMES, np.random.default_rng(1).normal(size=COLUMNS).tolist(), strict=True))


def one_row() -> Request:
    return Request("/predict", json.dumps(row()).encode())


def mlflow_row() -> Request:
    content = {"dataframe_split": {"columns": NAMES, "data": [list(row().values())]}}
    return Request("/invocations", json.dumps(content).encode())


def mlflow_rows(count: int) -> Request:
    data = np.random.default_rng(2).normal(size=(count, COLUMNS)).tolist()
    return Request("/invocations", json.dumps({"dataframe_split": {"columns": NAMES, "data": data}}).encode())


def arrow_rows(count: int) -> Request:
    random = np.random.default_rng(2)
    rows = arrow.table({name: random.normal(size=count) for name in NAMES})
    sink = arrow.BufferOutputStream()
    with arrow.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return Request("/predict", sink.getvalue().to_pybytes(), ARROW)


def learned_rows(count: int) -> Request:
    return Request("/learn", json.dumps([{**row(), "y": "a"}] * count).encode())


class Metered:
    """A load on a server that notes the processor time of a request: of the last run, and the least of all."""

    def __init__(self, server: Callable[[], Server], load: Callable[[int], Answered]) -> None:
        self._server, self._load = server, load
        self.last, self.least = np.inf, np.inf

    def __call__(self) -> Answered:
        server = self._server()
        before = server.processor_seconds()
        found = self._load(server.port)
        self.last = (server.processor_seconds() - before) / found.requests
        self.least = min(self.least, self.last)
        return found

    def remark(self) -> str:
        return f"{self.least * 1e3:.3g} ms of processor a request"


def seconds_each(load: Metered) -> Stopwatch:
    def seconds() -> float:
        found = load()
        return found.seconds / found.requests

    return seconds


def processor_each(load: Metered) -> Stopwatch:
    def seconds() -> float:
        load()
        return load.last

    return seconds


def seconds_of_all(load: Metered) -> Stopwatch:
    return lambda: load().seconds


def p99(load: Metered) -> Stopwatch:
    return lambda: load().p99


def at_fixed_rate(rate: int) -> Metered:
    request, count = one_row(), round(SECONDS * rate)
    return Metered(ours, lambda port: on_client_core(lambda: at_rate(port, request, rate, count)))


def in_closed_loop(server: Callable[[], Server], request: Request, connections: int, requests: int) -> Metered:
    return Metered(server, lambda port: on_client_core(lambda: closed_loop(port, request, connections, requests)))


@task("one-row-p99", f"predict one row, {RATE:,} a second: p99", f"ours, {SLOW_RATE} a second", under(5))
def one_row_p99() -> Pair:
    fast, slow = at_fixed_rate(RATE), at_fixed_rate(SLOW_RATE)
    return Pair(p99(fast), p99(slow), fast.remark)


def one_row_pair(measure: Callable[[Metered], Stopwatch]) -> Pair:
    request, theirs = one_row(), mlflow_row()
    fast = Metered(ours, lambda port: as_fast_as_it_goes(port, request, CONNECTIONS, SECONDS))
    slow = Metered(mlflow, lambda port: as_fast_as_it_goes(port, theirs, CONNECTIONS, SECONDS))
    return Pair(measure(fast), measure(slow), fast.remark, needs("mlflow.pyfunc.scoring_server"))


@task("one-row-mlflow", "predict one row: time a request", "MLflow, scikit-learn's pipeline", faster(5))
def one_row_against_mlflow() -> Pair:
    return one_row_pair(seconds_each)


@task("one-row-processor", "the same: processor time a request", "MLflow, scikit-learn's pipeline", faster(5))
def processor_against_mlflow() -> Pair:
    return one_row_pair(processor_each)


@task(
    "batches", f"predict {BATCH_ROWS * BATCHES:,} rows of Arrow, {BATCH_ROWS:,} at a time", "MLflow, JSON", under(1000)
)
def batches() -> Pair:
    fast = in_closed_loop(ours, arrow_rows(BATCH_ROWS), 2, BATCHES)
    slow = in_closed_loop(mlflow, mlflow_rows(BATCH_ROWS), 1, BATCHES)
    return Pair(seconds_of_all(fast), seconds_of_all(slow), fast.remark, needs("mlflow.pyfunc.scoring_server"))


@task("learn", f"learn {LEARNED:,} rows on the disk, {TOGETHER} a request", "one row a request", under(1000))
def learn() -> Pair:
    fast = in_closed_loop(ours, learned_rows(TOGETHER), CONNECTIONS, LEARNED // TOGETHER)
    single = in_closed_loop(ours, learned_rows(1), MANY_CONNECTIONS, LEARNED)
    return Pair(seconds_of_all(fast), seconds_of_all(single), fast.remark)


@task(
    "memory",
    f"memory after {STEADY:,} predictions of one row",
    "memory after a tenth of them",
    replace(within(1.05), unit=format_megabytes),
)
def memory() -> Pair:
    request, found = one_row(), dict[str, Any](sent=0, tenth=0.0)

    def send(requests: int) -> float:
        until = found["sent"] + requests
        while found["sent"] < until:
            found["sent"] += as_fast_as_it_goes(ours().port, request, CONNECTIONS, 5).requests
        return ours().resident_bytes()

    def after_all() -> float:
        if not found["tenth"]:
            found["tenth"], found["all"] = send(STEADY // 10), send(STEADY - STEADY // 10)
        return float(found["all"])

    return Pair(after_all, lambda: float(found["tenth"]), lambda: f"{found['sent']:,} predictions")
