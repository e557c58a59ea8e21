"""ONNX files score as we do: what onnxruntime makes of them agrees to 1e-6, labels exactly."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import classifiers
from rosenblatt.model.export import export
from rosenblatt.model.file import model_of
from rosenblatt.parts import catalogue

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
AGREED = 1e-6


@pytest.fixture
def session():
    pytest.importorskip("onnx", reason="onnx is not installed: pip install 'rosenblatt[onnx]'")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed, so nothing can run the files")
    return lambda model: runtime.InferenceSession(rosenblatt.to_onnx(model).SerializeToString())


def rows(classes, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(3, 2, size=(200, 5))
    return X, np.argmax(X[:, :classes] + random.normal(size=(200, classes)), axis=1)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", [algorithm.class_name for algorithm in catalogue.ALGORITHMS.values()])
def test_classifiers(name, classes, multi_class, session):
    X, y = rows(classes)
    model = getattr(classifiers, name)(multi_class=multi_class, max_iter=20).fit(X, np.array(["a", "b", "c"])[y])
    outputs = session(model)
    label, scores, *probabilities = outputs.run(None, {"X": X})
    assert label.tolist() == model.predict(X).tolist()
    np.testing.assert_allclose(scores, model.decision_function(X).reshape(len(X), -1), atol=AGREED)
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(probabilities[0], model.predict_proba(X), atol=AGREED)


@pytest.mark.parametrize("classes", [2, 3])
def test_calibrated_probabilities(classes, session):
    X, y = rows(classes)
    model = rosenblatt.AveragedPerceptron(calibration="platt", random_state=0).fit(X, y)
    _, _, probabilities = session(model).run(None, {"X": X})
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=AGREED)
    isotonic = rosenblatt.AveragedPerceptron(calibration="isotonic", random_state=0).fit(X, y)
    assert [output.name for output in session(isotonic).get_outputs()] == ["label", "scores"]


@pytest.mark.parametrize("labels", [np.array([3, 7]), np.array([1.0, 2.0]), np.array([False, True])], ids=str)
def test_labels_of_every_type(labels, session):
    X, y = rows(2)
    model = rosenblatt.Perceptron(max_iter=5).fit(X, labels[y])
    assert session(model).run(["label"], {"X": X})[0].tolist() == model.predict(X).tolist()


def frame(classes=2, rows=300):
    random = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "age": np.where(random.random(rows) < 0.1, np.nan, random.normal(40, 9, rows)),
            "height": random.normal(170, 10, rows),
            "job": random.choice(["cook", "clerk", "smith", None], rows),
            "member": random.choice(["yes", "no"], rows),
        }
    )
    score = (table["job"] == "cook") * 2.0 + table["height"] / 10 + random.normal(size=rows)
    table["y"] = pd.cut(score, classes, labels=["low", "mid", "high"][:classes]).astype(str)
    return table


@pytest.mark.parametrize("classes", [2, 3])
def test_tables(classes, session):
    table = frame(classes)
    model = rosenblatt.fit(table, target="y")
    new = frame(classes, rows=80)
    new.loc[0, ["age", "height", "job", "member"]] = [np.nan, np.nan, "queen", "perhaps"]
    inputs = {
        name: new[[name]].to_numpy(np.float64) if name in ("age", "height") else new[[name]].fillna("").to_numpy(object)
        for name in ("age", "height", "job", "member")
    }
    label, scores, probabilities = session(model).run(None, inputs)
    assert label.tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(scores, model.decision_function(new).reshape(len(new), -1), atol=AGREED)
    np.testing.assert_allclose(probabilities, model.predict_proba(new), atol=AGREED)


def test_texts_are_refused_in_plain_words(session):
    table = {"text": [f"word{k % 3} and more of it {k}" for k in range(60)], "y": ["a", "b", "c"] * 20}
    with pytest.raises(ValueError, match="ONNX has no counterpart for column 'text', a text: export to JSON"):
        session(rosenblatt.fit(table, target="y"))


def test_lifted_rows_are_refused_in_plain_words(session):
    X, y = rows(2)
    for model in (rosenblatt.KernelPerceptron(max_iter=3), rosenblatt.Perceptron(features="polynomial-2", max_iter=3)):
        with pytest.raises(ValueError, match="A model that lifts its rows cannot be written as ONNX"):
            session(model.fit(X, y))


def test_json_holds_every_weight_by_name(tmp_path):
    model = rosenblatt.fit(frame(), target="y")
    assert export(model_of(model), tmp_path / "m.json") == "json"
    found = json.loads((tmp_path / "m.json").read_text())
    names, weights = model[0].get_feature_names_out().tolist(), model[-1].coef_[0].tolist()
    assert found["weights"] == {"mid": dict(zip(names, weights, strict=True))}
    assert found["classes"] == ["low", "mid"]
    with pytest.raises(ValueError, match=r"must end in \.onnx or \.json"):
        export(model_of(model), tmp_path / "m.txt")


def test_what_cannot_be_exported_is_refused_in_the_name_of_the_function_called():
    scaled = make_pipeline(StandardScaler(), rosenblatt.Perceptron()).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"^to_onnx takes a pipeline only of a fitted TableEncoder and a classifier"):
        rosenblatt.to_onnx(scaled)
    with pytest.raises(ValueError, match=r"^to_onnx takes a classifier of rosenblatt .*, not StandardScaler"):
        rosenblatt.to_onnx(scaled[0])
