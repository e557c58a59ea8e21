"""Training and checking stay within the memory that they are given, and what solvers keep of each row counts."""

import os
import re
import subprocess
import sys

import numpy as np
import pyarrow as arrow
import pytest
from cached_tables import COMMAND, ROWS, numbers
from people_table import call
from pyarrow import parquet

import rosenblatt
import rosenblatt.training.train_table
from rosenblatt.foundation import memory
from rosenblatt.training import memory_budget
from rosenblatt.training.request import NamedPlan

MEASURED = """
import sys
from rosenblatt.cli import main
if "--quiet" not in sys.argv:
    sys.stderr.isatty = lambda: True  # as if somebody watched
try:
    main()
finally:
    print([line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")][0], file=sys.stderr)
"""


def peak(*words):
    """The most memory that a command held, in bytes. Not `ru_maxrss`, which begins with that of who starts it."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "OMP_NUM_THREADS": "2",
        "OPENBLAS_NUM_THREADS": "2",
    }
    command = [sys.executable, "-c", MEASURED, *map(str, words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1]) << 10


def write_large(path):
    """A table that would take 500 MB of memory and more."""
    random = np.random.default_rng(0)
    lines = [",".join(map(str, row)) for row in random.integers(-999, 999, (2000, 50)).tolist()]
    with path.open("w") as file:
        file.write(",".join(f"x{k}" for k in range(50)) + ",kind\n")
        for _ in range(150):
            kinds = random.integers(0, 2, 2000).tolist()
            file.writelines(f"{line},{kind}\n" for line, kind in zip(lines, kinds, strict=True))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process holds")
def test_memory_stays_within_its_limit(tmp_path):
    path, limit = tmp_path / "large.csv", 320 << 20
    write_large(path)
    shared = (path, "--target", "kind", "--cache", tmp_path / "cache", "--memory", limit, "--quiet")
    train = ("train", *shared, "--max-seconds", 3)
    for options in ((), ("--algorithm", "logistic"), ("--algorithm", "svm"), ("--algorithm", "pocket")):
        assert peak(*train, *options) < limit
    watched = [word for word in train if word != "--quiet"]  # the first rows are tried then
    assert peak(*watched, "--drop", "x1") < limit
    assert peak("check", *shared, "--certificate", tmp_path / "proof.json") < limit


def write_tall(path, rows):
    """Many rows with little in them."""
    random = np.random.default_rng(0)
    numbers = random.standard_normal(rows).astype(np.float32)
    kinds = np.where(numbers + random.standard_normal(rows) > 0, "over", "under")
    parquet.write_table(arrow.table({"a": numbers, "b": numbers[::-1], "kind": kinds}), path, row_group_size=100_000)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process holds")
def test_what_solvers_keep_of_each_row_counts(tmp_path):
    path, limit = tmp_path / "tall.parquet", 272 << 20
    write_tall(path, rows=2_500_000)
    train = ("train", path, "--target", "kind", "--cache", tmp_path / "cache", "--memory", limit, "--quiet")
    svm, sgd = ("--algorithm", "svm", "--max-iter", 2), ("--set", "solver=sgd")
    words = (*train, *svm, "--model", tmp_path / "m")
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    said = done.stderr
    assert (done.returncode, said.count("\n")) == (2, 1)
    assert f"{path} has 2,000,000 rows of 2 classes, 2 encoded columns, and " in said
    assert "besides the rows svm needs 217 MiB" in said
    assert "or choose --set solver=sgd, which needs far less." in said
    assert peak(*train, *svm, *sgd) < limit
    needed = re.search("allow ([0-9.]+ .iB)", said)[1]
    allowed = [needed if word == limit else word for word in train]
    assert peak(*allowed, *svm) < memory.parse_size(needed)
    assert not (tmp_path / "m").exists()


def test_rows_that_are_in_memory_already_are_not_counted(monkeypatch):
    monkeypatch.setattr(memory_budget, "NEWTON_BYTES", 1 << 40)
    monkeypatch.setattr(memory_budget, "MIN_CHECKED_BYTES", 0)
    table = numbers()
    assert rosenblatt.fit(table, "kind", algorithm="logistic").report_["rows"] == ROWS


@pytest.mark.parametrize("classes", [2, 3])
def test_memory_per_row_of_each_solver(classes):
    def taken(name, multi_class="ovr", **parameters):
        return memory_budget.MemoryNeed(NamedPlan.of(name, parameters, multi_class, False), 10, 2, classes).bytes_a_row

    assert taken("averaged") == taken("svm", solver="sgd") < taken("logistic") < taken("svm")
    assert taken("perceptron", order="working-set") > taken("perceptron")
    assert (taken("logistic", "joint") > taken("logistic")) == (classes > 2)  # planes that are found together


def test_twenty_classes_of_many_columns_fit_into_the_default_memory():
    def need(multi_class):
        plan = NamedPlan.of("logistic", {}, multi_class, False)
        return memory_budget.MemoryNeed(plan, rows=11_000, columns=560_000, classes=20).bytes

    limit = memory.parse_size("1 GiB") * 7 / 8 - memory_budget.PROGRAM_BYTES
    assert need("ovr") < need("joint") < limit


def test_the_hessians_of_planes_count():
    plan = NamedPlan.of("logistic", {}, "joint", False)
    narrow, wide = (
        memory_budget.MemoryNeed(plan, rows=0, columns=columns, classes=10).bytes for columns in (1000, 2000)
    )
    assert narrow > 10 * 1001**2 * 8
    assert wide < narrow  # too large to be computed


def test_weights_count_too(tmp_path):
    path = tmp_path / "wide.svm"
    path.write_text("".join(f"{k % 2} 1:1 {2_000_000_000 if k % 4 else 7}:1\n" for k in range(40)))
    said = call("train", path, "--algorithm", "averaged", ends=2).stderr
    assert "2,000,000,000 encoded columns, and besides the rows averaged needs 59.6 GiB" in said
