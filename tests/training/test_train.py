"""From raw files to models: what train and fit see in a table, hold out, learn and pass on."""

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from people_table import ROWS, call, people, told

import rosenblatt


def test_train_shows_kinds_and_what_is_left_out(people_folder):
    found = told("train", people_folder / "people.csv", "--target", "mood", "--model", people_folder / "m")
    assert found["kinds"] == {"age": "number", "job": "category", "note": "text", "born": "date"}
    assert list(found["left_out"]) == ["person_id"]
    needed = {"rows", "columns", "classes", "algorithm", "status", "mistakes", "test_accuracy", "seconds", "model"}
    assert needed <= found.keys()
    assert (found["rows"], found["columns"], found["classes"]) == (ROWS, 4, ["glad", "sad"])
    assert found["test_accuracy"] > 0.95


def test_options_outweigh_what_is_seen(people_folder):
    options = ("--categorical", "age", "--text", "job", "--numeric", "person_id", "--drop", "note")
    found = told("train", people_folder / "people.csv", "--target", "mood", *options, "--model", people_folder / "m")
    assert found["kinds"] == {"person_id": "number", "age": "category", "job": "text", "born": "date"}


@pytest.mark.parametrize("suffix", ["csv.gz", "parquet", "jsonl", "feather"])
def test_every_kind_of_file_trains_the_same_model(suffix, people_folder, tmp_path):
    table = people().drop(columns="born")
    path, plain = tmp_path / f"t.{suffix}", tmp_path / "plain.csv"
    table.to_csv(plain, index=False)
    if suffix == "jsonl":
        table.to_json(path, orient="records", lines=True)
    elif suffix == "csv.gz":
        path.write_bytes(gzip.compress(plain.read_bytes()))
    else:
        getattr(table, f"to_{suffix}")(path)
    wanted, found = (told("train", p, "--target", "mood", "--model", tmp_path / "m") for p in (plain, path))
    for name in ("rows", "columns", "kinds", "classes", "test_accuracy", "mistakes", "left_out"):
        assert found[name] == wanted[name]


def test_a_column_that_predicts_perfectly_is_pointed_out(people_folder, tmp_path):
    table = people()
    table["smile"] = np.where(table["mood"] == "glad", "wide", "none")
    table["score"] = np.where(table["mood"] == "glad", 7.0, 3.0) + table.index / ROWS
    table.to_csv(tmp_path / "t.csv", index=False)
    assert told("train", tmp_path / "t.csv", "--target", "mood")["leaks"] == ["smile", "score"]
    said = call("train", tmp_path / "t.csv", "--target", "mood").stderr
    assert "hint: column 'smile' alone predicts 'mood' without a mistake" in said
    assert told("train", people_folder / "people.csv", "--target", "mood", "--model", tmp_path / "m")["leaks"] == []


