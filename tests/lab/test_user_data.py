"""Your own data in the lab: what is shown agrees with the model, and what cannot be shown is refused."""

import json
import re
from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from shown_tables import ask
from sklearn.datasets import load_breast_cancer
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
