"""From raw files to models and back: what train, predict, evaluate, explain and fit do with tables of every kind."""

import csv
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.parts.catalogue import ALGORITHMS
from rosenblatt.training import request
from rosenblatt.training.request import Request

ROWS = 400


def people(rows=ROWS, seed=0):
    """A table of numbers, categories, texts and dates, with gaps, an identifier, and classes that overlap a little."""
    random = np.random.default_rng(seed)
    job, age = random.choice(["cook", "clerk", "smith", "queen"], rows), random.normal(40, 9, rows).round(1)
    glad = (job == "cook") * 1.5 + (age > 42) + random.normal(0, 0.5, rows) > 1
    words = np.where(glad, "what a lovely and sunny day", "what a dull and rainy day")
    table = pd.DataFrame(
        {
            "person_id": random.permutation(10 * rows)[:rows],
            "age": np.where(random.random(rows) < 0.1, np.nan, age),
            "job": np.where(random.random(rows) < 0.1, "?", job),
            "note": [f"{text}, said number {k}" for k, text in enumerate(words)],
            "born": pd.Timestamp("1980-01-01") + pd.to_timedelta(random.integers(0, 9000, rows), unit="D"),
            "mood": np.where(glad, "glad", "sad"),
        }
    )
    table["born"] = table["born"].dt.date
    return table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    people().to_csv(folder / "people.csv", index=False)
    people(seed=1).to_csv(folder / "new.csv", index=False)
    call("train", folder / "people.csv", "--target", "mood", "--drop", "note", "--model", folder / "model")
    return folder


def call(*arguments, ends=0, stdin=None):
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False, input=stdin)
    assert result.exit_code == ends, result.stderr
    return result


def told(*arguments):
    return json.loads(call(*arguments, "--json").stdout)


def test_train_shows_kinds_and_what_is_left_out(folder):
    found = told("train", folder / "people.csv", "--target", "mood", "--model", folder / "m")
    assert found["kinds"] == {"age": "number", "job": "category", "note": "text", "born": "date"}
    assert list(found["left_out"]) == ["person_id"]
    needed = {"rows", "columns", "classes", "algorithm", "status", "mistakes", "test_accuracy", "seconds", "model"}
    assert needed <= found.keys()
    assert (found["rows"], found["columns"], found["classes"]) == (ROWS, 4, ["glad", "sad"])
    assert found["test_accuracy"] > 0.95


def test_options_outweigh_what_is_seen(folder):
    options = ("--categorical", "age", "--text", "job", "--numeric", "person_id", "--drop", "note")
    found = told("train", folder / "people.csv", "--target", "mood", *options, "--model", folder / "m")
    assert found["kinds"] == {"person_id": "number", "age": "category", "job": "text", "born": "date"}


@pytest.mark.parametrize("suffix", ["csv.gz", "parquet", "jsonl", "feather"])
def test_every_kind_of_file_trains_the_same_model(suffix, folder, tmp_path):
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


def test_a_column_that_predicts_perfectly_is_pointed_out(folder, tmp_path):
    table = people()
    table["smile"] = np.where(table["mood"] == "glad", "wide", "none")
    table["score"] = np.where(table["mood"] == "glad", 7.0, 3.0) + table.index / ROWS
    table.to_csv(tmp_path / "t.csv", index=False)
    assert told("train", tmp_path / "t.csv", "--target", "mood")["leaks"] == ["smile", "score"]
    said = call("train", tmp_path / "t.csv", "--target", "mood").stderr
    assert "hint: column 'smile' alone predicts 'mood' without a mistake" in said
    assert told("train", folder / "people.csv", "--target", "mood", "--model", tmp_path / "m")["leaks"] == []


def test_ways_to_hold_out(folder, tmp_path):
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
def test_parameters_reach_the_classifier_and_the_file(options, folder, tmp_path):
    found = told("train", folder / "people.csv", "--target", "mood", *options, "--model", tmp_path / "m")
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


