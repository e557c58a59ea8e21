"""`predict` and `evaluate` by several processes: the same bytes as one process writes."""

from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from rosenblatt.cli.app import app
from rosenblatt.tables.read import typed_files

ROWS = 6_000


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table in several files of two formats, and a model of it."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("rows")
    a, words = rng.standard_normal(ROWS), rng.choice(["fig", 'a "pear"', "plum, ripe", None], ROWS)
    table = arrow.table({"a": a, "fruit": words, "kind": np.where(a + rng.standard_normal(ROWS) > 0, "yes", "no")})
    (path / "table").mkdir()
    for first in range(0, ROWS, 2_000):
        arrow.parquet.write_table(table.slice(first, 2_000), path / "table" / f"{first}.parquet", row_group_size=300)
        arrow.csv.write_csv(table.slice(first, 2_000), path / "table" / f"{first}.csv")
    made = call("train", path / "table", "--target", "kind", "-q", "-o", path / "model")
    assert made.exit_code == 0, made.stderr
    return path


@pytest.mark.parametrize("options", [[], ["--probabilities", "--scores", "--add"], ["--json", "--add"]])
def test_predictions_have_the_same_bytes(folder, monkeypatch, options):
    one = call("predict", folder / "model", folder / "table", *options)
    assert one.exit_code == 0
    assert one.stdout.count("\n") == 2 * ROWS + ("--json" not in options)
    monkeypatch.setattr(typed_files, "PIECE_ROWS", 512)
    monkeypatch.setattr(typed_files, "BATCH_ROWS", 256)
    for workers in (1, 2):
        many = call("predict", folder / "model", folder / "table", *options, "--workers", workers)
        assert (many.exit_code, many.stdout) == (0, one.stdout)


def test_evaluations_have_the_same_bytes(folder):
    for options in (["--json"], ["--cost", "no:yes=3"]):
        one, many = (
            call("evaluate", folder / "model", folder / "table", *options, *more) for more in ([], ["--workers", 2])
        )
        assert (many.exit_code, many.stdout) == (0, one.stdout)


def test_workers_see_relative_paths(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert (
        call("predict", "model", "table/0.csv", "--workers", 1).stdout == call("predict", "model", "table/0.csv").stdout
    )


@pytest.mark.parametrize("relative", [False, True])
def test_errors_are_those_of_one_process(folder, tmp_path, monkeypatch, relative):
    monkeypatch.chdir(tmp_path)
    shown = Path() if relative else tmp_path
    (tmp_path / "rows.csv").write_text("a,fruit,kind\n1.0,fig,yes\nx,fig,perhaps\n")
    (tmp_path / "empty.csv").write_text("a,fruit,kind\n")
    (tmp_path / "other.csv").write_text("b,fruit,kind\n1.0,fig,yes\n")
    for name in ("rows.csv", "empty.csv", "other.csv", "nowhere.csv"):
        one, many = (call("predict", folder / "model", shown / name, *more) for more in ([], ["--workers", 1]))
        assert (many.exit_code, many.stdout, many.stderr) == (2, "", one.stderr)
    (tmp_path / "rows.csv").write_text("a,fruit,kind\n1.0,fig,yes\n2.0,fig,perhaps\n")
    one, many = (call("evaluate", folder / "model", shown / "rows.csv", *more) for more in ([], ["--workers", 1]))
    assert (many.exit_code, many.stderr) == (2, one.stderr)
    assert f"{shown / 'rows.csv'}, column 'kind' has the class 'perhaps'" in many.stderr
    assert "which the model does not know, in line 3" in many.stderr
    (tmp_path / "rows.csv").write_text("a,kind\n" + "1.0,yes\n2.0,no\n" * 40_000 + "x,yes\n" + "1.0,yes\n")
    one, many = (
        call("train", shown / "rows.csv", "--target", "kind", "--algorithm", "logistic", "-q", "-o", "m", *more)
        for more in ([], ["--workers", 1, "--cache", "cache"])
    )
    assert (many.exit_code, many.stderr) == (2, one.stderr)


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_what_workers_cannot_do_is_refused(folder, command):
    for more, sentence in (
        (["--workers", "0"], "--workers must be a whole number of at least 1"),
        (["--scheduler", "nowhere"], "--scheduler must be an address"),
        (["--workers", "1", "--scheduler", "tcp://127.0.0.1:1"], "--workers does not go with --scheduler"),
    ):
        refused = call(command, folder / "model", folder / "table", *more)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert sentence in refused.stderr


def test_standard_input_is_not_for_workers():
    result = call("train", "-", "--target", "kind", "--workers", 2, "-o", "m")
    assert result.exit_code == 2
    assert "--workers and --scheduler do not go with standard input" in result.stderr
