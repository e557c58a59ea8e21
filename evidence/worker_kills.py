"""Kill -9 random workers of a Dask cluster at random moments: `python -m evidence.worker_kills [KILLS]`, or 200.

Every training must end with the model, and every proof with the certificate, of one that nobody disturbs. The seed of
the kills is printed.
"""

import hashlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

WORKERS, ROWS, MAX_SECONDS = 3, 60_000, 600
MIN_PAUSE, MAX_PAUSE = 0.2, 4.0  # seconds between two kills


def digest(model: Any) -> str:
    """The SHA-256 of a model's weights, or of a certificate."""
    if hasattr(model, "certificate"):
        return hashlib.sha256(json.dumps(model.certificate).encode()).hexdigest()
    return hashlib.sha256(model.coef_.tobytes() + model.intercept_.tobytes()).hexdigest()


def trainings(client: Any, folder: str) -> dict[str, Callable[[], Any]]:
    """One training for each kind of rows and each algorithm."""
    import dask.array as da
    import pandas as pd
    from scipy import sparse

    from rosenblatt import AveragedPerceptron, LinearSVM, LogisticRegression, Perceptron, fit, separability

    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, 6))
    y = (X @ rng.standard_normal((6, 3)) + rng.gumbel(size=(ROWS, 3))).argmax(axis=1)
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(y=y)
    frame.to_parquet(f"{folder}/rows.parquet")
    lazy, labels = da.from_array(X, chunks=(9_000, -1)), da.from_array(y, chunks=20_000)
    asked: dict[str, Any] = {"target": "y", "executor": client, "cache": f"{folder}/cache"}
    squared = {"algorithm": "svm", "loss": "squared-hinge"}
    return {
        "logistic, joint classes, array": lambda: LogisticRegression().fit(lazy, labels),
        "logistic, one-vs-rest, CSR": lambda: LogisticRegression(multi_class="ovr").fit(
            lazy.map_blocks(sparse.csr_matrix), labels
        ),
        "squared hinge, array": lambda: LinearSVM(loss="squared-hinge").fit(lazy, labels),
        "averaged perceptron, array": lambda: AveragedPerceptron(max_iter=20, random_state=0).fit(lazy, labels),
        "perceptron, joint classes, CSR": lambda: Perceptron(max_iter=20, multi_class="joint", order="cyclic").fit(
            lazy.map_blocks(sparse.csr_matrix), labels
        ),
        "perceptron, working set, array": lambda: Perceptron(order="working-set", random_state=0).fit(
            lazy, lazy[:, 0] + lazy[:, 1] > 0.1
        ),
        "logistic by SGD, Parquet": lambda: fit(
            f"{folder}/rows.parquet", **asked, algorithm="logistic", solver="sgd", max_iter=20
        )[-1],
        "hinge, array": lambda: LinearSVM(loss="hinge", multi_class="ovr", tol=1e-4).fit(lazy, labels),
        "separability, array": lambda: separability(lazy, lazy[:, 0] + lazy[:, 1] > 0.1),
        "logistic, Parquet": lambda: fit(f"{folder}/rows.parquet", **asked)[-1],
        "squared hinge, data frame in memory": lambda: fit(frame, **asked, **squared)[-1],
    }


class Killer(threading.Thread):
    """Kills random workers that have started, as long as others run, until it is stopped."""

    def __init__(self, cluster: Any, draw: random.Random) -> None:
        super().__init__(daemon=True)
        self.cluster, self.draw, self.stopped, self.kills = cluster, draw, threading.Event(), 0

    def run(self) -> None:
        while not self.stopped.wait(self.draw.uniform(MIN_PAUSE, MAX_PAUSE)):
            known = self.cluster.scheduler.workers
            running = [nanny for nanny in list(self.cluster.workers.values()) if nanny.worker_address in known]
            if len(running) < 2:
                self.cluster.scale(WORKERS)
                continue
            process = self.draw.choice(running).process
            if process is not None and process.pid:
                with suppress(ProcessLookupError):  # it has ended by itself
                    os.kill(process.pid, signal.SIGKILL)
                    self.kills += 1


def main(wanted: int) -> int:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        print("Nothing checked: Dask is not installed (pip install 'rosenblatt[dask]').")
        return 0
    warnings.simplefilter("ignore")
    seed = int.from_bytes(os.urandom(4), "big")
    draw, kills, runs, failures = random.Random(seed), 0, 0, 0
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1", "silence_logs": 50}
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=WORKERS, **options) as cluster,
        Client(cluster) as client,
    ):
        jobs = trainings(client, folder)
        expected = {name: digest(job()) for name, job in jobs.items()}
        while kills < wanted:
            name, job = list(jobs.items())[runs % len(jobs)]
            killer, began = Killer(cluster, draw), time.perf_counter()
            killer.start()
            try:
                same = digest(job()) == expected[name]
            except ValueError as error:
                print(error)
                same = False
            killer.stopped.set()
            killer.join()
            seconds = time.perf_counter() - began
            kills, runs, failures = kills + killer.kills, runs + 1, failures + (not same or seconds > MAX_SECONDS)
            print(f"{name:36} {killer.kills:3} kills in {seconds:5.1f} s  {'same' if same else 'NO'}", flush=True)
    print(f"{kills} kills in {runs} trainings (seed {seed}): {runs - failures} identical models, {failures} not.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
