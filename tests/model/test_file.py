"""Model files: what is saved comes back, and what is no model is refused with one sentence."""

import dataclasses
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

import rosenblatt
from rosenblatt import classifiers
from rosenblatt.classifiers.calibration.isotonic import IsotonicCalibration
from rosenblatt.classifiers.calibration.platt import PlattCalibration
from rosenblatt.engine.native_state import restore_state
from rosenblatt.foundation.atomic_file import atomic_write
from rosenblatt.model import file as modelfile
from rosenblatt.model import stream_state as modelstream
from rosenblatt.model.predict import probabilities
from rosenblatt.parts import catalogue

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSES = [getattr(classifiers, name) for name in catalogue.CLASS_NAMES if name not in catalogue.VOTING_NAMES]
DESCENDING = (rosenblatt.LinearSVM, rosenblatt.LogisticRegression)
MODELS = Path(__file__).parent / "models"
PLANES = {"two": ("ovr", 2), "ovr": ("ovr", 3), "joint": ("joint", 3)}


def table(classes=2, rows=90, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, 4))
    return X, np.argmax(X[:, :classes] + random.normal(size=(rows, classes)), axis=1)


def streaming(kind, **parameters):
    """A classifier that learns row by row."""
    return kind(**parameters, **({"solver": "sgd", "alpha": 0.01} if kind in DESCENDING else {}))


def labelled(codes, labels):
    return np.array(labels)[codes]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", ["Perceptron", "LogisticRegression", "KernelPerceptron"])
def test_equal_models_have_equal_files(learner, tmp_path):
    """How long each epoch took differs from run to run, and the file does not hold it."""
    X, y = np.random.default_rng(0).standard_normal((50, 3)), np.arange(50) % 2
    models = [getattr(rosenblatt, learner)(max_iter=9, random_state=0).fit(X, y) for _ in range(2)]
    models[0].history_["seconds"][:] = 7.0
    for place, model in enumerate(models):
        rosenblatt.save(model, tmp_path / str(place))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()


def saved_and_loaded(model, path):
    rosenblatt.save(model, path)
    return rosenblatt.load(path)


def assert_same(model, other, X):
    assert type(other) is type(model)
    assert other.get_params() == model.get_params()
    for name in ("coef_" if hasattr(model, "coef_") else "dual_coef_", "intercept_", "classes_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name), strict=True)
    for name in ("n_iter_", "n_visits_", "n_updates_", "n_mistakes_", "n_features_in_", "status_"):
        assert getattr(other, name) == getattr(model, name)
    for name in ("reason", "mistakes", "rows", "epochs", "converged"):
        assert getattr(other.status_, name) == getattr(model.status_, name)
    assert other.history_.keys() == model.history_.keys() - {"seconds"}
    for name, values in other.history_.items():
        np.testing.assert_array_equal(model.history_[name], values)
    np.testing.assert_array_equal(other.predict(X), model.predict(X), strict=True)
    np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize("planes", PLANES)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_fitted_classifier_comes_back_whole(kind, planes, path):
    multi_class, classes = PLANES[planes]
    X, codes = table(classes)
    model = kind(max_iter=20, multi_class=multi_class, intercept_scaling=2.0, random_state=3)
    model.fit(X, labelled(codes, ["ash", "birch", "cedar"]))
    assert_same(model, saved_and_loaded(model, path), X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["no", "ja, \u017e\u2603"]),
        np.array(["b", "a"], dtype=object),
        np.array([1, 0], dtype=np.int64),
        np.array([-(2**63), 2**63 - 1], dtype=np.int64),
        np.array([2**64 - 1, 3], dtype=np.uint64),
        np.array([7, 9], dtype=np.uint8),
        np.array([True, False]),
        np.array([1.0, 2.0]),
        np.array([1.0, 2.0], dtype=np.float32),
    ],
    ids=lambda labels: f"{labels.dtype}-{labels[0]}",
)
def test_labels_keep_value_and_type(labels, path):
    model = rosenblatt.Perceptron(random_state=0).fit([[-1.0], [1.0]], labels)
    loaded = saved_and_loaded(model, path)
    assert loaded.classes_.dtype == model.classes_.dtype
    assert [(type(label), label) for label in loaded.classes_] == [(type(label), label) for label in model.classes_]
    np.testing.assert_array_equal(loaded.predict([[-2.0], [2.0]]), labels)


