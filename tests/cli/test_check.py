"""`rosenblatt check` and `rosenblatt verify`: verdicts, and certificates that are accepted here and elsewhere."""

import json
import re

import pandas as pd
import pytest
from checked_tables import TABLES
from command_line import call
from sklearn.datasets import load_iris

from rosenblatt import separability

# Of "and" R^2 = 3, and (2, 2, -3) / sqrt(17) gives its four rows (x, 1) the margins 3, 1, 1 and 1 over sqrt(17).
AND_BOUND = 51


def test_verdicts_and_what_to_do(proved):
    kind, table, _ = proved
    result = call("check", table, "--target", "kind")
    assert result.exit_code == 0
    assert f"verdict      {kind}\n" in result.stdout
    assert f"hint: {kind}: " in result.stderr
    assert ("0.353553, and no hyperplane has more than 0.353554" in result.stdout) == (kind == "complete")
    assert (f"at most {AND_BOUND:.0f} mistakes" in result.stdout) == (kind == "complete")
    assert call("check", table, "--target", "kind", "-q").stderr == ""


def test_the_margin_of_the_bound_is_shown(iris):
    """It is not the geometric margin above it: the space has one more coordinate."""
    text = call("check", iris, "--target", "target").stdout
    mistakes, radius, margin = re.search(r"at most (\d+) mistakes: .* R = (\S+) .* g = (\S+) ", text).groups()
    assert int(mistakes) == int((float(radius) / float(margin)) ** 2) == 221
    assert float(margin) < float(re.search(r"margin +([\d.]+),", text)[1])
    [first, *_] = json.loads(call("check", iris, "--target", "target", "--json").stdout)["answers"]
    assert (first["radius"] / first["bound_margin"]) ** 2 == pytest.approx(first["bound"])


def test_rows_are_counted_from_1_with_the_lines_of_the_file(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLES["overlap"])
    clash = "The clash is in rows 1 (line 2), 2 (line 3), 3 (line 4) and 4 (line 5): "
    assert clash in call("check", table, "--target", "kind").stdout
    whole = pd.read_csv(table)
    whole[:2].to_csv(tmp_path / "part1.csv", index=False)
    whole[2:].to_csv(tmp_path / "part2.csv", index=False)
    said = call("check", tmp_path / "part*.csv", "--target", "kind").stdout
    assert f"2 ({tmp_path / 'part1.csv'}, line 3), 3 ({tmp_path / 'part2.csv'}, line 2)" in said
    whole.to_parquet(tmp_path / "table.parquet")
    assert (
        "The clash is in rows 1, 2, 3 and 4: " in call("check", tmp_path / "table.parquet", "--target", "kind").stdout
    )
    assert "The clash is in rows 0, 1, 2 and 3: " in separability(whole[["a", "b"]], whole["kind"]).explain()


def test_verify_counts_rows_from_1_too(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["complete"])
    call("check", table, "--target", "kind", "--certificate", proof)
    written = json.loads(proof.read_text())
    written["certificates"][0]["sha256"] = None
    proof.write_text(json.dumps(written))
    table.write_text(TABLES["complete"].replace("0,1,no", "9,9,no"))
    assert "Row 2 (line 3) is on the wrong side of the hyperplane." in call("verify", proof, table).stdout


def test_json_is_one_object(proved):
    kind, table, _ = proved
    found = json.loads(call("check", table, "--target", "kind", "--json").stdout)
    assert (found["rows"], found["columns"], found["classes"]) == (4, 2, ["no", "yes"])
    (answer,) = found["answers"]
    assert (answer["negative"], answer["positive"], answer["verdict"]) == ("no", "yes", kind)
    expected = (pytest.approx(8**-0.5), pytest.approx(AND_BOUND)) if kind == "complete" else (None, None)
    assert (answer["margin"], answer.get("bound")) == expected
    assert answer["advice"]