def test_named_options_and_set_say_the_same(folder, tmp_path):
    for options in (("--max-iter", "1"), ("--set", "max_iter=1")):
        found = told("train", folder / "people.csv", "--target", "mood", "--algorithm", "averaged", *options)
        assert found["epochs"] == 1


def test_class_weights_move_the_plane(folder):
    def recall(*options):
        call("train", folder / "people.csv", "--target", "mood", "--drop", "note", *options, "--model", folder / "w")
        return told("evaluate", folder / "w", folder / "new.csv")["recall"][0]

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


# Predicting


def test_predictions_are_those_of_python(folder):
    new = people(seed=1)
    loaded = rosenblatt.load(folder / "model")
    printed = call("predict", folder / "model", folder / "new.csv", "--probabilities", "--scores").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [row["prediction"] for row in rows] == loaded.predict(new).tolist()
    shares = np.array([[float(row["probability_glad"]), float(row["probability_sad"])] for row in rows])
    np.testing.assert_allclose(shares, loaded.predict_proba(new), atol=1e-12)
    np.testing.assert_allclose([float(row["score_sad"]) for row in rows], loaded.decision_function(new))


def test_predictions_are_added_to_rows_as_they_are_written(folder, tmp_path):
    call("predict", folder / "model", folder / "new.csv", "--add", "--output", tmp_path / "out.csv")
    texts = ((folder / "new.csv").read_text(), (tmp_path / "out.csv").read_text())
    before, after = (list(csv.reader(io.StringIO(text))) for text in texts)
    assert [row[:-1] for row in after] == before
    assert after[0][-1] == "prediction"