def test_parameters_of_every_type_come_back(path):
    given = {"class_weight": {0: 2.5, 1: 1.0}, "eta0": np.float64(0.5), "max_iter": np.int64(7), "max_seconds": 9.5}
    model = rosenblatt.AveragedPerceptron(**given, fit_intercept=False, random_state=1, n_jobs=2).fit(*table())
    loaded = saved_and_loaded(model, path)
    assert loaded.get_params() == model.get_params()
    assert clone(loaded).fit(*table()).coef_.tolist() == model.coef_.tolist()


def test_column_names_come_back(path):
    X, y = table()
    frame = pd.DataFrame(X, columns=["width", "height", "a, b", "\u00e9"])
    loaded = saved_and_loaded(rosenblatt.AveragedPerceptron(random_state=0).fit(frame, y), path)
    assert list(loaded.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame.rename(columns={"width": "length"}))


@pytest.mark.parametrize("planes", PLANES)
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_learning_goes_on_as_if_never_saved(kind, planes, path):
    if (kind, planes) == (rosenblatt.LogisticRegression, "joint"):
        return  # softmax is not learned row by row
    multi_class, classes = PLANES[planes]
    X, y = table(classes, rows=300)
    model = streaming(kind, multi_class=multi_class, random_state=0).partial_fit(X[:100], y[:100])
    loaded = saved_and_loaded(model, path)
    assert_same(model, loaded, X)
    for part in (slice(100, 101), slice(101, 300)):
        model.partial_fit(X[part], y[part])
        loaded.partial_fit(X[part], y[part])
    newcomer = np.full(2, classes)
    assert_same(model.partial_fit(X[:2], newcomer), loaded.partial_fit(X[:2], newcomer), X)


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_a_full_covariance_comes_back_and_others_are_refused(multi_class, path):
    X, y = table(3, rows=300)
    model = rosenblatt.AROW(step="full", multi_class=multi_class, random_state=0).partial_fit(X[:100], y[:100])
    loaded = saved_and_loaded(model, path)
    assert_same(model.partial_fit(X[100:], y[100:]), loaded.partial_fit(X[100:], y[100:]), X)
    diagonal = rosenblatt.AROW(multi_class=multi_class, random_state=0).partial_fit(X[:100], y[:100])
    stream = model._learned.states, diagonal._learned.states
    diagonal._learned.states = [
        restore_state({**theirs.__getstate__(), "covariance": ours.__getstate__()["covariance"]})
        for ours, theirs in zip(*stream, strict=True)
    ]
    rosenblatt.save(diagonal, path)
    with pytest.raises(ValueError, match="do not fit"):
        rosenblatt.load(path)


def test_nothing_of_a_state_is_forgotten():
    """What the core adds to its state must be saved, or be known to matter only while the same rows are at hand."""
    passing = {"checking", "position", "pass_mistakes", "pass_updates", "check_position", "check_mistakes"}
    passing |= {"level", "working_sets", "clean", "overflow"}
    made_of = {"planes", "columns", "keep"}
    saved = {*modelstream.STATE_COUNTS, *modelstream.STATE_SUMS, *modelstream.STATE_ARRAYS}
    known = set()
    for kind in CLASSES:
        known |= streaming(kind).partial_fit(*table())._learned.states[0].__getstate__().keys()
    assert known == saved | passing | made_of


def test_a_fitted_model_can_learn_on_after_loading(path):
    X, y = table()
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(X, y)
    loaded = saved_and_loaded(model, path)
    assert_same(model.partial_fit(X, y), loaded.partial_fit(X, y), X)


def test_the_same_model_makes_the_same_file(path, tmp_path):
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(*table())
    rosenblatt.save(model, path)
    rosenblatt.save(rosenblatt.load(path), tmp_path / "again")
    assert path.read_bytes() == (tmp_path / "again").read_bytes()


def test_other_tools_can_read_the_weights(path):
    model = rosenblatt.AveragedPerceptron(random_state=0).fit(*table())
    rosenblatt.save(model, path)
    np.testing.assert_array_equal(load_file(path)["coef"], model.coef_)


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


# Files of every format so far


def test_a_fitted_model_of_format_1():
    model = rosenblatt.load(MODELS / "format-1-fitted.safetensors")
    assert type(model) is rosenblatt.AveragedPerceptron
    assert (model.order, model.random_state, model.class_weight) == ("cyclic", 0, {"ash": 2.0})
    assert model.classes_.tolist() == ["ash", "birch", "cedar"]
    assert model.feature_names_in_.tolist() == ["height", "width"]
    np.testing.assert_allclose(model.coef_ * 9, [[-32, -28], [30, 0], [0, 24]])
    np.testing.assert_allclose(model.intercept_ * 6, [10, -7, -8])
    assert (model.status_.reason, model.n_iter_, model.n_visits_, model.n_updates_) == ("mistakes", 3, 21, 8)
    assert len(model.history_["mistakes"]) == 3


