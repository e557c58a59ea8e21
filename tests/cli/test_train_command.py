"""`rosenblatt train`: what a newcomer sees, what is learned, and what is reported."""

import io
import json
import os
import re
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from command_line import FLOWERS, call, noise, refusal, run, trained
from sklearn.datasets import load_breast_cancer

import rosenblatt
from rosenblatt.parts import catalogue


def test_a_newcomer_sees_what_happened(flowers):
    result = run("train", "flowers.csv", "--target", "kind", cwd=flowers.parent)
    assert result.returncode == 0
    found = dict(re.findall(r"^(\S[\w ]*?)  +(.*)$", result.stdout, re.MULTILINE))
    assert found["table"] == "flowers.csv: 10 rows, 2 columns"
    assert found["target"] == "kind: setosa (5), virginica (5)"
    assert found["columns"] == "number: length, width"
    assert found["algorithm"] == "logistic (seed 0)"
    assert found["stopped"].endswith(" steps, with no mistakes left")
    assert found["training"] == "0 mistakes in 8 rows (100.0 % right)"
    assert found["held out"] == "100.0 % of 2 rows right (95 % interval: 34.2 to 100.0 %)"
    assert found["model"] == "flowers.rosenblatt.safetensors"
    assert result.stderr == "hint: rosenblatt predict flowers.rosenblatt.safetensors flowers.csv\n"
    following = run(*result.stderr.split()[2:], cwd=flowers.parent)
    assert following.stdout.split() == ["prediction", *["setosa"] * 5, *["virginica"] * 5]


def test_json_is_one_object_with_everything(tumours, tmp_path):
    result = call("train", tumours, "--target", "diagnosis", "--model", tmp_path / "model", "--json")
    found = json.loads(result.stdout)
    assert (found["rows"], found["columns"], found["classes"]) == (569, 30, ["benign", "malignant"])
    assert (found["train_rows"] + found["test_rows"], found["class_counts"]) == (569, [357, 212])
    assert abs(found["test_rows"] - 0.2 * 569) < 2
    assert found["algorithm"] == "logistic"
    assert set(found["kinds"].values()) == {"number"}
    assert f"{found['mistakes']} of {found['train_rows']} rows misclassified" in found["status"]
    assert 0.93 < found["test_accuracy"] < 1
    assert found["test_interval"][0] < found["test_accuracy"] < found["test_interval"][1]
    assert 0 < found["seconds"] < 5
    assert found["model"] == str(tmp_path / "model")


