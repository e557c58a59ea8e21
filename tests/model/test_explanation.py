"""What weights belong to: columns, or the named terms of a lift."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

from rosenblatt import KernelPerceptron, Perceptron, TableEncoder, save
from rosenblatt.cli.app import app


@pytest.fixture
def table(tmp_path):
    """Exclusive or, and a column that says nothing."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice([-1.0, 1.0], (80, 2)), columns=["across", "up"])
    frame["job"] = rng.choice(["cook", "smith"], 80)
    kind = np.where(frame.across * frame.up > 0, "same", "other")
    frame.assign(kind=kind).to_csv(tmp_path / "rows.csv", index=False)
    return frame, kind, tmp_path / "model.safetensors", tmp_path / "rows.csv"


def explain(*arguments):
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


def test_weights_of_a_lift_are_named_by_their_terms(table):
    frame, kind, path, rows = table
    save(make_pipeline(TableEncoder(), Perceptron(features="polynomial-2", random_state=0)).fit(frame, kind), path)
    told = explain(path, "--top", "1").stdout
    assert "across*up" in told.split("for same:")[1]
    decided = explain(path, rows, "--row", "3").stdout.splitlines()
    score = float(decided[0].split()[-1])
    assert "across*up" in decided[1]
    assert sum(float(line.split()[0]) for line in decided[1:]) == pytest.approx(score, abs=1e-3)


def test_weights_of_a_lift_without_a_table(table):
    frame, kind, path, _ = table
    save(Perceptron(features="polynomial-2", random_state=0).fit(frame[["across", "up"]], kind), path)
    assert "across*up" in explain(path).stdout
    save(Perceptron(features="polynomial-2", random_state=0).fit(frame[["across", "up"]].to_numpy(), kind), path)
    assert "x1*x2" in explain(path).stdout


def test_a_kernel_has_no_weights_of_columns(table):
    frame, kind, path, _ = table
    save(KernelPerceptron(random_state=0).fit(frame[["across", "up"]], kind), path)
    answer = explain(path)
    assert answer.exit_code == 2
    assert "weighs rows, not columns" in answer.stderr
