"""Your own data in the lab: what is shown agrees with the model, and what cannot be shown is refused."""

import json
import re
from random import Random

import numpy as np
import pandas
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from typer.testing import CliRunner

import rosenblatt
from rosenblatt.cli.app import app
from rosenblatt.foundation.errors import InputError
from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.projection import widest_direction_within
from rosenblatt.lab.user_data import open_user_data
from rosenblatt.tables.encode.scaling import measure_scaling


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


def test_a_table_is_seen_as_its_classifier_sees_it(tumours):
    answer = open_user_data([tumours], "kind", [])({"learner": "Perceptron", "parameters": {"max_iter": 3}})
    bunch = load_breast_cancer()
    scaling = measure_scaling(bunch.data)
    y = bunch.target_names[bunch.target]
    with pytest.warns(UserWarning, match="max_iter reached"):
        model = rosenblatt.Perceptron(max_iter=3, random_state=0).fit(scaling.apply(bunch.data), y)
    distance = rosenblatt.signed_distance(model, scaling.apply(bunch.data))
    margins = rosenblatt.margins(model, scaling.apply(bunch.data), y)
    assert answer["classes"] == ["benign", "malignant"]
    assert answer["wrong"] == (margins <= 0).sum() == model.status_.mistakes
    assert answer["status"] == model.status_
    histogram = answer["histogram"]
    for k, name in enumerate(answer["classes"]):
        counts, _ = np.histogram(distance[y == name], histogram["edges"])
        assert histogram["counts"][k] == counts.tolist()
    assert [row["row"] - 1 for row in answer["nearest"]] == np.argsort(np.abs(margins), kind="stable")[:15].tolist()
    worst = np.argsort(margins, kind="stable")
    assert [row["row"] - 1 for row in answer["mistakes"]] == worst[margins[worst] <= 0][:15].tolist()
    assert answer["mistakes"][0]["margin"] == pytest.approx(margins.min())
    assert answer["weights"][0]["weight"] == pytest.approx(model.coef_[0][np.abs(model.coef_[0]).argmax()])
    np.testing.assert_allclose(unpack_array(answer["projection"]["distance"]), distance, rtol=1e-5, atol=1e-6)
    json.dumps(answer)


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
    ask = open_user_data([flowers], "kind", [])
    seen = [ask({"learner": "Perceptron", "parameters": {"max_iter": 10}, "class": k}) for k in range(3)]
    assert len({json.dumps(answer["weights"]) for answer in seen}) == 3
    assert len({answer["wrong"] for answer in seen}) == 1
    assert len(seen[0]["histogram"]["counts"]) == 3