def test_training_leaves_scikit_learn_alone(flowers):
    code = (
        "import sys; sys.argv = ['rosenblatt', 'train', sys.argv[1], '--target', 'kind', '-q']\n"
        "from rosenblatt.cli import main\n"
        "try: main()\n"
        "finally: print(sorted({'sklearn', 'scipy', 'pandas'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code, flowers], capture_output=True, text=True, check=True)
    assert result.stderr.strip() == "[]"
    assert "flowers.rosenblatt.safetensors" in result.stdout


@pytest.mark.parametrize("name", catalogue.ALGORITHMS)
def test_the_command_line_and_python_learn_the_same(name, tumours, tmp_path):
    parts = {"max_iter": 20} if catalogue.ALGORITHMS[name].solver else {"max_iter": 20, "order": "shuffle"}
    found = trained(
        *(tumours, "--target", "diagnosis", "--algorithm", name, "--no-scale", "--test-fraction", 0, "--seed", 5),
        *(word for part, value in parts.items() for word in (f"--{part.replace('_', '-')}", value)),
        *("--model", tmp_path / "model"),
    )
    model = rosenblatt.load(tmp_path / "model")[-1]
    bunch = load_breast_cancer()
    labels = bunch.target_names[bunch.target]
    parts |= {} if name == "logistic" else {"calibration": "platt"}
    again = type(model)(random_state=5, **parts)
    warns = found["reason"] == "max_iter"
    if not catalogue.ALGORITHMS[name].solver:
        warns = found["mistakes"] and found["reason"] != "no-change"
    with pytest.warns(UserWarning, match=re.escape(found["status"])) if warns else io.StringIO():
        again.fit(bunch.data, labels)
    assert type(model).__name__ == catalogue.ALGORITHMS[name].class_name
    assert model.get_params() == again.get_params()
    np.testing.assert_array_equal(model.coef_, again.coef_)
    np.testing.assert_array_equal(model.intercept_, again.intercept_)
    np.testing.assert_allclose(model.predict_proba(bunch.data), again.predict_proba(bunch.data), atol=1e-9)
    assert (found["status"], model.status_) == (again.status_, again.status_)
    assert found["test_accuracy"] is None


@pytest.mark.parametrize("algorithm", catalogue.ALGORITHMS)
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_a_scaled_model_takes_the_columns_as_they_are(algorithm, multi_class, tmp_path):
    """The weights are saved in the columns' own units, and the mistakes reported are those of the saved weights."""
    random = np.random.default_rng(1)
    X = random.normal([1e6, -3.0, 7.0], [1e3, 1e-3, 0.0], size=(120, 3))
    y = np.argmax((X - X.mean(axis=0)) / [1e3, 1e-3, 1.0] + random.normal(scale=0.3, size=X.shape), axis=1)
    path = tmp_path / "units.csv"
    np.savetxt(path, np.column_stack([X, y]), fmt=["%.17g"] * 3 + ["%d"], delimiter=",", header="a,b,c,y", comments="")
    found = trained(
        *(path, "--target", "y", "--algorithm", algorithm, "--multi-class", multi_class, "--test-fraction", 0),
        *("--max-iter", 50),
    )
    model = rosenblatt.load(found["model"])
    wrong = int((model.predict(pd.read_csv(path)[["a", "b", "c"]]) != y).sum())
    assert found["mistakes"] == model[-1].status_.mistakes == wrong < 50
    assert list(model[0].get_feature_names_out()) == ["a", "b"]
    assert found["left_out"] == {"c": "it is always the same"}


def test_mistakes_are_those_of_the_saved_model(tmp_path):
    """So far from 0 that weights for the raw column could not tell the rows apart: the model keeps the scaling."""
    x = 1e15 + np.arange(16) / 8
    path = tmp_path / "far.csv"
    path.write_text("x,y\n" + "".join(f"{value!r},{place // 8}\n" for place, value in enumerate(x.tolist())))
    found = trained(path, "--target", "y", "--algorithm", "perceptron", "--test-fraction", 0)
    scores = rosenblatt.load(found["model"]).decision_function(pd.DataFrame({"x": x}))
    margins = np.where(np.arange(16) < 8, -1, 1) * scores
    assert found["reason"] == "mistakes"
    assert found["mistakes"] == (margins <= 0).sum() == 0


def test_the_accuracy_is_that_of_rows_not_trained_on(tmp_path):
    """Labels drawn at random: what was learned by heart shows on the training rows, not on those held out."""
    path = noise(tmp_path / "noise.csv", rows=300, columns=200)
    found = trained(path, "--target", "y", "--algorithm", "perceptron", "--test-fraction", 0.5)
    assert found["mistakes"] == 0
    assert found["test_accuracy"] < 0.65


def test_the_same_seed_makes_the_same_model(tumours, tmp_path):
    def weights(seed):
        trained(tumours, "--target", "diagnosis", "--seed", seed, "--model", tmp_path / "model")
        return rosenblatt.load(tmp_path / "model")[-1].coef_.tolist()

    assert weights(1) == weights(1) != weights(2)


def test_columns_can_be_left_out(flowers):
    flowers.write_text(
        FLOWERS.replace("length,", ",city,length,").replace("\n", "\n7,Paris,").replace("7,Paris,,", ",")
    )
    flowers.write_text("\n".join(line for line in flowers.read_text().splitlines() if line != "7,Paris,"))
    found = trained(flowers, "--target", "kind", "--drop", "city", "--drop", "width")
    assert list(rosenblatt.load(found["model"])[0].feature_names_in_) == ["length"]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ([], "rosenblatt predict"),
        (["--max-iter", 1, "--set", "tol=1e-12"], "training was cut short"),
        (["--algorithm", "averaged"], "where classes overlap"),
        (["--algorithm", "averaged", "--max-iter", 5], "training was cut short"),
        (["--algorithm", "perceptron", "--max-iter", 5], "where classes overlap"),
        (["--algorithm", "passive-aggressive"], "where classes overlap"),
        (["--algorithm", "pocket"], "rosenblatt predict"),
        (["--algorithm", "pocket", "--max-iter", 5], "training was cut short"),
    ],
    ids=str,
)
def test_overlapping_classes_get_a_hint_unless_quiet(tmp_path, options, hint):
    path = noise(tmp_path / "noise.csv", rows=500, columns=3)
    arguments = ("train", path, "--target", "y", *options)
    assert call(*arguments).stderr.startswith(f"hint: {hint}")
    assert call(*arguments, "--quiet").stderr == ""


def test_columns_without_names_are_left_out_however_many(flowers):
    flowers.write_text(re.sub("(?m)$", ",x,1", FLOWERS.strip()).replace("kind,x,1", "kind,,"))
    found = trained(flowers, "--target", "kind")
    assert list(rosenblatt.load(found["model"])[0].feature_names_in_) == ["length", "width"]
    assert "no column '' to predict" in refusal(call("train", flowers, "--target", ""))
    assert call("predict", found["model"], flowers).stdout.split() == [
        "prediction",
        *["setosa"] * 5,
        *["virginica"] * 5,
    ]


def test_the_model_file_can_be_read_by_others(flowers):
    path = trained(flowers, "--target", "kind")["model"]
    assert stat.S_IMODE(os.stat(path).st_mode) == stat.S_IMODE(flowers.stat().st_mode)
