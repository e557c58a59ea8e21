"""Your own data in the lab: what is shown agrees with the model, and what cannot be shown is refused."""

import json
import re
from dataclasses import replace
from random import Random
from threading import Event

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
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.engine.result import Progress
from rosenblatt.foundation.errors import InputError
from rosenblatt.lab.data_view import DataView
from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.projection import widest_direction_within
from rosenblatt.lab.seen_estimator import see_estimator
from rosenblatt.lab.user_data import open_user_data


def write_csv(path, bunch):
    header = ",".join([*bunch.feature_names, "kind"])
    rows = [
        ",".join([*map(str, row), str(bunch.target_names[k])]) for row, k in zip(bunch.data, bunch.target, strict=True)
    ]
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def tumours(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("lab") / "tumours.csv", load_breast_cancer())


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("lab") / "flowers.csv", load_iris())


def ask(files, target, drop=(), question="data"):
    """The handler of one question about files."""
    return open_user_data(files, target, drop)[question]


def test_a_table_is_trained_and_measured_as_train_does(tumours):
    """The same rows held out, the same weights, and the figures of `fit` and `evaluate`."""
    questions = open_user_data([tumours], "kind", [])
    answer = questions["data"]({"learner": "Perceptron", "parameters": {"max_iter": 3}})
    model = rosenblatt.fit(str(tumours), target="kind", algorithm="perceptron", max_iter=3)
    report, figures = model.report_, answer["figures"]
    assert answer["classes"] == ["benign", "malignant"]
    assert answer["status"] == report["status"]
    assert figures["held_out"]
    assert figures["rows"] == report["test_rows"]
    assert figures["accuracy"] == report["test_accuracy"]
    assert figures["interval"] == report["test_interval"]
    assert figures["base_rate"] == report["test_majority"] / report["test_rows"]
    assert figures["trained"]["rows"] == report["train_rows"]
    assert figures["trained"]["wrong"] == report["mistakes"]
    assert figures["log_loss"] == pytest.approx(report["log_loss"])
    assert answer["weights"][0]["weight"] == model[-1].coef_[0][np.abs(model[-1].coef_[0]).argmax()]
    bunch = load_breast_cancer(as_frame=True)
    frame, truth = bunch.data, bunch.target_names[bunch.target]
    scores = model.decision_function(frame)
    rows = questions["rows"](
        {"learner": "Perceptron", "parameters": {"max_iter": 3}, "part": "measured", "order": "table"}
    )
    listed = [row["row"] - 1 for row in rows["rows"]]
    assert [row["predicted"] for row in rows["rows"]] == model.predict(frame)[listed].tolist()
    norm = np.linalg.norm(model[-1].coef_)
    signed = np.where(truth == "malignant", scores, -scores) / norm
    assert [row["margin"] for row in rows["rows"]] == pytest.approx(signed[listed].tolist())
    everything = questions["data"]({"learner": "Perceptron", "parameters": {"max_iter": 3}, "part": "all"})
    np.testing.assert_allclose(unpack_array(everything["projection"]["distance"]), scores / norm, rtol=1e-4, atol=1e-5)
    json.dumps(answer, allow_nan=False)


def test_the_automatic_choice_is_that_of_train(flowers):
    answer, model = ask([flowers], "kind")({}), rosenblatt.fit(str(flowers), target="kind")
    assert answer["learner"] == type(model[-1]).__name__ == "LogisticRegression"
    assert answer["figures"]["accuracy"] == model.report_["test_accuracy"]
    assert answer["figures"]["log_loss"] == model.report_["log_loss"]
    with pytest.raises(InputError, match="automatic choice has no parameters"):
        ask([flowers], "kind")({"parameters": {"max_iter": 3}})


def test_curves_are_those_of_the_metrics(tumours):
    """At the threshold of the model, precision and recall are those of its decisions; the area is that of `risk`."""
    answer = ask([tumours], "kind")({"learner": "AveragedPerceptron"})
    figures, curve = answer["figures"], answer["figures"]["curve"]
    at = curve["decides"]
    assert unpack_array(curve["recall"])[at] == figures["recall"][1]
    assert unpack_array(curve["precision"])[at] == figures["precision"][1]
    assert unpack_array(curve["hits"])[at] == figures["confusion"][1][1]
    assert curve["area"] == pytest.approx(figures["roc_area"][1])
    assert sum(figures["calibration"]["rows"]) == figures["rows"]


