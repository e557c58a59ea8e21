"""What cannot be saved, and what is no model: refused with one sentence, and the old file stays."""

import dataclasses
import json
import pickle

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from saved_models import table
from sklearn.linear_model import SGDClassifier

import rosenblatt
from rosenblatt.classifiers.calibration.isotonic import IsotonicCalibration
from rosenblatt.classifiers.calibration.platt import PlattCalibration
from rosenblatt.foundation.atomic_file import atomic_write
from rosenblatt.model import file as modelfile

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# What cannot be saved


class Mine(rosenblatt.Perceptron):
    pass


def with_labels(labels):
    model = rosenblatt.Perceptron().fit([[-1.0], [1.0]], [0, 1])
    model.classes_ = labels
    return model


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (rosenblatt.Perceptron(), "this Perceptron has learned nothing yet: call fit"),
        (Mine(), "not Mine"),
        (SGDClassifier(), "not SGDClassifier"),
        ("weights", "not str"),
        (
            rosenblatt.Perceptron(random_state=np.random.RandomState(0)).fit([[-1.0], [1.0]], [0, 1]),
            "set_params\\(random_state",
        ),
        (with_labels(np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")), "classes of type datetime64"),
    ],
    ids=["unfitted", "subclass", "foreign", "text", "generator", "dates"],
)
def test_what_cannot_be_saved_is_refused_and_the_old_file_stays(model, why, path):
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match=why):
        rosenblatt.save(model, path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_write_that_fails_leaves_the_old_file(path):
    path.write_bytes(b"old")

    def fail_half_way():
        with atomic_write(path) as file:
            file.write(b"half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert path.read_bytes() == b"old"
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    model = rosenblatt.Perceptron().fit([[-1.0], [1.0]], [0, 1])
    with pytest.raises(FileNotFoundError) as caught:
        rosenblatt.save(model, tmp_path / "no" / "model")
    assert caught.value.filename == str(tmp_path / "no" / "model")


# Files that are no models


def refusal(path):
    with pytest.raises(ValueError, match=path.name) as caught:
        rosenblatt.load(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(("fetch a whole copy of the file.", "that save or train wrote.", "upgrade rosenblatt."))
    return message


def test_no_such_file(path):
    with pytest.raises(FileNotFoundError):
        rosenblatt.load(path)


class Bomb:
    def __reduce__(self):
        return (exec, ("raise SystemExit('code from a file was run')",))


@pytest.mark.parametrize(
    "content", [b"", b"x", b"width,height\n1,2\n" * 9, pickle.dumps(Bomb()), bytes(500), b"\xff" * 64]
)
def test_foreign_content(content, path):
    path.write_bytes(content)
    assert "not a model file" in refusal(path)


def test_another_safetensors_file(path):
    save_file({"weight": np.zeros(3)}, path)
    assert "not a model of rosenblatt" in refusal(path)


def test_every_truncation(path):
    rosenblatt.save(rosenblatt.AveragedPerceptron(random_state=0).partial_fit(*table()), path)
    whole = path.read_bytes()
    for length in [*range(0, 64), *range(64, len(whole), 61), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert "not a model file" in refusal(path)


@pytest.mark.parametrize("streamed", [False, True])
def test_flipped_bytes_load_or_are_refused(streamed, path):
    model = rosenblatt.AveragedPerceptron(random_state=0)
    model = model.partial_fit(*table(3)) if streamed else model.fit(*table(3))
    rosenblatt.save(model, path)
    whole, random = path.read_bytes(), np.random.default_rng(0)
    refused = []
    for _ in range(400):
        spoilt = bytearray(whole)
        spoilt[random.integers(len(whole))] = random.integers(256)
        path.write_bytes(spoilt)
        try:
            rosenblatt.load(path).predict(table(3)[0])
        except ValueError as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert all(path.name in message for message in refused)


def change(path, edit):
    """Rewrite a file with an edited header and tensors."""
    with safe_open(path, framework="numpy") as file:
        header = json.loads(file.metadata()["rosenblatt"])
    tensors = load_file(path)
    edit(header, tensors)
    save_file(tensors, path, metadata={"rosenblatt": json.dumps(header)})


HOSTILE = {
    "class from elsewhere": lambda h, t: h.update({"class": "os.system"}),
    "class that is no classifier": lambda h, t: h.update({"class": "Mapping"}),
    "unknown parameter": lambda h, t: h["parameters"].update(shell="rm"),
    "parameter of another type": lambda h, t: h["parameters"].update(order={"a": 1}),
    "class weights that are no numbers": lambda h, t: h["parameters"].update(class_weight=[[0, ["x"]]]),
    "parameter out of range": lambda h, t: h["parameters"].update(eta0=-1.0),
    "parameter that is no number": lambda h, t: h["parameters"].update(max_iter="many"),
    "unknown part": lambda h, t: h["parameters"].update(order="spiral"),
    "parts that do not go together": lambda h, t: h["parameters"].update(step="pa"),
    "no way with many classes": lambda h, t: h["parameters"].update(multi_class="all"),
    "no classes": lambda h, t: h["classes"].update(values=[]),
    "one class": lambda h, t: h["classes"].update(values=["ash"] * 3, type="str"),
    "classes of no type": lambda h, t: h["classes"].update(type="V1000000000"),
    "classes of another type": lambda h, t: h["classes"].update(type="int64", values=["a", "b", "c"]),
    "classes too large": lambda h, t: h["classes"].update(type="int8", values=[1, 2, 3000]),
    "classes that nest": lambda h, t: h["classes"].update(values=[["a"], ["b"], ["c"]]),
    "one class that nests": lambda h, t: h["classes"].update(values=[[0], [1], [2]], type="int64"),
    "classes without order": lambda h, t: h["classes"].update(values=[2, 1, 0]),
    "a class with a very long name": lambda h, t: h["classes"].update(
        values=[*map(str, range(70)), "x" * 1_000_000], type="str"
    ),
    "fewer columns": lambda h, t: h.update(columns=["a"]),
    "columns that are numbers": lambda h, t: h.update(columns=[1, 2, 3, 4]),
    "no weights": lambda h, t: t.pop("coef"),
    "weights of another shape": lambda h, t: t.update(coef=t["coef"][:1]),
    "weights of another type": lambda h, t: t.update(coef=t["coef"].astype(np.float32)),
    "weights that are not finite": lambda h, t: t.update(coef=t["coef"] * np.nan),
    "weights whose sum is not finite": lambda h, t: t.update(coef=np.full_like(t["coef"], 1e308)),
    "weights without columns": lambda h, t: t.update(coef=np.zeros((3, 0))),
    "flat weights": lambda h, t: t.update(coef=t["coef"].ravel()),
    "offsets of another shape": lambda h, t: t.update(intercept=t["intercept"][:1]),
    "status of another type": lambda h, t: h["status"].update(mistakes="none"),
    "status without a sentence": lambda h, t: h["status"].pop("sentence"),
    "counts of another type": lambda h, t: h["counts"].update(visits=1.5),
    "history of different lengths": lambda h, t: t.update({"history.loss": np.zeros(1)}),
    "a history of several dimensions": lambda h, t: [
        t.update({name: values[None]}) for name, values in [*t.items()] if name.startswith("history")
    ],
    "a number beyond float64": lambda h, t: h["about"].update(seconds=float("inf")),
    "a target without a name": lambda h, t: h["about"].update(target=["kind"]),
    "no columns": lambda h, t: h.update(inputs=-1),
    "no number of threads": lambda h, t: h["parameters"].update(n_jobs=True),
    "no format": lambda h, t: h.pop("format"),
    "format of another type": lambda h, t: h.update(format="one"),
}
HOSTILE_STREAM = {
    "too few states": lambda h, t: h["stream"]["states"].pop(),
    "a state of another shape": lambda h, t: t.update({"state0.v": np.zeros(7)}),
    "a state without arrays": lambda h, t: t.pop("state1.banked"),
    "a state of another type": lambda h, t: t.update({"state0.v": np.zeros(4, dtype=np.int64)}),
    "negative counts": lambda h, t: h["stream"]["states"][0].update(visits=-1),
    "counts too large": lambda h, t: h["stream"]["states"][0].update(visits=2**64),
    "an unknown part": lambda h, t: h["stream"]["recipe"].update(order="spiral"),
    "an unknown field": lambda h, t: h["stream"]["recipe"].update(shell="rm"),
    "a recipe that keeps something else": lambda h, t: h["stream"]["recipe"].update(keep="last"),
    "a seed of another type": lambda h, t: h["stream"].update(seed="1"),
    "counts beyond those of the core": lambda h, t: h["stream"].update(calls=2**70),
    "other weights": lambda h, t: t.update(coef=t["coef"] + 1.0),
    "other offsets": lambda h, t: t.update(intercept=t["intercept"] + 1.0),
    "offsets that are not finite": lambda h, t: t["state0.offset_sum"].fill(np.nan),
    "sums that are not finite": lambda h, t: t["state0.sums"].fill(np.nan),
    "no recipe": lambda h, t: h["stream"].pop("recipe"),
    "nothing": lambda h, t: h.update(stream=None),
}


def test_parameters_that_load_would_refuse_are_not_saved(path):
    model = rosenblatt.Perceptron(random_state=0).fit(*table()).set_params(eta0=-1.0)
    with pytest.raises(ValueError, match="eta0 must be a finite number above 0"):
        rosenblatt.save(model, path)
    assert not path.exists()


@pytest.mark.parametrize("edit", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_header_that_does_not_fit(edit, path):
    rosenblatt.save(rosenblatt.AveragedPerceptron(random_state=0).fit(*table(3)), path)
    change(path, edit)
    assert "is damaged: " in refusal(path)


@pytest.mark.parametrize("edit", HOSTILE_STREAM.values(), ids=HOSTILE_STREAM.keys())
def test_a_state_that_does_not_fit(edit, path):
    rosenblatt.save(rosenblatt.AveragedPerceptron(random_state=0).partial_fit(*table(3)), path)
    change(path, edit)
    assert "is damaged: " in refusal(path)


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "[" * 100_000, '{"format": 1}', '{"format": ' + "9" * 5000 + "}"]
)
def test_a_header_that_is_no_header(text, path):
    save_file({"coef": np.zeros((1, 1))}, path, metadata={"rosenblatt": text})
    assert "is damaged: " in refusal(path)


def test_a_newer_format_asks_for_an_upgrade(path):
    rosenblatt.save(rosenblatt.AveragedPerceptron(random_state=0).fit(*table(3)), path)
    change(path, lambda header, tensors: header.update(format=99))
    assert "upgrade" in refusal(path)


# Calibrated models


@pytest.mark.parametrize(
    ("calibration", "why"),
    [
        (PlattCalibration(9, 1.0, np.array([np.nan])), "not finite"),
        (PlattCalibration(9, 1.0, np.array([0.0, 0.0])), "does not fit its classes"),
        (PlattCalibration(-1, 1.0, np.array([0.0])), "no rows"),
        (IsotonicCalibration(9, [np.array([1.0, 0.0])], [np.array([0.1, 0.2])]), "does not increase"),
        (IsotonicCalibration(9, [np.array([0.0, 1.0])], [np.array([0.1, 1.2])]), "no probabilities"),
    ],
)
def test_files_with_a_calibration_that_is_none_are_refused(calibration, why, path):
    model = modelfile.model_of(rosenblatt.AveragedPerceptron(random_state=0, calibration="platt").fit(*table()))
    modelfile.write(dataclasses.replace(model, calibration=calibration), path)
    with pytest.raises(ValueError, match=f"is damaged: .*{why}"):
        rosenblatt.load(path)


def test_an_unknown_method_in_a_file_is_refused(path):
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(*table())
    rosenblatt.save(model.set_params(calibration="magic"), path)
    with pytest.raises(ValueError, match="calibration must be one of"):
        rosenblatt.load(path)
