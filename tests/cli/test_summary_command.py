"""`rosenblatt summary`: the same numbers as `summary`, categories with a reference, counts, and refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rosenblatt import LogisticRegression, exact_summary, summary
from rosenblatt.cli.app import app


def call(*words, ends=0):
    ended = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    assert ended.exit_code == ends, ended.output
    return ended


@pytest.fixture
def table(tmp_path):
    dice = np.random.default_rng(0)
    age, drug = dice.integers(20, 60, 60), np.array(["a", "b", "c"])[dice.integers(0, 3, 60)]
    ill = np.where(0.1 * (age - 40) + (drug == "c") + dice.logistic(size=60) > 0, "yes", "no")
    frame = pd.DataFrame({"age": age, "drug": drug, "ill": ill})
    frame.to_csv(tmp_path / "trial.csv", index=False)
    return tmp_path / "trial.csv", frame


@pytest.mark.parametrize("firth", [False, True])
def test_numbers_are_those_of_the_function(table, firth):
    path, frame = table
    told = json.loads(call("summary", path, "--target", "ill", "--json", *["--firth"] * firth).stdout)
    X = pd.DataFrame({"age": frame.age, "drug=b": frame.drug == "b", "drug=c": frame.drug == "c"}).astype(float)
    found = summary(LogisticRegression(penalty="jeffreys" if firth else None).fit(X, frame.ill), X, frame.ill)
    assert [one["name"] for one in told["coefficients"]] == ["intercept", "age", "drug=b", "drug=c"]
    for one, other in zip(told["coefficients"], found.coefficients, strict=True):
        assert one["lower"] == pytest.approx(other.lower, rel=1e-6)
    assert (told["positive_class"], told["penalty"]) == ("yes", "jeffreys" if firth else None)


def test_counts_are_rows(tmp_path):
    (tmp_path / "t.csv").write_text("x,n,y\n1,3,no\n1,1,yes\n2,2,no\n2,5,yes\n")
    (tmp_path / "long.csv").write_text("x,y\n" + "1,no\n" * 3 + "1,yes\n" + "2,no\n" * 2 + "2,yes\n" * 5)
    short = json.loads(call("summary", tmp_path / "t.csv", "--target", "y", "--counts", "n", "--json").stdout)
    long = json.loads(call("summary", tmp_path / "long.csv", "--target", "y", "--json").stdout)
    assert short["coefficients"][1]["estimate"] == pytest.approx(np.log(5 / 2) - np.log(1 / 3))
    assert short["bic"] == pytest.approx(long["bic"])
    assert (repr(short["rows"]), repr(long["rows"])) == ("11", "11")  # whole numbers, not 11.0


def test_collinear_columns_are_named_as_in_the_file(tmp_path):
    dice = np.random.default_rng(0)
    day = pd.to_datetime("2026-01-01") + pd.to_timedelta(dice.integers(0, 59, 80), "D")
    frame = pd.DataFrame({"the day": day.strftime("%Y-%m-%d"), "y": dice.choice(["a", "b"], 80)})
    frame.to_csv(tmp_path / "t.csv", index=False)  # January and February alone: other months are 0
    said = call("summary", tmp_path / "t.csv", "--target", "y", ends=2).output
    assert (
        "error: column 'the day in March' is 0 in every row: leave out column 'the day' with --drop 'the day'." in said
    )
    frame = pd.DataFrame({"a": np.arange(80.0), "b": 3 * np.arange(80), "y": frame.y})
    frame.to_csv(tmp_path / "t.csv", index=False)
    said = call("summary", tmp_path / "t.csv", "--target", "y", ends=2).output
    assert "column 'b' is a combination of column 'a': leave one of them out, such as column 'b' with --drop b." in said
    assert "intercept" in call("summary", tmp_path / "t.csv", "--target", "y", "--drop", "b").output
    frame.assign(b=dice.integers(1, 4, 80) * 1e-300).to_csv(tmp_path / "t.csv", index=False)
    said = call("summary", tmp_path / "t.csv", "--target", "y", ends=2).output
    assert "column 'b' holds only numbers so small that their squares underflow: multiply it by" in said


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("y ~ gap", "t.csv, column 'gap' has no value in line 4: drop such rows, or fill them."),
        ("y ~ C(gap)", "t.csv, column 'gap' has no value in line 4: drop such rows, or fill them."),
        ("y ~ far", "t.csv, column 'far' is not a finite number in line 5: correct it."),
        ("y ~ np.log(x)", "'np.log(x)' is not a finite number in "),
    ],
)
def test_rows_of_a_formula_are_named_by_their_lines(tmp_path, formula, said):
    (tmp_path / "t.csv").write_text("x,gap,far,y\n1,1,1,a\n2,2,2,b\n3,,3,a\n0,4,inf,b\n5,5,5,a\n")
    printed = call("summary", tmp_path / "t.csv", "--formula", formula, ends=2).output
    assert said in printed
    assert f"line {5 if 'gap' not in formula else 4}" in printed


def test_an_infinite_estimate_is_printed_as_infinite_and_firths_is_not(tmp_path):
    (tmp_path / "t.csv").write_text("dose,y\n1,well\n2,well\n3,well\n3,ill\n5,ill\n6,ill\n")
    printed = call("summary", tmp_path / "t.csv", "--target", "y").stdout
    assert "-inf .. -0.245" in printed
    assert "proved in exact arithmetic" in printed
    assert "inf" not in call("summary", tmp_path / "t.csv", "--target", "y", "--firth").stdout


def test_exact_numbers_are_those_of_the_function(tmp_path):
    frame = pd.DataFrame({"dose": [1, 2, 3, 3, 5, 6, 2], "drug": list("abababb"), "ill": list("nnnyyyy")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    told = json.loads(call("summary", tmp_path / "t.csv", "--target", "ill", "--exact", "--json").stdout)
    found = exact_summary(frame[["dose"]].assign(drug=frame.drug == "b").astype(float), frame.ill)
    assert [one["name"] for one in told["coefficients"]] == ["dose", "drug=b"]
    assert [one["p_value"] for one in told["coefficients"]] == [one.p_value for one in found.coefficients]
    assert told["positive_class"] == "y"
    assert "exact p" in call("summary", tmp_path / "t.csv", "--target", "ill", "--exact").stdout


def test_check_points_to_it(tmp_path):
    (tmp_path / "t.csv").write_text("dose,y\n1,well\n2,well\n3,well\n3,ill\n5,ill\n6,ill\n")
    said = call("check", tmp_path / "t.csv", "--target", "y").stderr
    assert f"hint: rosenblatt summary {tmp_path / 't.csv'} --target y --firth" in said


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        ("x,y\n" + "1,a\n2,b\n3,c\n" * 3, ("--base", "d"), "--base must be a class of 'a', 'b', 'c'; 'd' is not"),
        ("x,y\n" + "1,a\n2,b\n3,c\n" * 3, ("--exact",), "'y' has 3 classes, and --exact is for two: keep the rows"),
        ("x,y\n1,a\n2,b\n1,b\n", ("--base", "a"), "--base chooses a class of three or more; of two classes"),
        ("x,y\n1,a\n2,b\n1,b\n", ("--base", "a", "--exact"), "--base does not go with --exact, which is for two"),
        ("x,y\n1,a\n2,a\n1,a\n", (), "column 'y' has only one class, 'a'"),
        ("x,z,y\n1,2,a\n2,4,b\n3,6,a\n4,8,b\n", (), "column 'z' is a combination of column 'x'"),
        ("x,z,y\n1,2,a\n2,5,b\n", (), "2 rows cannot determine 3 weights"),
        ("x,n,y\n1,0.5,a\n2,2,b\n3,1,a\n", ("--counts", "n"), "sample_weight must count rows, in whole numbers"),
        ("x,y\n1,a\n2,b\n3,a\n", ("--counts", "m"), "no column 'm'"),
        ("x,y\n1,a\n2,b\n3,a\n", ("--exact", "--firth"), "--exact and --firth are two methods: choose one of them."),
        ("x,z,y\n1,2,a\n2,4,b\n3,6,a\n4,8,b\n", ("--exact",), "column 'z' is a combination of column 'x'"),
        ("x,y\n1,a\n2,b\n3,a\n", ("--exact", "--max-seconds", "0"), "--max-seconds must be a finite number above 0"),
        ("x,y\n1,a\n2,b\n3,a\n", ("--level", "2"), "--level must be above 0 and below 1, not 2."),
    ],
)
def test_refusals_are_one_sentence(tmp_path, content, options, sentence):
    (tmp_path / "t.csv").write_text(content)
    ended = call("summary", tmp_path / "t.csv", "--target", "y", *options, ends=2)
    assert sentence in ended.stderr
    assert ended.stdout == ""
