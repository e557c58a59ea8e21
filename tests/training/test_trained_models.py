"""What predict, evaluate and explain do with a trained model, and with one that was tampered with."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from people_table import ROWS, call, people, told

import rosenblatt

# Predicting


def test_predictions_are_those_of_python(people_folder):
    new = people(seed=1)
    loaded = rosenblatt.load(people_folder / "model")
    printed = call("predict", people_folder / "model", people_folder / "new.csv", "--probabilities", "--scores").stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [row["prediction"] for row in rows] == loaded.predict(new).tolist()
    shares = np.array([[float(row["probability_glad"]), float(row["probability_sad"])] for row in rows])
    np.testing.assert_allclose(shares, loaded.predict_proba(new), atol=1e-12)
    np.testing.assert_allclose([float(row["score_sad"]) for row in rows], loaded.decision_function(new))


def test_predictions_are_added_to_rows_as_they_are_written(people_folder, tmp_path):
    call("predict", people_folder / "model", people_folder / "new.csv", "--add", "--output", tmp_path / "out.csv")
    texts = ((people_folder / "new.csv").read_text(), (tmp_path / "out.csv").read_text())
    before, after = (list(csv.reader(io.StringIO(text))) for text in texts)
    assert [row[:-1] for row in after] == before
    assert after[0][-1] == "prediction"


def test_predictions_through_a_pipe_and_as_json(people_folder):
    lines = (people_folder / "new.csv").read_text()
    command = [sys.executable, "-m", "rosenblatt.cli", "predict", str(people_folder / "model"), "-", "--json"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, input=lines, capture_output=True, text=True, env=environment, timeout=600)
    found = [json.loads(line)["prediction"] for line in done.stdout.splitlines()]
    assert found == rosenblatt.load(people_folder / "model").predict(people(seed=1)).tolist(), done.stderr


def test_probabilities_are_refused_before_anything_is_printed(people_folder, tmp_path):
    pipeline = rosenblatt.load(people_folder / "model")
    table = people(seed=0)
    pipeline.steps[-1] = ("classifier", rosenblatt.AveragedPerceptron().fit(pipeline[:-1].transform(table), table.mood))
    rosenblatt.save(pipeline, tmp_path / "m")
    call("predict", tmp_path / "m", people_folder / "new.csv")
    result = call("predict", tmp_path / "m", people_folder / "new.csv", "--probabilities", ends=2)
    assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    assert result.stderr.startswith("error: this AveragedPerceptron has no probabilities")


def test_a_column_missing_at_prediction_is_named(people_folder, tmp_path):
    people(seed=1).drop(columns="job").to_csv(tmp_path / "new.csv", index=False)
    for command in ("predict", "evaluate"):
        said = call(command, people_folder / "model", tmp_path / "new.csv", ends=2).stderr
        assert said.startswith(f"error: {tmp_path / 'new.csv'} has no column 'job' which the model needs")


# Evaluating and explaining


def test_evaluate_measures_what_scikit_learn_measures(people_folder):
    from sklearn.metrics import confusion_matrix, precision_score, recall_score, roc_auc_score

    new, model = people(seed=1), rosenblatt.load(people_folder / "model")
    truth, decided = new["mood"], model.predict(new)
    found = told("evaluate", people_folder / "model", people_folder / "new.csv", "--cost", "glad:sad=5")
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
        f"{found['accuracy']:.1%}".replace("%", " %")
        in call("evaluate", people_folder / "model", people_folder / "new.csv").stdout
    )


def test_evaluate_names_classes_that_it_does_not_know(people_folder, tmp_path):
    people(seed=1).replace({"mood": {"sad": "angry"}}).to_csv(tmp_path / "new.csv", index=False)
    said = call("evaluate", people_folder / "model", tmp_path / "new.csv", ends=2).stderr
    assert "column 'mood' has the class 'angry', which the model does not know, in line" in said


def test_explain_names_columns_and_adds_up(people_folder):
    found = told("explain", people_folder / "model")
    assert "job=cook" in [weight["name"] for weight in found["classes"]["glad"]]
    row = told("explain", people_folder / "model", people_folder / "new.csv", "--row", 3, "--top", 99)
    total = sum(each["adds"] for each in row["contributions"]) + row["intercept"]
    assert total == pytest.approx(row["score"])
    assert row["prediction"] == rosenblatt.load(people_folder / "model").predict(people(seed=1))[2]
    assert (
        "there is no row 9,999"
        in call("explain", people_folder / "model", people_folder / "new.csv", "--row", 9999, ends=2).stderr
    )


# Models that were tampered with


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


def test_hostile_encoders_are_refused_or_harmless(people_folder, tmp_path):
    """Whatever stands in a model's header, loading ends with a model or with one sentence."""
    from safetensors import safe_open
    from safetensors.numpy import load_file, save_file

    path = tmp_path / "m"
    told("train", people_folder / "people.csv", "--target", "mood", "--model", path)
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


def test_flipped_bytes_of_a_table_model(people_folder, tmp_path):
    path, random = tmp_path / "m", np.random.default_rng(0)
    told("train", people_folder / "people.csv", "--target", "mood", "--model", path)
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