def test_ways_to_hold_out(people_folder, tmp_path):
    table = people()
    table["part"] = np.where(np.arange(ROWS) % 4, "train", "test")
    table.to_csv(tmp_path / "t.csv", index=False)
    found = told("train", tmp_path / "t.csv", "--target", "mood", "--split-column", "part")
    assert (found["train_rows"], found["test_rows"]) == (ROWS * 3 // 4, ROWS // 4)
    assert "part" not in found["kinds"]
    found = told("train", tmp_path / "t.csv", "--target", "mood", "--folds", 5)
    assert (found["train_rows"], found["test_rows"], len(found["fold_accuracies"])) == (ROWS, 0, 5)
    assert min(found["fold_accuracies"]) > 0.9
    assert found["test_accuracy"] == pytest.approx(np.mean(found["fold_accuracies"]))
    assert told("train", tmp_path / "t.csv", "--target", "mood", "--test-fraction", 0)["test_accuracy"] is None


def test_nothing_is_learned_from_rows_held_out(tmp_path):
    """A value, a word and a scale that only rows held out have leave no mark on the model."""
    table = people()
    table["part"] = np.where(np.arange(ROWS) % 4, "train", "test")
    out = table["part"] == "test"
    table.to_csv(tmp_path / "a.csv", index=False)
    table.loc[out, "job"] = "astronaut"
    table.loc[out, "age"] = 1e6
    table.loc[out, "note"] = "nothing but unheard words here"
    table.to_csv(tmp_path / "b.csv", index=False)
    models = []
    for name in ("a", "b"):
        told("train", tmp_path / f"{name}.csv", "--target", "mood", "--split-column", "part")
        models.append(rosenblatt.load(tmp_path / f"{name}.rosenblatt.safetensors"))
    np.testing.assert_array_equal(models[0][-1].coef_, models[1][-1].coef_)


@pytest.mark.parametrize(
    "options",
    [
        ("--algorithm", "svm", "--C", "0.1"),
        ("--algorithm", "svm", "--set", "loss=squared-hinge"),
        ("--alpha", "0.001"),
        ("--set", "solver=sgd", "--early-stopping"),
        ("--algorithm", "averaged", "--early-stopping"),
        ("--algorithm", "perceptron", "--class-weight", "balanced", "--max-iter", "20"),
        ("--class-weight", "glad=3", "--ngrams", "2"),
        ("--algorithm", "passive-aggressive", "--C", "0.1"),
        ("--algorithm", "alma"),
        ("--algorithm", "arow", "--C", "0.1"),
        ("--order", "working-set"),
    ],
    ids=" ".join,
)
def test_parameters_reach_the_classifier_and_the_file(options, people_folder, tmp_path):
    found = told("train", people_folder / "people.csv", "--target", "mood", *options, "--model", tmp_path / "m")
    assert found["test_accuracy"] > 0.9
    loaded = rosenblatt.load(tmp_path / "m")
    assert loaded.score(people(seed=1).astype({"born": object}), people(seed=1)["mood"]) > 0.9


@pytest.mark.parametrize("options", [(), ("--algorithm", "averaged"), ("--set", "solver=sgd"), ("--folds", "3")])
def test_features_separate_what_no_plane_does(options, tmp_path):
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (600, 2))
    X = X[abs((X**2).sum(axis=1) - 0.5) > 0.05]
    inside = np.where((X**2).sum(axis=1) < 0.5, "inside", "outside")
    table = pd.DataFrame({"x": X[:, 0], "y": X[:, 1], "where": inside})
    table.to_csv(tmp_path / "ring.csv", index=False)
    train = ("train", tmp_path / "ring.csv", "--target", "where", *options, "--model", tmp_path / "m")
    assert told(*train)["test_accuracy"] < 0.75
    found = told(*train, "--features", "polynomial-2")
    assert found["test_accuracy"] > 0.97
    assert (found["features"], found["encoded_columns"], found["fewest_mistakes"]) == ("polynomial-2", 5, None)
    assert told("evaluate", tmp_path / "m", tmp_path / "ring.csv")["accuracy"] > 0.97
    assert rosenblatt.load(tmp_path / "m").score(table, inside) > 0.97
    assert "x^2" in call("explain", tmp_path / "m").stdout


def test_named_options_and_set_say_the_same(people_folder, tmp_path):
    for options in (("--max-iter", "1"), ("--set", "max_iter=1")):
        found = told("train", people_folder / "people.csv", "--target", "mood", "--algorithm", "averaged", *options)
        assert found["epochs"] == 1


def test_class_weights_move_the_plane(people_folder):
    def recall(*options):
        call(
            "train",
            people_folder / "people.csv",
            "--target",
            "mood",
            "--drop",
            "note",
            *options,
            "--model",
            people_folder / "w",
        )
        return told("evaluate", people_folder / "w", people_folder / "new.csv")["recall"][0]

    assert recall("--class-weight", "glad=20") > recall() > recall("--class-weight", "sad=20")


def test_a_column_that_says_train_or_test_is_pointed_out(tmp_path):
    table = people().assign(part=np.where(np.arange(ROWS) % 4 == 0, "Test", "train"))
    table.to_csv(tmp_path / "people.csv", index=False)
    train = ("train", tmp_path / "people.csv", "--target", "mood")
    assert "'part' says train or test: give --split-column part" in call(*train).stderr
    for options in (("--split-column", "part"), ("--drop", "part"), ("--quiet",)):
        assert "says train or test" not in call(*train, *options).stderr


def test_a_target_that_is_not_there_is_told_the_columns(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"day{k}" for k in range(12)) + ",kind\n" + "1," * 12 + "p\n")
    for options, what in (((), "--target is missing: name the column of"), (("--target", "y"), "has no column 'y'")):
        said = call("train", tmp_path / "wide.csv", *options, ends=2).stderr
        assert what in said
        assert "'day0', 'day1', 'day2', 'day3', 'day4', 'day5', 'day6' ... 'kind'." in said


# Python


def test_fit_learns_what_the_command_line_learns(people_folder):
    model = rosenblatt.fit(people_folder / "people.csv", target="mood", drop=["note"])
    np.testing.assert_array_equal(model[-1].coef_, rosenblatt.load(people_folder / "model")[-1].coef_)
    assert model.report_["rows"] == ROWS
    again = rosenblatt.fit(people(), target="mood", drop="note", C=0.01, test_fraction=0)
    assert again[-1].C == 0.01
    assert np.linalg.norm(again[-1].coef_) < np.linalg.norm(model[-1].coef_)