def test_predictions_through_a_pipe_and_as_json(folder):
    lines = (folder / "new.csv").read_text()
    command = [sys.executable, "-m", "rosenblatt.cli", "predict", str(folder / "model"), "-", "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, input=lines, capture_output=True, text=True, env=environment, timeout=600)
    found = [json.loads(line)["prediction"] for line in done.stdout.splitlines()]
    assert found == rosenblatt.load(folder / "model").predict(people(seed=1)).tolist(), done.stderr


def test_probabilities_are_refused_before_anything_is_printed(folder, tmp_path):
    pipeline = rosenblatt.load(folder / "model")
    table = people(seed=0)
    pipeline.steps[-1] = ("classifier", rosenblatt.AveragedPerceptron().fit(pipeline[:-1].transform(table), table.mood))
    rosenblatt.save(pipeline, tmp_path / "m")
    call("predict", tmp_path / "m", folder / "new.csv")
    result = call("predict", tmp_path / "m", folder / "new.csv", "--probabilities", ends=2)
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    assert result.stderr.startswith("error: this AveragedPerceptron has no probabilities")


def test_a_column_missing_at_prediction_is_named(folder, tmp_path):
    people(seed=1).drop(columns="job").to_csv(tmp_path / "new.csv", index=False)
    for command in ("predict", "evaluate"):
        said = call(command, folder / "model", tmp_path / "new.csv", ends=2).stderr
        assert said.startswith(f"error: {tmp_path / 'new.csv'} has no column 'job' which the model needs")


# Evaluating and explaining


def test_evaluate_measures_what_scikit_learn_measures(folder):
    from sklearn.metrics import confusion_matrix, precision_score, recall_score, roc_auc_score

    new, model = people(seed=1), rosenblatt.load(folder / "model")
    truth, decided = new["mood"], model.predict(new)
    found = told("evaluate", folder / "model", folder / "new.csv", "--cost", "glad:sad=5")
    assert found["rows"] == ROWS
    assert found["confusion"] == confusion_matrix(truth, decided).tolist()
    assert found["accuracy"] == (truth == decided).mean()
    assert found["interval"][0] < found["accuracy"] < found["interval"][1]
    for name, measure in (("precision", precision_score), ("recall", recall_score)):
        np.testing.assert_allclose(found[name], measure(truth, decided, average=None))
    np.testing.assert_allclose(found["roc_area"], roc_auc_score(truth == "sad", model.decision_function(new)))
    (_, glad_as_sad), (sad_as_glad, _) = found["confusion"]
    assert found["risk"] == pytest.approx((5 * glad_as_sad + sad_as_glad) / ROWS)
    assert (
        f"{found['accuracy']:.1%}".replace("%", " %") in call("evaluate", folder / "model", folder / "new.csv").stdout
    )


def test_evaluate_names_classes_that_it_does_not_know(folder, tmp_path):
    people(seed=1).replace({"mood": {"sad": "angry"}}).to_csv(tmp_path / "new.csv", index=False)
    said = call("evaluate", folder / "model", tmp_path / "new.csv", ends=2).stderr
    assert "column 'mood' has the class 'angry', which the model does not know, in line" in said


def test_explain_names_columns_and_adds_up(folder):
    found = told("explain", folder / "model")
    assert "job=cook" in [weight["name"] for weight in found["classes"]["glad"]]
    row = told("explain", folder / "model", folder / "new.csv", "--row", 3, "--top", 99)
    total = sum(each["adds"] for each in row["contributions"]) + row["intercept"]
    assert total == pytest.approx(row["score"])
    assert row["prediction"] == rosenblatt.load(folder / "model").predict(people(seed=1))[2]
    assert (
        "there is no row 9,999" in call("explain", folder / "model", folder / "new.csv", "--row", 9999, ends=2).stderr
    )


# Python


def test_fit_learns_what_the_command_line_learns(folder):
    model = rosenblatt.fit(folder / "people.csv", target="mood", drop=["note"])
    np.testing.assert_array_equal(model[-1].coef_, rosenblatt.load(folder / "model")[-1].coef_)
    assert model.report_["rows"] == ROWS
    again = rosenblatt.fit(people(), target="mood", drop="note", C=0.01, test_fraction=0)
    assert again[-1].C == 0.01
    assert np.linalg.norm(again[-1].coef_) < np.linalg.norm(model[-1].coef_)


def test_a_pipeline_is_saved_and_loaded(folder, tmp_path):
    model = rosenblatt.fit(folder / "people.csv", target="mood")
    rosenblatt.save(model, tmp_path / "m")
    new = people(seed=1)
    np.testing.assert_array_equal(rosenblatt.load(tmp_path / "m").decision_function(new), model.decision_function(new))
    assert told("evaluate", tmp_path / "m", folder / "new.csv")["accuracy"] > 0.95


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


def test_advice_names_only_options_that_the_command_has(folder, tmp_path):
    call("train", folder / "people.csv", "--target", "mood", "--model", tmp_path / "m")
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


def test_numbers_too_large_to_learn_from(tmp_path):
    (tmp_path / "huge.csv").write_text(GOOD + "1e308,1,p\n-1e308,1,q\n")
    result = call("train", tmp_path / "huge.csv", "--target", "y", ends=2)
    assert (
        "huge.csv, column 'a' holds numbers too large or too small to learn from: change their unit, or"
        in result.stderr
    )


# Hostile files


def leaves(state, path=()):
    """Every place in a header."""
    yield path
    if isinstance(state, dict):
        for key, value in state.items():
            yield from leaves(value, (*path, key))


def changed(state, path, value):
    """A copy of a header with one place changed."""
    if not path:
        return value
    return {**state, path[0]: changed(state[path[0]], path[1:], value)}


def test_hostile_encoders_are_refused_or_harmless(folder, tmp_path):
    """Whatever stands in a model's header, loading ends with a model or with one sentence."""
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    path = tmp_path / "m"
    told("train", folder / "people.csv", "--target", "mood", "--model", path)
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["rosenblatt"])
    tensors, new, refused = load_file(path), people(seed=1), []
    for place in leaves(header["encoder"]):
        for value in (None, -1, 1e308, "x", [], {}, [1], {"a": {}}, True):
            edited = {**header, "encoder": changed(header["encoder"], place, value)}
            save_file(tensors, path, metadata={"rosenblatt": json.dumps(edited)})
            try:
                rosenblatt.load(path).predict(new)
            except ValueError as error:
                refused.append(str(error))
    assert len(refused) > 100
    assert not any("\n" in message for message in refused)