def test_outliers_do_not_squash_the_histogram(tmp_path):
    lines = [f"{k % 17 - 8 + (0.5 if k % 2 else -0.5)},{k % 2}" for k in range(400)]
    (tmp_path / "far.csv").write_text("\n".join(["x,y", *lines, "100000,1"]) + "\n")
    histogram = ask([tmp_path / "far.csv"], "y")({"part": "all"})["histogram"]
    assert histogram["beyond"] == 1
    assert sum(map(sum, histogram["counts"])) == 401
    filled = [any(column) for column in zip(*histogram["counts"], strict=True)]
    assert sum(filled) > 8


def test_rows_are_filtered_by_the_cells_of_the_confusion(flowers):
    questions = open_user_data([flowers], "kind", [])
    chosen = {"learner": "Perceptron", "parameters": {"max_iter": 2}, "part": "all"}
    figures = questions["data"]({**chosen, "part": "measured"})["figures"]
    total = 0
    for truth in range(3):
        for decided in range(3):
            found = questions["rows"]({**chosen, "part": "measured", "truth": truth, "decided": decided})
            assert found["count"] == figures["confusion"][truth][decided]
            total += found["count"] * (truth != decided)
    assert questions["rows"]({**chosen, "part": "measured", "wrong": True})["count"] == total
    pages = [questions["rows"]({**chosen, "order": "table", "skip": skip})["rows"] for skip in range(0, 150, 15)]
    assert [row["row"] for page in pages for row in page] == list(range(1, 151))
    nearest = questions["rows"]({**chosen, "order": "nearest"})["rows"]
    sizes = [abs(row["margin"]) for row in nearest]
    assert sizes == sorted(sizes)
    for wrong, sentence in [
        ({"part": "some"}, "part must be one of measured, trained, all"),
        ({"order": "best"}, "order must be one of worst, nearest, table"),
        ({"truth": 3}, "truth must be a whole number from 0 to 2"),
        ({"skip": -1}, "skip must be a whole number"),
        ({"wrong": 1}, "wrong must be"),
    ]:
        with pytest.raises(InputError, match=sentence):
            questions["rows"]({**chosen, **wrong})


def test_one_row_is_explained_as_explain_does(tumours, tmp_path):
    model = tmp_path / "m.safetensors"
    assert CliRunner().invoke(app, ["train", str(tumours), "--target", "kind", "-o", str(model)]).exit_code == 0
    told = CliRunner().invoke(app, ["explain", str(model), str(tumours), "--row", "7", "--json"])
    expected = json.loads(told.stdout)
    found = ask([model, tumours], None, question="row")({"row": 7})
    assert [found["prediction"], found["against"]] == [expected["prediction"], expected["against"]]
    assert found["score"] == pytest.approx(expected["score"])
    assert found["intercept"] == pytest.approx(expected["intercept"])
    assert found["others_add"] == pytest.approx(expected["others_add"])
    listed = [(one["column"], pytest.approx(one["adds"])) for one in expected["contributions"]]
    assert [(one["column"], one["adds"]) for one in found["contributions"]] == listed
    total = sum(one["adds"] for one in found["contributions"]) + found["others_add"] + found["intercept"]
    assert total == pytest.approx(found["score"])
    with pytest.raises(InputError, match="row must be the number of a row that is shown"):
        ask([model, tumours], None, question="row")({"row": 0})


def test_a_large_table_is_sampled_and_says_so(flowers, monkeypatch):
    monkeypatch.setattr("rosenblatt.lab.table_training.MAX_CELLS", 150)
    questions = open_user_data([flowers], "kind", [])
    answer = questions["data"]({})
    assert answer["sampled"]
    assert re.fullmatch(r"Trained on a sample of \d+ of the 120 rows to train on, .*", answer["notes"][0])
    assert answer["rows"] == 150
    assert answer["figures"]["rows"] == 30
    assert answer["figures"]["trained"]["rows"] < 40
    whole = questions["data"]({"whole": True})
    assert whole["figures"]["trained"]["rows"] == 120
    assert whole["notes"] == []


def test_a_training_shows_its_progress_and_can_be_ended():
    """The watch of the training is held up by the test, so nothing here depends on time."""
    going, ended = Event(), Event()
    seen = see_estimator(rosenblatt.Perceptron().fit([[0.0], [1.0]], [0, 1]), np.array([[0.0], [1.0]]), [0, 1])

    def see(content, watch):
        watch(Progress(2.5, 10, 3.0, 0.1))
        going.set()
        ended.wait()
        try:
            watch(Progress(3.0, 10, 2.0, 0.2))
        except KeyboardInterrupt:
            return replace(seen, status="interrupted")
        return seen

    view = DataView("rows", see, fixed=False)
    assert "training" in view.report({"wait": 0.0})
    assert going.wait(60)
    progress = view.report({"wait": 0.0})["training"]
    assert progress == {"epochs": 2.5, "max_iter": 10, "mistakes": 3.0, "seconds": 0.1}
    view.cancel({})
    ended.set()
    assert view.report({})["status"] == "interrupted"
    with pytest.raises(InputError, match="wait must be a number from 0 to 5"):
        view.report({"wait": 60})