def test_a_pipeline_is_saved_and_loaded(people_folder, tmp_path):
    model = rosenblatt.fit(people_folder / "people.csv", target="mood")
    rosenblatt.save(model, tmp_path / "m")
    new = people(seed=1)
    np.testing.assert_array_equal(rosenblatt.load(tmp_path / "m").decision_function(new), model.decision_function(new))
    assert told("evaluate", tmp_path / "m", people_folder / "new.csv")["accuracy"] > 0.95


def test_libsvm_text_from_train_to_check(tmp_path):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(200, 6))
    y = np.where(X[:, 0] + X[:, 1] > 0, 1, -1)
    lines = [f"{label} " + " ".join(f"{k + 1}:1" for k in np.flatnonzero(row)) for row, label in zip(X, y, strict=True)]
    path = tmp_path / "rows.svm"
    path.write_text("\n".join(lines) + "\n")
    found = told("train", path)
    assert (found["target"], found["classes"], found["test_accuracy"]) == ("label", [-1, 1], 1.0)
    assert found["columns"] == found["encoded_columns"] == 6
    assert "7 weights from 160 rows" in call("train", path).stdout
    assert told("evaluate", found["model"], path)["accuracy"] == 1.0
    assert call("predict", found["model"], path).stdout.split()[1:] == [str(label) for label in y]
    assert told("check", path, "--certificate", tmp_path / "proof.json")["columns"] == 6
    assert told("verify", tmp_path / "proof.json", path)["proved"]
    text = path.read_text()
    verify = [sys.executable, "-m", "rosenblatt.cli", "verify", tmp_path / "proof.json", "-"]
    for given, code in ((text, 0), (text.replace("1 1:1", "-1 1:1", 1), 1)):
        assert subprocess.run(verify, input=given, capture_output=True, text=True).returncode == code


@pytest.mark.parametrize("first", [0, 1])
def test_libsvm_columns_are_those_of_the_file(first, tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("".join(f"{k % 2} {first + k % 2}:1 {first + 2}:{k}\n" for k in range(40)))
    model = rosenblatt.fit(path)
    assert model[0].get_feature_names_out().tolist() == [str(first + k) for k in range(3)]
    assert model[-1].coef_.shape == (1, 3)
    rosenblatt.save(model, tmp_path / "m")
    np.testing.assert_array_equal(
        rosenblatt.load(tmp_path / "m").decision_function(path), model.decision_function(path)
    )
    (tmp_path / "more.svm").write_text("0 0:5 1:1 99:3\n")  # a number that the model does not know is ignored
    assert np.isfinite(model.decision_function(tmp_path / "more.svm")).all()


def test_advice_names_only_options_that_the_command_has(people_folder, tmp_path):
    call("train", people_folder / "people.csv", "--target", "mood", "--model", tmp_path / "m")
    wrong = people(5, seed=1).astype({"age": object})
    wrong.loc[3, "age"] = "old"
    wrong.to_csv(tmp_path / "wrong.csv", index=False)
    result = call("predict", tmp_path / "m", tmp_path / "wrong.csv", ends=2)
    assert "'old' in line 5" in result.stderr
    assert "--drop" not in result.stderr
    assert "--drop age" in call("train", tmp_path / "wrong.csv", "--target", "mood", "--numeric", "age", ends=2).stderr


def test_a_first_row_may_be_long(tmp_path):
    (tmp_path / "long.csv").write_text(
        "text,a,y\n" + "word " * 500_000 + ",1,p\n" + "a few words,2,q\nmore words,1,p\n" * 20
    )
    assert told("train", tmp_path / "long.csv", "--target", "y")["rows"] == 41


def test_a_header_without_end_is_refused(tmp_path):
    (tmp_path / "wide.csv").write_text(",".join(f"column{k}" for k in range(200_000)) + "\n")
    assert "wide.csv, line 1 is longer than 1 MB" in call("train", tmp_path / "wide.csv", ends=2).stderr


def test_few_rows_show_a_leak_but_not_by_luck(tmp_path):
    for each, found in ((10, ["a"]), (4, [])):
        rows = [f"{k},{k * 7 % 5},{'pq'[k >= each]}\n" for k in range(0, 2 * each)]
        (tmp_path / "leak.csv").write_text("a,b,y\n" + "".join(rows[::-1]))
        assert (
            told("train", tmp_path / "leak.csv", "--target", "y", "--test-fraction", 0, "--numeric", "a")["leaks"]
            == found
        )