def test_flipped_bytes_of_a_table_model(folder, tmp_path):
    path, random = tmp_path / "m", np.random.default_rng(0)
    told("train", folder / "people.csv", "--target", "mood", "--model", path)
    whole, new, refused = path.read_bytes(), people(rows=20, seed=1), 0
    for _ in range(300):
        spoilt = bytearray(whole)
        spoilt[random.integers(len(whole))] = random.integers(256)
        path.write_bytes(spoilt)
        try:
            rosenblatt.load(path).predict(new)
        except ValueError:
            refused += 1
    assert refused > 30


# Files that cannot be used


GOOD = "a,b,y\n" + "".join(f"{k % 7},{k * 3 % 5},{'pq'[k % 2]}\n" for k in range(60))
BAD = {
    "empty.csv": ("", "empty.csv is empty"),
    "header.csv": ("a,b,y\n", "header.csv names columns but has no rows"),
    "short.csv": (GOOD + "1,2\n", "short.csv, line 62 has 2 values where the first line names 3 columns"),
    "long.csv": (GOOD + "1,2,p,4\n", "long.csv, line 62 has 4 values where the first line names 3 columns"),
    "quote.csv": (GOOD + '1,"2,p\n3,4,q\n', "quote.csv, line 62 opens a quote that is never closed"),
    "behind.csv": (GOOD + '1,"2"3,p\n', "behind.csv, line 62 has text after a closing quote"),
    "late-behind.csv": (GOOD + GOOD[6:] * 9999 + '1,"2"3,p\n', "late-behind.csv, line 600002 has text after"),
    "mixed.csv": (GOOD + "1,big,p\n", "mixed.csv, column 'b' holds numbers, but 'big' in line 62"),
    "single.csv": ("a,y\n1,p\n2,q\nbig,p\n1,q\n", "single.csv, column 'a' holds numbers, but 'big' in line 4"),
    "below.csv": (GOOD + GOOD[6:] * 99 + "1,big,p\n", "below.csv, column 'b' holds numbers, but 'big' in line 6002"),
    "late.csv": (GOOD + GOOD[6:] * 4000 + "1,big,p\n", "column 'b' does not hold numbers ('big' in line 240062)"),
    "one.csv": (GOOD.replace("q", "p"), "column 'y' has only one class, 'p'"),
    "distinct.csv": ("a,y\n" + "".join(f"{k % 5},v{k}\n" for k in range(60)), "60 different values in 60 rows"),
    "missing.csv": (GOOD + "1,2,\n", "column 'y' has no class in 1 row, the first in line 62"),
    "cut.csv.gz": (gzip.compress(GOOD.encode() * 50)[:200], "cut.csv.gz (gzip) is cut off before its end"),
    "junk.csv": (bytes(range(128, 256)) * 9, "junk.csv is not text in UTF-8"),
    "nul.csv": (GOOD + "1,\0,p\n", "nul.csv is not text in UTF-8"),
    "latin.csv": (GOOD.encode() + b"1,\xe9,p\n", "latin.csv is not text in UTF-8"),
    "twice.csv": ("a,a,y\n1,2,p\n", "twice.csv, line 1 names the column 'a' twice"),
    "cut.parquet": (b"PAR1 and no more", "cut.parquet is damaged or not in Parquet format"),
    "cut.arrow": (b"ARROW1\0\0 and no more", "cut.arrow is damaged or not in Arrow format"),
    "broken.jsonl": ('{"a": 1, "y": "p"}\n{"a": 2, "y": \n', "broken.jsonl, line 2"),
    "mixed.jsonl": ('{"a": 1, "y": "p"}\n{"a": "x", "y": "q"}\n', "mixed.jsonl, line 2"),
    "array.json": ('[{"a": 1}]', "array.json is one JSON array"),
    "falling.svm": ("1 3:1 2:1\n", "line 1 of"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_end_with_one_sentence_and_nothing_written(name, tmp_path):
    content, what = BAD[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    target = () if name.endswith(".svm") else ("--target", "y")
    for command in (("train", path, *target), ("check", path, *target)):
        result = call(*command, ends=2)
        assert result.stdout == ""
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
        if command[0] == "train":
            assert what in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_small_table_needs_no_cache_however_much_the_process_holds(tmp_path):
    held = np.ones(1 << 26)  # half a gibibyte, twice what the command may use
    path = tmp_path / "small.csv"
    path.write_text(GOOD)
    for command in ("train", "check"):
        result = call(command, path, "--target", "y", "--memory", "256MiB")
        assert "larger than memory" not in result.stderr
    assert held.all()


def squares(path, rows):
    """Two columns of whole numbers, and classes that overlap."""
    random = np.random.default_rng(0)
    X = random.integers(0, 12, (rows, 2))
    far = X.sum(axis=1) + random.normal(0, 2, rows) > 11
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "far": np.where(far, "yes", "no")}).to_csv(path, index=False)
    return X, far


def test_train_tells_the_fewest_mistakes_possible_and_the_bound(tmp_path):
    X, far = squares(tmp_path / "t.csv", 300)
    arguments = "train", tmp_path / "t.csv", "--target", "far", "--test-fraction", "0", "--model", tmp_path / "m"
    found = told(*arguments)
    best = rosenblatt.minimum_mistakes(X, far)
    assert best.proved
    assert found["fewest_mistakes"] == [best.mistakes, best.mistakes]
    bound = rosenblatt.vc_bound(found["mistakes"] / 300, 300, vc_dim=3)
    assert found["vc_bound"] == pytest.approx(bound.bound)
    text = call(*arguments).stdout
    assert f"possible   {best.mistakes} mistakes: no plane makes fewer (proved)" in text
    right = 100 * (1 - bound.bound)
    assert f"{right:.1f} % or more of new rows right, 95 % sure (Vapnik-Chervonenkis, 3 weights from 300 rows)" in text


@pytest.mark.parametrize(
    ("rows", "explanation"),
    [
        (100, "less than always giving the most frequent class"),
        (300, "a guarantee for rows of every distribution, and so a cautious one"),
    ],
)
def test_the_report_says_what_the_bound_is(rows, explanation, tmp_path):
    squares(tmp_path / "t.csv", rows)
    arguments = "train", tmp_path / "t.csv", "--target", "far", "--model", tmp_path / "m"
    found = told(*arguments)
    trained = round(0.8 * rows)
    bound = rosenblatt.vc_bound(found["mistakes"] / trained, trained, vc_dim=3)
    assert bound.confidence > 0.3
    assert found["vc_bound"] == pytest.approx(bound.bound + 1 / trained)  # as docs/theory asks
    assert (1 - found["vc_bound"] < max(found["class_counts"]) / rows) == (rows == 100)
    right = math.floor(1000 * (1 - found["vc_bound"])) / 10
    lines = call(*arguments).stdout.splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith(f"bound      {right:.1f} % or more"))
    assert lines[place + 1].strip() == f"{explanation}; the held-out rows above estimate it better"


