"""Every model of a table has probabilities, calibrated on rows that it was not trained on."""

import csv
import io

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from people_table import call, told
from sklearn.metrics import log_loss

import rosenblatt
from rosenblatt.model.file import read
from rosenblatt.parts.catalogue import ALGORITHMS
from rosenblatt.training import calibrate
from rosenblatt.training.score_sample import ScoreSample

LABELS = np.array(["ash", "birch", "cedar"])


def trees(classes=2, texts=False, rows=240, seed=0):
    """A table of numbers, or of words, whose classes overlap."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 3))
    kind = LABELS[np.argmax(X[:, :classes] + 0.5 * random.normal(size=(rows, classes)), axis=1)]
    if not texts:
        return pd.DataFrame(X, columns=["width", "height", "age"]).assign(kind=kind)
    words = np.array([["pale", "dark"], ["rough", "smooth"], ["old", "young"]])
    return pd.DataFrame(
        {"text": [" ".join(w[int(x > 0)] for w, x in zip(words, row, strict=True)) for row in X]}
    ).assign(kind=kind)


def written(table, path):
    table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("texts", [False, True], ids=["numbers", "texts"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("algorithm", ["auto", *ALGORITHMS])
def test_every_trained_model_predicts_probabilities(algorithm, classes, texts, tmp_path):
    file = written(trees(classes, texts), tmp_path / "t.csv")
    options = ("--text", "text") if texts else ()
    report = told(
        "train", file, "--target", "kind", "--algorithm", algorithm, "--max-iter", 20, *options, "-o", tmp_path / "m"
    )
    rows = csv.DictReader(io.StringIO(call("predict", tmp_path / "m", file, "--probabilities").stdout))
    found = pd.DataFrame(rows)
    probabilities = found[[f"probability_{label}" for label in LABELS[:classes]]].astype(float).to_numpy()
    assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    scores = rosenblatt.load(tmp_path / "m").decision_function(trees(classes, texts))
    decided = (scores >= 0).astype(int) if classes == 2 else scores.argmax(axis=1)
    assert_array_equal(found.prediction, LABELS[decided])
    assert report["log_loss"] < np.log(classes)
    assert (report["calibration"] is None) == (report["algorithm"] == "logistic")


def test_the_report_and_evaluate_say_how_good_probabilities_are(tmp_path):
    file, new = written(trees(3), tmp_path / "t.csv"), written(trees(3, seed=1), tmp_path / "new.csv")
    shown = call("train", file, "--target", "kind", "--algorithm", "averaged", "-o", tmp_path / "m").stdout
    assert "probabilities by Platt's scaling, fitted to the scores of 240 rows" in shown
    measures = told("evaluate", tmp_path / "m", new)
    probabilities = rosenblatt.load(tmp_path / "m").predict_proba(trees(3, seed=1))
    assert measures["log_loss"] == pytest.approx(log_loss(trees(3, seed=1).kind, probabilities))
    right = (probabilities.argmax(axis=1) == np.searchsorted(LABELS, trees(3, seed=1).kind)).mean()
    assert measures["calibration_error"] >= abs(probabilities.max(axis=1).mean() - right) - 1e-12
    assert "log-loss   0." in call("evaluate", tmp_path / "m", new).stdout


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({"test_fraction": 0.5}, 600),  # the rows held out
        ({"test_fraction": 0.0}, 1200),  # all rows, each by a training without its fold
        ({"folds": 3}, 1200),
        ({"test_fraction": 0.0, "early_stopping": True, "algorithm": "svm"}, 121),
    ],
)
def test_calibration_uses_rows_that_were_not_trained_on(options, rows):
    model = rosenblatt.fit(trees(rows=1200), "kind", **{"algorithm": "averaged", **options})
    assert model.report_["calibration_rows"] == rows
    new = trees(rows=1200, seed=1)
    loss = log_loss(new.kind, model.predict_proba(new))
    assert loss == pytest.approx(model.report_["log_loss"], abs=0.06)  # what the report promises
    assert loss < 0.5


def test_many_rows_get_isotonic_regression():
    random = np.random.default_rng(0)
    x = random.normal(size=42_000)
    kind = np.where(random.random(42_000) < np.where(x > 0, 0.9, 0.4), "b", "a")  # a step, which no sigmoid fits
    model = rosenblatt.fit({"x": x, "kind": kind}, "kind", algorithm="averaged", max_iter=3, test_fraction=0.5)
    assert model.report_["calibration"] == "isotonic"
    assert_allclose(model.predict_proba({"x": [-1.0, 1.0]})[:, 1], [0.4, 0.9], atol=0.03)


def test_a_large_table_without_rows_held_out_is_told_before_training(tmp_path, monkeypatch):
    monkeypatch.setattr(calibrate, "MAX_CROSS_FIT_VALUES", 10)
    file = written(trees(), tmp_path / "t.csv")
    options = ("train", file, "--target", "kind", "--test-fraction", 0, "-o", tmp_path / "m")
    said = call(*options, "--algorithm", "averaged").stderr
    assert "note: no rows are held out, so the model will have no probabilities" in said
    assert "hint: the model has no probabilities" in said
    refused = call("predict", tmp_path / "m", file, "--probabilities", ends=2)
    assert refused.stderr.startswith("error: this AveragedPerceptron has no probabilities")
    assert "probabilities" not in call(*options, "--algorithm", "logistic", "--force").stderr


def test_a_class_with_one_row_gets_a_probability_from_the_rows_held_out():
    table = pd.concat([trees(3), pd.DataFrame({"width": [9.0], "kind": ["yew"]})], ignore_index=True)
    model = rosenblatt.fit(table, "kind", algorithm="averaged")
    assert model.report_["calibration_rows"] == 48  # a class with one row has no fold to leave out
    assert (model.predict_proba(table) > 0).all()


def test_tiny_tables_have_probabilities_too():
    model = rosenblatt.fit(
        {"x": [0.0, 1.0, 2.0, 3.0] * 3, "kind": ["a", "a", "b", "b"] * 3}, "kind", algorithm="perceptron"
    )
    assert_allclose(model.predict_proba({"x": [0.0, 3.0]}).sum(axis=1), 1.0)


def test_files_of_trained_models_hold_the_calibration(tmp_path):
    model = rosenblatt.fit(trees(3), "kind", algorithm="passive-aggressive")
    rosenblatt.save(model, tmp_path / "m")
    loaded = rosenblatt.load(tmp_path / "m")
    assert_array_equal(loaded.predict_proba(trees(3)), model.predict_proba(trees(3)))
    assert read(tmp_path / "m").calibration.rows == model.report_["calibration_rows"]


def test_a_sample_does_not_depend_on_its_batches():
    scores = np.arange(1000.0)[:, None]
    samples = [ScoreSample(max_rows=100) for _ in range(2)]
    samples[0].add(scores, np.arange(1000))
    for first in range(0, 1000, 7):
        samples[1].add(scores[first : first + 7], np.arange(1000)[first : first + 7])
    assert_array_equal(samples[0].scores, samples[1].scores)
    assert_array_equal(samples[0].codes, samples[1].codes)
    assert 50 <= samples[0].rows <= 100