def test_a_model_is_shown_as_it_is(tumours, tmp_path):
    model = tmp_path / "m.safetensors"
    result = CliRunner().invoke(app, ["train", str(tumours), "--target", "kind", "--model", str(model), "--json"])
    assert result.exit_code == 0
    alone, beside = open_user_data([model], None, [])({}), open_user_data([model, tumours], None, [])({})
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
    answer = open_user_data([people], "rich", ["born"])(
        {"learner": "LogisticRegression", "parameters": {"solver": "optimum"}}
    )
    model = rosenblatt.fit(str(people), target="rich", drop="born", algorithm="logistic", test_fraction=0, tol=1e-6)
    weights = dict(zip(model[0].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert {"job=judge", "age"} <= {one["name"] for one in answer["weights"]}
    for one in answer["weights"]:
        assert one["weight"] == pytest.approx(weights[one["name"]], rel=0.02, abs=0.02)
    assert answer["wrong"] == model[-1].status_.mistakes
    cells = people.read_text().splitlines()
    for row in answer["nearest"]:  # the cells as they stand in the file, not as the classifier sees them
        name, _, age, job, note, rich = cells[row["row"]].split(",")
        assert row["class"] == rich
        shown = {"name": name, "age": float(age) if age else None, "job": job, "note": note}
        assert row["values"] == {column: shown[column] for column in row["values"]}
        assert row["values"]
    json.dumps(answer, allow_nan=False)


def test_a_model_of_words_is_shown_with_its_texts(people, tmp_path):
    model = rosenblatt.fit(str(people), target="rich", drop=["born", "age", "job"], kinds={"note": "text"})
    rosenblatt.save(model, tmp_path / "words.safetensors")
    answer = open_user_data([tmp_path / "words.safetensors", people], None, [])({})
    frame = pandas.read_csv(people)
    assert answer["wrong"] == (model.predict(frame) != frame["rich"]).sum()
    assert {row["values"]["note"] for row in answer["nearest"]} <= set(frame["note"])
    top = max(answer["weights"], key=lambda one: one["weight"])["name"]
    assert "yacht" in top
    with pytest.raises(InputError, match="this model is already trained"):
        open_user_data([tmp_path / "words.safetensors", people], None, ["age"])


def test_numbered_rows_need_no_target(tmp_path):
    lines = [f"{'+1' if k % 2 else '-1'} {k % 3 + 1}:1 9:{2 * (k % 2) - 1}" for k in range(30)]
    (tmp_path / "rows.svm").write_text("\n".join(lines) + "\n")
    answer = open_user_data([tmp_path / "rows.svm"], None, [])({})
    assert answer["wrong"] == 0
    heaviest = answer["weights"][0]["name"]
    assert {row["values"][heaviest] for row in answer["nearest"]} == {-1.0, 1.0}


def test_another_plane_needs_no_new_training(flowers, monkeypatch):
    ask = open_user_data([flowers], "kind", [])
    first = ask({"class": 0})
    monkeypatch.setattr(rosenblatt.AveragedPerceptron, "fit", None)
    assert ask({"class": 1})["status"] == first["status"]
    assert ask({"class": 1})["weights"] != first["weights"]


def test_a_model_is_known_by_its_content(flowers, tmp_path):
    """Whatever its name; `train -o m` needs no ending."""
    path = tmp_path / "m"
    rosenblatt.save(rosenblatt.fit(flowers, target="kind"), path)
    expected = tmp_path / "m.safetensors"
    expected.write_bytes(path.read_bytes())
    for files in ([path], [path, flowers], [flowers, path]):
        named = [expected if file == path else file for file in files]
        answers = [open_user_data(given, None, [])({}) for given in (files, named)]
        assert answers[0]["weights"] == answers[1]["weights"]
        assert str(answers[1]).replace("m.safetensors", "m") == str(answers[0])
    table = tmp_path / "table"
    table.write_bytes(flowers.read_bytes())
    assert open_user_data([table], "kind", [])({})["weights"]


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
    ask = open_user_data([flowers], "kind", [])
    for content, sentence in [
        ({"class": 3}, "class must be a whole number from 0 to 2"),
        ({"class": "a"}, "class must be"),
        ({"learner": "Oracle"}, "learner must be one of"),
        ({"parameters": []}, "parameters must be an object"),
        ({"parameters": {"eta0": 0}}, "eta0 must be a finite number above 0"),
    ]:
        with pytest.raises(InputError, match=sentence):
            ask(content)


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
    assert answer["nearest"][0]["values"].keys() == {"size", "colour"}
    fitted = rosenblatt.fit(frame.assign(kind=kinds), target="kind")
    assert rosenblatt.Lab(frame, kinds, fitted).ask("data", {})["wrong"] == 0
    lifted = rosenblatt.LinearSVM(features="polynomial-2").fit(iris.data, iris.target)
    with pytest.raises(ValueError, match="14 weights of 4 columns"):
        rosenblatt.Lab(iris.data, iris.target, lifted)
    for X, y, sentence in [(iris.data, iris.target[:3], "one label a row"), ([[np.nan]], [0], "finite numbers")]:
        with pytest.raises(ValueError, match=sentence):
            rosenblatt.Lab(X, y)


def test_a_model_of_lifted_rows_is_refused_in_a_sentence(flowers, tmp_path):
    iris = load_iris()
    model = rosenblatt.LinearSVM(features="polynomial-2").fit(iris.data, iris.target_names[iris.target])
    rosenblatt.save(model, tmp_path / "lifted.safetensors")
    with pytest.raises(InputError, match="this one makes 14 weights of 4 columns"):
        open_user_data([tmp_path / "lifted.safetensors", flowers], "kind", [])