def test_a_bound_is_told_only_where_there_is_one(folder, tmp_path):
    squares(tmp_path / "few.csv", 10)
    few = "train", tmp_path / "few.csv", "--target", "far", "--test-fraction", "0", "--model", tmp_path / "m"
    assert told(*few)["vc_bound"] >= 1
    assert "bound      says nothing about so few rows" in call(*few).stdout
    texts = "train", folder / "people.csv", "--target", "mood", "--model", tmp_path / "m"
    assert told(*texts)["vc_bound"] is None
    squares(tmp_path / "many.csv", 300)
    assert told("train", tmp_path / "many.csv", "--target", "a", "--model", tmp_path / "m")["vc_bound"] is None


def test_fit_takes_the_name_of_a_column_as_target():
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "kind": list("abab")})
    for labels in (table["kind"], table["kind"].to_numpy(), ["kind"]):
        with pytest.raises(ValueError, match=r"^target must be the name of a column of the table, not "):
            rosenblatt.fit(table[["size"]], labels)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"foo": 3}, "algorithm 'logistic' has no parameter 'foo': it has C, alpha, "),
        ({"algoritm": "svm"}, "has no parameter 'algoritm': did you mean 'algorithm'?"),
        ({"max_iters": 3}, "has no parameter 'max_iters': did you mean 'max_iter'?"),
    ],
)
def test_fit_names_unknown_options(options, what):
    with pytest.raises(ValueError, match=re.escape(what)):
        rosenblatt.fit({"size": [1.0, 2.0], "kind": ["a", "b"]}, target="kind", **options)


