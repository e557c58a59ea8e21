"""`rosenblatt check --workers`: the certificate of one machine's verdict, the same for every number of workers."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from rosenblatt.cli.app import app


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)


@pytest.fixture
def table(tmp_path):
    """Quasi-complete separation by a category, over three blocks."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.integers(0, 9, 40_000) / 4, "colour": rng.choice(list("rgb"), 40_000)})
    frame["kind"] = np.where((frame["colour"] == "b") | (rng.random(40_000) < 0.5), "yes", "no")
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def test_the_certificate_is_the_same_for_every_number_of_workers_and_verified_on_one_machine(table, tmp_path):
    asked, proofs = ("check", table, "--target", "kind", "--cache", tmp_path / "cache"), []
    for workers in (1, 2):
        proofs.append(tmp_path / f"{workers}.json")
        result = call(*asked, "--workers", workers, "-o", proofs[-1], "--json")
        assert result.exit_code == 0, result.stderr
    assert proofs[0].read_bytes() == proofs[1].read_bytes()
    assert json.loads(result.stdout)["answers"][0]["verdict"] == "quasi"
    assert json.loads(call("check", table, "--target", "kind", "--json").stdout)["answers"][0]["verdict"] == "quasi"
    verified = call("verify", proofs[0], table)
    assert (verified.exit_code, "not proved" in verified.stdout) == (0, False)
    assert json.loads(proofs[0].read_text())["certificates"][0]["sha256"] is not None


def test_several_classes_numbered_as_they_come_and_a_cache_that_is_deleted(tmp_path):
    rows = pd.DataFrame({"x": [3.0, 1.0, 2.0, 3.5, 1.5, 2.5], "kind": list("zxyzxy")})
    rows.to_csv(tmp_path / "table.csv", index=False)
    asked = ("check", tmp_path / "table.csv", "--target", "kind", "--cache", tmp_path / "cache", "--json")
    found = json.loads(call(*asked, "--workers", 1, "--no-cache").stdout)["answers"]
    assert {each["positive"]: each["verdict"] for each in found} == {"x": "complete", "y": "overlap", "z": "complete"}
    assert not any((tmp_path / "cache").iterdir())


def test_rows_are_named_by_their_lines_as_on_one_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = pd.DataFrame({"note": ["two\nlines"] * 8, "x": [1.0, 2, 3, 4, 1, 2, 3, 4], "kind": list("abbbaaab")})
    rows.to_csv("first.csv", index=False)
    rows.iloc[::-1].to_csv("second.csv", index=False)
    for files in (["first.csv"], ["first.csv", "second.csv"]):
        asked = ("check", *files, "--target", "kind", "--drop", "note", "--json")
        one, many = (
            json.loads(call(*asked, *more).stdout)["answers"][0]["explanation"]
            for more in ([], ["--workers", 1, "--cache", "cache"])
        )
        assert "line " in one
        assert ("second.csv, line " in one) == (len(files) == 2)
        assert many == one


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "0"], "--workers must be a whole number of at least 1"),
        (["--workers", "1", "--scheduler", "tcp://h:1"], "--workers does not go with --scheduler"),
        (["--workers", "1", "--features", "polynomial-2"], "--features polynomial-2 does not go with --workers"),
    ],
)
def test_what_does_not_go_with_workers_is_refused(table, tmp_path, options, sentence):
    result = call("check", table, "--target", "kind", "--cache", tmp_path / "cache", *options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not (tmp_path / "cache").exists()  # refused before anything is read
