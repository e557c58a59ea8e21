"""A real local Spark as an executor: the model of threads, and the sentences of threads."""

import operator
import os
import sys
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from rosenblatt import fit
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.executors import open_executor
from rosenblatt.distributed.spark_executor import SparkExecutor
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.cache.cached_block import ArrayFile, CachedBlock


@pytest.fixture(scope="module")
def session():
    pyspark = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install pyspark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    options = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    options["spark.ui.showConsoleProgress"] = "false"
    builder = pyspark.SparkSession.builder.master("local[2]").appName("rosenblatt").config(map=options)
    try:
        made = builder.getOrCreate()
    except Exception as error:
        pytest.skip(f"Spark does not start here: {error}")
    yield made
    made.stop()


def test_the_model_has_the_bits_of_threads(session, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 3))  # two blocks
    kind = X @ rng.standard_normal(3) + rng.logistic(size=20_000) > 0
    path, found = tmp_path / "rows.csv", []
    np.savetxt(path, np.column_stack([X, kind]), "%.6f,%.6f,%.6f,%d", header="a,b,c,kind", comments="")
    with ThreadPoolExecutor(2) as threads:
        for number, executor in enumerate((threads, session)):
            found.append(fit(path, target="kind", executor=executor, cache=tmp_path / f"{number}"))
    np.testing.assert_array_equal(found[0][-1].coef_, found[1][-1].coef_)
    np.testing.assert_array_equal(found[0][-1].intercept_, found[1][-1].intercept_)


def test_an_error_of_a_task_is_raised_as_it_is(session, tmp_path):
    gone = CachedBlock((ArrayFile(str(tmp_path / "train.codes"), "<i4", 4, 0),), 1, 0, 1)
    with open_executor(session) as jobs, pytest.raises(InputError, match=r"a worker on .* cannot read .*train\.codes"):
        Cluster(jobs, [gone]).reduce(id, operator.add)


class BrokenContext:
    """A context whose jobs fail, as those of a Spark that was stopped do."""

    defaultParallelism = 1

    def parallelize(self, tasks, partitions):
        raise OSError("the context was stopped\nand a long trace")


def test_a_job_that_fails_counts_as_the_death_of_a_worker():
    with SparkExecutor(BrokenContext()) as jobs, pytest.raises(BrokenExecutor, match=r"the context was stopped$"):
        jobs.submit(max, 1, 2).result()
