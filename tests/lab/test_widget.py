"""The lab in a notebook: the widget answers, and shows rows and fitted classifiers of one's own."""

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix
from sklearn import linear_model
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import rosenblatt


def test_the_widget_answers_the_page_by_number():
    lab = rosenblatt.Lab()
    sent = []
    lab.send = sent.append
    lab._receive(lab, {"id": 7, "kind": "preset", "content": {"preset": "three"}}, [])
    lab._receive(lab, {"id": 8, "kind": "run", "content": {"points": []}}, [])
    lab._receive(lab, "nonsense", [])
    assert sent[0]["id"] == 7
    assert sent[0]["answer"]["points"][0] == [3.0, 3.0, 1]
    assert sent[1:] == [{"id": 8, "error": "Place points of at least two classes to start training."}]
    assert not lab.ask("about", {})["data"]


def test_the_widget_takes_as_much_height_as_it_is_given():
    assert rosenblatt.Lab().height is None
    assert rosenblatt.Lab(height=500).height == 500
    assert ".rosenblatt-lab" in rosenblatt.Lab().styles
    with pytest.raises(ValueError, match="height must be at least 200 pixels, not 20"):
        rosenblatt.Lab(height=20)


def test_the_widget_shows_rows_of_ones_own():
    iris = load_iris(as_frame=True)
    lab = rosenblatt.Lab(iris.data, iris.target)
    assert lab.ask("about", {})["data"]
    answer = lab.ask("data", {"learner": "Perceptron", "parameters": {"max_iter": 5}})
    assert answer["rows"] == 150
    assert answer["weights"][0]["name"] in iris.feature_names
    model = rosenblatt.LinearSVM().fit(iris.data, iris.target)
    assert rosenblatt.Lab(iris.data, iris.target, model).ask("data", {})["wrong"] == model.status_.mistakes
    frame = pandas.DataFrame({"size": [1.0, 2.0, 8.0, 9.0] * 5, "colour": ["red", "red", "blue", "red"] * 5})
    kinds = ["small", "small", "large", "large"] * 5
    answer = rosenblatt.Lab(frame, kinds).ask("data", {})
    assert answer["list"]["rows"][0]["values"].keys() == {"size", "colour"}
    fitted = rosenblatt.fit(frame.assign(kind=kinds), target="kind")
    assert rosenblatt.Lab(frame, kinds, fitted).ask("data", {})["wrong"] == 0
    for X, y, sentence in [
        (iris.data, iris.target[:3], "one label a row"),
        (np.array([[np.nan], [1.0]]), [0, 1], "finite numbers"),
        (iris.data, None, "give both"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            rosenblatt.Lab(X, y)


def scikit_models():
    return [
        make_pipeline(StandardScaler(), rosenblatt.Perceptron(max_iter=5, random_state=0)),
        make_pipeline(StandardScaler(), linear_model.Perceptron()),
        linear_model.LogisticRegression(max_iter=5000),
        SVC(kernel="linear", decision_function_shape="ovr"),
        RandomForestClassifier(10, random_state=0),
        rosenblatt.LinearSVM(features="polynomial-2"),
        rosenblatt.KernelPerceptron(max_iter=20, random_state=0),
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", scikit_models(), ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_any_fitted_classifier_can_be_looked_at(model, load):
    """Decisions and probabilities are the estimator's own; linear ones also show what each column adds."""
    bunch = load(as_frame=True)
    names = bunch.target_names[bunch.target]
    model = clone(model).fit(bunch.data, names)
    lab = rosenblatt.Lab(bunch.data, names, model)
    answer = lab.ask("data", {})
    assert answer["fixed"]
    assert answer["wrong"] == (model.predict(bunch.data) != names).sum()
    assert "too good" in answer["notes"][0]
    found = lab.ask("row", {"row": 3})
    assert found["predicted"] == model.predict(bunch.data)[2]
    if hasattr(model, "predict_proba"):
        assert found["probabilities"] == pytest.approx(model.predict_proba(bunch.data)[2].tolist())
    if "contributions" in found:
        total = sum(one["adds"] for one in found["contributions"]) + found["others_add"] + found["intercept"]
        scores = np.ravel(model.decision_function(bunch.data.iloc[2:3]))
        own = scores[model.classes_.tolist().index(found["predicted"])] if len(scores) > 1 else abs(scores[0])
        assert total == pytest.approx(own)
    steps = getattr(model, "steps", None)
    is_linear = steps is not None or type(model) is linear_model.LogisticRegression
    assert ("contributions" in found) == (is_linear or (type(model) is SVC and load is load_breast_cancer))


def test_sparse_rows_and_model_files_and_models_alone(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    dense, sparse = (rosenblatt.Lab(rows, y).ask("data", {"learner": "Perceptron"}) for rows in (X, csr_matrix(X)))
    assert sparse["figures"]["rows"] == dense["figures"]["rows"]
    assert sparse["columns"] == 30
    model = rosenblatt.Perceptron(max_iter=5, random_state=0)
    with pytest.warns(UserWarning, match="max_iter"):
        model.fit(csr_matrix(X), y)
    shown = rosenblatt.Lab(csr_matrix(X), y, model).ask("data", {})
    assert shown["wrong"] == model.status_.mistakes
    rosenblatt.save(model, tmp_path / "m.safetensors")
    assert rosenblatt.Lab(X, y, tmp_path / "m.safetensors").ask("data", {})["wrong"] == shown["wrong"]
    alone = rosenblatt.Lab(model=model).ask("data", {})
    heaviest = np.abs(model.coef_[0]).argmax()
    assert alone["weights"][0] == {"name": f"column {heaviest}", "weight": model.coef_[0][heaviest]}
    with pytest.raises(ValueError, match="no classes_: fit it first"):
        rosenblatt.Lab(X, y, rosenblatt.Perceptron())
    with pytest.raises(ValueError, match="labels that the model does not know"):
        rosenblatt.Lab(X, y + 1, model)