def test_certificates_are_accepted_here_and_elsewhere(proved, independent):
    kind, table, proof = proved
    result = call("verify", proof, table)
    assert result.exit_code == 0
    assert f"verdict      {kind}\n" in result.stdout
    assert independent(proof, table)
    assert json.loads(call("verify", proof, table, "--json").stdout)["proved"] is True


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("1,1,yes\n", "1,2,yes\n", "made for other data: their SHA-256 is"),
        ("1,1,yes\n", "1,1,yes\n1,1,yes\n", "made for other data, with 4 rows: these have 5"),
        ("1,1,yes\n", "1,1,yes\n1,1,maybe\n1,1,maybe\n", "data, with 4 rows in all: these have 6"),
    ],
)
def test_other_data_are_refused_by_name(before, after, why, tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["complete"])
    call("check", table, "--target", "kind", "--certificate", proof)
    table.write_text(TABLES["complete"].replace(before, after))
    result = call("verify", proof, table)
    assert result.exit_code == 1
    assert why in result.stdout


def test_columns_are_found_by_name(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["complete"])
    call("check", table, "--target", "kind", "--certificate", proof)
    frame = pd.read_csv(table)
    frame.assign(more=1)[["kind", "more", "b", "a"]].to_csv(table, index=False)
    assert call("verify", proof, table).exit_code == 0
    frame.drop(columns="a").to_csv(table, index=False)
    result = call("verify", proof, table)
    assert result.exit_code == 2
    assert "has no column 'a' which the certificate is about" in result.stderr


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    data = load_iris(as_frame=True)
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    data.frame.assign(target=data.target_names[data.target]).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("how", "verdicts"), [("ovr", ["complete", "overlap", "overlap"]), ("ovo", ["complete", "complete", "overlap"])]
)
def test_three_classes(how, verdicts, iris, tmp_path, independent):
    proof = tmp_path / "proof.json"
    result = call("check", iris, "--target", "target", "--multi-class", how, "--certificate", proof, "--json")
    assert [answer["verdict"] for answer in json.loads(result.stdout)["answers"]] == verdicts
    assert call("verify", proof, iris).exit_code == 0
    assert independent(proof, iris)


def test_an_unknown_way_to_pair_classes_is_refused_though_there_are_only_two(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,kind\n1,no\n2,yes\n")
    result = call("check", table, "--target", "kind", "--multi-class", "pairs")
    assert result.exit_code == 2
    assert "must be one of 'ovr', 'ovo', not 'pairs'" in result.stderr


def test_columns_can_be_left_out(iris):
    wide = call("check", iris, "--target", "target", "--drop", "petal length (cm)", "--json")
    assert json.loads(wide.stdout)["columns"] == 3


def test_hyperplanes_through_the_origin(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,kind\n1,no\n2,yes\n")
    verdict = json.loads(call("check", table, "--target", "kind", "--through-origin", "--json").stdout)
    assert verdict["answers"][0]["verdict"] == "overlap"


def test_time_may_run_out(tmp_path):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    result = call("check", table, "--target", "kind", "--max-seconds", "1e-9", "--certificate", proof)
    assert result.exit_code == 1
    assert "undecided" in result.stdout
    assert "--max-seconds" in result.stderr
    result = call("verify", proof, table)
    assert result.exit_code == 1
    assert "Nothing was decided" in result.stdout


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--target", "kin"], "did you mean 'kind'?"),
        (["--target", "kind", "--drop", "a", "--drop", "b"], "no columns to separate by"),
        (["--target", "kind", "--max-seconds", "-1"], "--max-seconds must be a finite number above 0, not -1"),
        (["--target", "kind", "--certificate", "TABLE"], "is the table"),
        (["--target", "kind", "--certificate", "TABLE/x.json"], "not a directory"),
    ],
)
def test_questions_that_make_no_sense(options, what, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text(TABLES["overlap"])
    result = call("check", table, *(option.replace("TABLE", str(table)) for option in options))
    assert result.exit_code == 2
    assert what in result.stderr
    assert table.read_text() == TABLES["overlap"]


def test_a_certificate_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    table, proof = tmp_path / "table.csv", tmp_path / "proof.json"
    table.write_text(TABLES["overlap"])
    proof.write_text("as it was")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    result = call("check", table, "--target", "kind", "--certificate", proof, "--force")
    assert "no space left on device" in result.stderr
    assert result.exit_code == 2
    assert proof.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["proof.json", "table.csv"]
