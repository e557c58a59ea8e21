"""`rosenblatt predict`: rows in, labels and scores out, through pipes and onto full disks."""

import csv
import io
import os
import subprocess
import sys

import pandas as pd
import pytest
from command_line import COMMAND, FLOWERS, call, refusal, trained

import rosenblatt


def test_predictions_with_scores_match_python(model, flowers, tmp_path):
    out = tmp_path / "labels.csv"
    result = call("predict", model, flowers, "--scores", "--output", out)
    assert (result.exit_code, result.output) == (0, "")
    rows = list(csv.reader(out.read_text().splitlines()))
    X = pd.read_csv(io.StringIO(FLOWERS))
    loaded = rosenblatt.load(model)
    assert rows[0] == ["prediction", "score_virginica"]
    assert [label for label, _ in rows[1:]] == loaded.predict(X).tolist()
    assert [float(score) for _, score in rows[1:]] == loaded.decision_function(X).tolist()


def test_columns_in_any_order_and_more_of_them(model, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("note,width,length\nfirst,3.0,4.8\nsecond,3.0,6.8\n")
    assert call("predict", model, table).stdout.split() == ["prediction", "setosa", "virginica"]


def test_own_columns_can_be_added_to_rows_of_standard_input(model):
    """As they are written, though the model reads some of them as numbers, and though the rows come only once."""
    table = "note,width,length\nNA,3.00,4.8\n,3,6.80\n"
    command = [*COMMAND, "predict", model, "-", "--add"]
    result = subprocess.run(command, input=table, capture_output=True, text=True, timeout=600)
    assert result.stdout == "note,width,length,prediction\nNA,3.00,4.8,setosa\n,3,6.80,virginica\n", result.stderr


def test_three_classes_have_three_scores_and_keep_their_type(tmp_path):
    table = tmp_path / "three.csv"
    table.write_text("x,y,kind\n" + "0,0,10\n9,0,20\n0,9,30\n" * 5)
    found = trained(table, "--target", "kind")
    rows = list(csv.DictReader(io.StringIO(call("predict", found["model"], table, "--scores").stdout)))
    assert found["classes"] == [10, 20, 30]
    assert list(rows[0]) == ["prediction", "score_10", "score_20", "score_30"]
    assert [row["prediction"] for row in rows[:3]] == ["10", "20", "30"]


def test_a_model_without_column_names(tmp_path):
    rosenblatt.save(rosenblatt.Perceptron(random_state=0).fit([[-1.0, 0.0], [1.0, 0.0]], ["no", "yes"]), tmp_path / "m")
    table = tmp_path / "new.csv"
    table.write_text("a,b\n-2,0\n2,0\n")
    assert call("predict", tmp_path / "m", table).stdout.split() == ["prediction", "no", "yes"]
    table.write_text("a\n-2\n")
    assert "has 1 columns where the model, which has no names, takes 2" in refusal(
        call("predict", tmp_path / "m", table)
    )


@pytest.fixture
def long_table(tmp_path):
    """A table whose predictions no pipe holds."""
    table = tmp_path / "long.csv"
    table.write_text("length,width\n" + "5.1,3.5\n" * 100_000)
    return table


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_had_enough(model, long_table, start, unbuffered):
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    process = start(
        [*COMMAND, "predict", model, long_table], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout.readline() == b"prediction\n"
    process.stdout.close()
    assert (process.stderr.read(), process.wait(timeout=600)) == (b"", 141)
    process.stderr.close()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_does_not_fit_on_the_disk(model, long_table, tmp_path, unbuffered):
    """The first write writes a part of the text, as on a disk that fills up. The rest must not be lost in silence."""
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000,) * 2); "
    limited += "os.execv(sys.argv[1], sys.argv[1:])"
    with open(tmp_path / "out.csv", "wb") as out:
        result = subprocess.run(
            [sys.executable, "-c", limited, *COMMAND, "predict", model, long_table],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith("error: ")