def test_a_streaming_model_of_format_1_learns_on():
    model = rosenblatt.load(MODELS / "format-1-streamed.safetensors")
    np.testing.assert_allclose(model.coef_ * 3, [[-8, -4], [8, 0], [0, 4]])
    model.partial_fit([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], [10, 20, 30])
    np.testing.assert_allclose(model.coef_ * 3, [[-10, -8], [10, 0], [0, 8]])
    np.testing.assert_allclose(model.intercept_ * 6, [0, -1, 1], atol=1e-12)


def test_a_model_of_libsvm_text_that_had_a_column_0(tmp_path):
    (tmp_path / "rows.svm").write_text("1 1:2 3:1\n0 2:1\n")
    model = rosenblatt.load(MODELS / "format-2-libsvm.safetensors")
    assert model[-1].coef_.shape == (1, 4)
    np.testing.assert_allclose(model.decision_function(tmp_path / "rows.svm"), [5.025, -0.95])


def test_a_model_of_a_table_of_format_2_has_no_probabilities():
    model = rosenblatt.load(MODELS / "format-2-table.safetensors")
    assert model.predict({"size": [1.5, 8.5], "colour": ["red", None]}).tolist() == ["small", "large"]
    assert model[-1].calibration is None
    assert not hasattr(model, "predict_proba")


def test_a_calibrated_model_of_format_3():
    model = rosenblatt.load(MODELS / "format-3-calibrated.safetensors")
    assert model[-1].calibration == "platt"
    found = model.predict_proba({"size": [1.5, 8.5], "colour": ["red", None]})
    np.testing.assert_allclose(found, [[0.01645734, 0.98354266], [0.96931495, 0.03068505]], atol=1e-8)


# Calibrated models


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("method", ["platt", "isotonic"])
def test_probabilities_come_back_bit_for_bit(method, classes, path):
    X, codes = table(classes)
    model = rosenblatt.AveragedPerceptron(random_state=0, calibration=method).fit(X, codes)
    loaded = saved_and_loaded(model, path)
    assert_same(model, loaded, X)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(
        probabilities(modelfile.read(path), loaded.decision_function(X).reshape(len(X), -1)), model.predict_proba(X)
    )


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


# Without scikit-learn


def test_reading_and_writing_need_no_scikit_learn(path, tmp_path):
    rosenblatt.save(rosenblatt.AveragedPerceptron(random_state=0).fit(*table(3)), path)
    code = (
        "import sys; from rosenblatt.model import file; file.write(file.read(sys.argv[1]), sys.argv[2]);"
        "print([name for name in ('sklearn', 'scipy', 'pandas') if name in sys.modules])"
    )
    again = tmp_path / "again"
    result = subprocess.run([sys.executable, "-c", code, path, again], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
    assert again.read_bytes() == path.read_bytes()


def test_scores_and_decisions_of_a_model_are_the_classifiers(path):
    for classes in (2, 3):
        X, codes = table(classes)
        model = rosenblatt.AveragedPerceptron(random_state=0).fit(X, labelled(codes, ["ash", "birch", "cedar"]))
        rosenblatt.save(model, path)
        held = modelfile.read(path)
        scores = held.scores(rosenblatt.foundation.matrices.as_rows(X))
        np.testing.assert_array_equal(scores.squeeze(), model.decision_function(X))
        np.testing.assert_array_equal(held.classes[held.decide(scores)], model.predict(X))


@pytest.mark.parametrize("name", catalogue.ALGORITHMS)
def test_named_recipes_are_the_classifiers_defaults(name):
    classifier = getattr(classifiers, catalogue.ALGORITHMS[name].class_name)
    assert catalogue.recipe(name) == classifier()._recipe()


@pytest.mark.parametrize("name", ["LogisticRegression", "LinearSVM"])
def test_a_file_keeps_the_strength_that_auto_has_chosen(name, tmp_path):
    X, y = table()
    model = getattr(rosenblatt, name)(C="auto", random_state=1).fit(X, y)
    paths = tmp_path / "one", tmp_path / "two"
    rosenblatt.save(model, paths[0])
    loaded = rosenblatt.load(paths[0])
    rosenblatt.save(loaded, paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert (loaded.C_, loaded.C_one_standard_error_) == (model.C_, model.C_one_standard_error_)
    scores = [each.cv_results_["mean_test_score"] for each in (model, loaded)]
    np.testing.assert_array_equal(*scores)