def test_the_projection_looks_across_the_plane():
    """The direction has length 1, is orthogonal to w, and no other such direction is wider."""
    Z = np.random.default_rng(0).normal(size=(200, 5)) * [1, 5, 2, 3, 4]
    unit = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
    direction = widest_direction_within(Z, unit)
    assert direction @ unit == pytest.approx(0, abs=1e-9)
    assert np.linalg.norm(direction) == pytest.approx(1)
    flat = np.delete(Z - Z.mean(axis=0), 1, axis=1)
    assert ((Z - Z.mean(axis=0)) @ direction).var() == pytest.approx(
        np.linalg.svd(flat, compute_uv=False)[0] ** 2 / 200
    )
    assert not widest_direction_within(np.ones((3, 2)), np.array([1.0, 0.0])).any()  # nothing to see


def test_several_classes_have_a_plane_each(flowers):
    handler = ask([flowers], "kind")
    seen = [handler({"learner": "Perceptron", "parameters": {"max_iter": 10}, "class": k}) for k in range(3)]
    assert len({json.dumps(answer["weights"]) for answer in seen}) == 3
    assert len({answer["wrong"] for answer in seen}) == 1
    assert len(seen[0]["histogram"]["counts"]) == 3


def test_a_model_is_shown_as_it_is(tumours, tmp_path):
    model = tmp_path / "m.safetensors"
    result = CliRunner().invoke(app, ["train", str(tumours), "--target", "kind", "--model", str(model), "--json"])
    assert result.exit_code == 0
    alone, beside = ask([model], None)({}), ask([model, tumours], None)({})
    loaded = rosenblatt.load(model)
    bunch = load_breast_cancer()
    assert (
        beside["wrong"]
        == (loaded.predict(load_breast_cancer(as_frame=True).data) != bunch.target_names[bunch.target]).sum()
    )
    assert alone["fixed"]
    assert beside["fixed"]
    assert alone["status"] == beside["status"] == loaded[-1].status_
    assert "histogram" not in alone


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Every kind of column, with gaps, in a table that a person might have."""
    random = Random(0)
    path = tmp_path_factory.mktemp("lab") / "people.csv"
    lines = ["name,born,age,job,note,rich"]
    for k in range(120):
        rich = random.random() < 0.4
        job = random.choice(["clerk", "cook"] if not rich else ["judge", "cook"])
        note = random.choice(["owns a <b>yacht</b>", "golf and yacht"] if rich else ["rides a bus", "bus and tram"])
        age = "" if k % 17 == 3 else str(random.randint(20, 50) + 15 * rich)
        lines.append(f"person {k},19{random.randint(40, 99)}-01-0{k % 9 + 1},{age},{job},{note},{['no', 'yes'][rich]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_table_of_every_kind_of_column_is_encoded_as_train_does(people):
    answer = ask([people], "rich", ["born"])({"learner": "LogisticRegression", "order": "nearest"})
    model = rosenblatt.fit(str(people), target="rich", drop="born", algorithm="logistic")
    weights = dict(zip(model[0].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert {"job=judge", "age"} <= {one["name"] for one in answer["weights"]}
    for one in answer["weights"]:
        assert one["weight"] == pytest.approx(weights[one["name"]], rel=0.02, abs=0.02)
    assert answer["wrong"] == model.report_["test_rows"] - model.report_["test_right"]
    cells = people.read_text().splitlines()
    for row in answer["list"]["rows"]:  # the cells as they stand in the file, not as the classifier sees them
        name, _, age, job, note, rich = cells[row["row"]].split(",")
        assert row["class"] == rich
        shown = {"name": name, "age": float(age) if age else None, "job": job, "note": note}
        assert row["values"] == {column: shown[column] for column in row["values"]}
        assert row["values"]
    json.dumps(answer, allow_nan=False)


def test_a_model_of_words_is_shown_with_its_texts(people, tmp_path):
    model = rosenblatt.fit(str(people), target="rich", drop=["born", "age", "job"], kinds={"note": "text"})
    rosenblatt.save(model, tmp_path / "words.safetensors")
    answer = ask([tmp_path / "words.safetensors", people], None)({})
    frame = pandas.read_csv(people)
    assert answer["wrong"] == (model.predict(frame) != frame["rich"]).sum()
    assert {row["values"]["note"] for row in answer["list"]["rows"]} <= set(frame["note"])
    top = max(answer["weights"], key=lambda one: one["weight"])["name"]
    assert "yacht" in top
    with pytest.raises(InputError, match="this model is already trained"):
        open_user_data([tmp_path / "words.safetensors", people], None, ["age"])


def test_numbered_rows_need_no_target(tmp_path):
    lines = [f"{'+1' if k % 2 else '-1'} {k % 3 + 1}:1 9:{2 * (k % 2) - 1}" for k in range(30)]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    answer = ask([tmp_path / "rows.svm"], None)({"part": "all"})
    assert answer["wrong"] == 0
    heaviest = answer["weights"][0]["name"]
    assert {row["values"][heaviest] for row in answer["list"]["rows"]} == {-1.0, 1.0}


def test_another_plane_needs_no_new_training(flowers):
    handler = ask([flowers], "kind")
    first, second, again = handler({"class": 0}), handler({"class": 1}), handler({"class": 0})
    assert second["status"] == first["status"]
    assert second["weights"] != first["weights"]
    assert again == first


def test_a_model_is_known_by_its_content(flowers, tmp_path):
    """Whatever its name; `train -o m` needs no ending."""
    path = tmp_path / "m"
    rosenblatt.save(rosenblatt.fit(flowers, target="kind"), path)
    expected = tmp_path / "m.safetensors"
    expected.write_bytes(path.read_bytes())
    for files in ([path], [path, flowers], [flowers, path]):
        named = [expected if file == path else file for file in files]
        answers = [ask(given, None)({}) for given in (files, named)]
        assert answers[0]["weights"] == answers[1]["weights"]
        assert str(answers[1]).replace("m.safetensors", "m") == str(answers[0])
    table = tmp_path / "table"
    table.write_bytes(flowers.read_bytes())
    assert ask([table], "kind")({})["weights"]


def test_what_cannot_be_shown_is_refused(tumours, flowers, tmp_path):
    for files, target, drop, sentence in [
        ([tumours], None, [], "--target must name the column"),
        ([tumours], "king", [], "did you mean 'kind'"),
        ([tumours, flowers], "kind", [], "at most one model and one table"),
        ([tumours], "kind", ["nothing"], "has no column 'nothing' to drop"),
        ([tmp_path / "no.safetensors"], None, [], "no.safetensors"),
    ]:
        with pytest.raises((InputError, OSError), match=re.escape(sentence)):
            open_user_data(files, target, drop)
    handler = ask([flowers], "kind")
    for content, sentence in [
        ({"class": 3}, "class must be a whole number from 0 to 2"),
        ({"class": "a"}, "class must be"),
        ({"learner": "Oracle"}, "learner must be one of"),
        ({"parameters": []}, "parameters must be an object"),
        ({"learner": "Perceptron", "parameters": {"eta0": 0}}, "eta0 must be a finite number above 0"),
        ({"learner": "KernelPerceptron"}, "learner must be auto or one of Perceptron"),
        ({"whole": 1}, "whole must be"),
    ]:
        with pytest.raises(InputError, match=sentence):
            handler(content)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no.csv", "--target", "a"], "no.csv does not exist: check its name, and the current folder, "),
        (["--target", "a"], "--target names a column of a table"),
        (["--port", "70000"], "cannot listen on 127.0.0.1, port 70000"),
    ],
)
def test_the_command_refuses_in_one_sentence(arguments, sentence):
    result = CliRunner().invoke(app, ["lab", "--no-browser", *arguments])
    assert result.exit_code == 2
    assert re.fullmatch(r"error: .*\.\n", result.stderr)
    assert sentence in result.stderr


# In a notebook


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


def test_a_model_of_lifted_rows_shows_its_terms(flowers, tmp_path):
    iris = load_iris()
    model = rosenblatt.LinearSVM(features="polynomial-2").fit(iris.data, iris.target_names[iris.target])
    rosenblatt.save(model, tmp_path / "lifted.safetensors")
    answer = ask([tmp_path / "lifted.safetensors", flowers], "kind")({"class": 2})
    assert answer["wrong"] == model.status_.mistakes
    assert len(answer["weights"]) == answer["columns"] == 14
    named = dict(zip(model.get_feature_names_out(iris.feature_names), model.coef_[2], strict=True))
    assert answer["weights"][0]["weight"] == pytest.approx(max(named.values(), key=abs))