def many_classes(classes=6, rows=600, seed=0):
    random = np.random.default_rng(seed)
    kinds = np.arange(rows) % classes
    X = random.normal(size=(classes, 4))[kinds] + 0.6 * random.normal(size=(rows, 4))
    return pd.DataFrame({**{f"x{j}": X[:, j] for j in range(4)}, "kind": [f"k{kind}" for kind in kinds]})


def test_a_name_trains_the_model_that_auto_trains_under_that_name(tmp_path):
    path = tmp_path / "kinds.csv"
    many_classes().to_csv(path, index=False)
    auto, named = (rosenblatt.fit(path, "kind", algorithm=name)[-1].coef_ for name in ("auto", "logistic"))
    np.testing.assert_array_equal(auto, named)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("stored", [100, 10**8])
@pytest.mark.parametrize("texts", [False, True])
def test_auto_and_the_name_it_chooses_have_one_plan(classes, stored, texts):
    auto = Request().plan(classes, stored, 10, texts)
    assert Request(algorithm=auto.algorithm).plan(classes, stored, 10, texts) == auto
    assert auto.multi_class == ("joint" if classes > 2 else "ovr")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("multi_class", [None, "ovr"])
def test_the_report_says_how_several_classes_were_trained(algorithm, multi_class, tmp_path):
    path = tmp_path / "kinds.csv"
    many_classes(classes=3, rows=90).to_csv(path, index=False)
    asked = () if multi_class is None else ("--multi-class", multi_class)
    line = ("train", path, "--target", "kind", "--algorithm", algorithm, "--max-iter", 50, *asked)
    softmax = " (softmax)" if algorithm == "logistic" else ""
    words = "one-vs-rest" if multi_class else f"joint classes{softmax}"
    assert f"algorithm  {algorithm} ({words}, seed 0)\n" in call(*line, "--model", tmp_path / "a").stdout
    assert told(*line, "--model", tmp_path / "b")["multi_class"] == (multi_class or "joint")
    assert rosenblatt.load(tmp_path / "a")[-1].multi_class_ == (multi_class or "joint")


def test_two_classes_have_no_word_about_several(folder):
    found = told("train", folder / "people.csv", "--target", "mood", "--model", folder / "two")
    assert found["multi_class"] is None


def test_small_tables_go_to_the_optimum_and_large_ones_say_that_they_stop_early(tmp_path, monkeypatch):
    path = tmp_path / "kinds.csv"
    many_classes().to_csv(path, index=False)
    line = ("train", path, "--target", "kind", "--algorithm", "logistic", "--model", tmp_path / "model")
    small, says = told(*line), "before the optimum, because the table is large"
    assert not small["stopped_early"]
    assert rosenblatt.load(tmp_path / "model")[-1].gradient_norm_ <= 1e-8  # as near as rounding allows
    assert says not in call(*line).stdout
    monkeypatch.setattr(request, "MAX_OPTIMUM_VALUES", 100)
    assert told(*line)["stopped_early"]
    assert 1e-8 < rosenblatt.load(tmp_path / "model")[-1].gradient_norm_ <= 0.1
    assert says in call(*line).stdout
    assert not told(*line, "--set", "tol=1e-6")["stopped_early"]
    assert rosenblatt.load(tmp_path / "model")[-1].gradient_norm_ <= 1e-6
