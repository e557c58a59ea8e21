"""What the report of a training says: the fewest mistakes possible, the bound, several classes, the optimum."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from people_table import call, told

import rosenblatt
from rosenblatt.parts.catalogue import ALGORITHMS
from rosenblatt.training import request
from rosenblatt.training.request import Request


def squares(path, rows):
    """Two columns of whole numbers, and classes that overlap."""
    random = np.random.default_rng(0)
    X = random.integers(0, 12, (rows, 2))
    far = X.sum(axis=1) + random.normal(0, 2, rows) > 11
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "far": np.where(far, "yes", "no")}).to_csv(path, index=False)
    return X, far


def test_train_tells_the_fewest_mistakes_possible_and_the_bound(tmp_path):
    X, far = squares(tmp_path / "t.csv", 300)
    arguments = "train", tmp_path / "t.csv", "--target", "far", "--test-fraction", "0", "--model", tmp_path / "m"
    found = told(*arguments)
    best = rosenblatt.minimum_mistakes(X, far)
    assert best.proved
    assert found["fewest_mistakes"] == [best.mistakes, best.mistakes]
    bound = rosenblatt.vc_bound(found["mistakes"] / 300, 300, vc_dim=3)
    assert found["vc_bound"] == pytest.approx(bound.bound)
    text = call(*arguments).stdout
    assert f"possible   {best.mistakes} mistakes: no plane makes fewer (proved)" in text
    right = 100 * (1 - bound.bound)
    assert f"{right:.1f} % or more of new rows right, 95 % sure (Vapnik-Chervonenkis, 3 weights from 300 rows)" in text


@pytest.mark.parametrize(
    ("rows", "explanation"),
    [
        (100, "less than always giving the most frequent class"),
        (300, "a guarantee for rows of every distribution, and so a cautious one"),
    ],
)
def test_the_report_says_what_the_bound_is(rows, explanation, tmp_path):
    squares(tmp_path / "t.csv", rows)
    arguments = "train", tmp_path / "t.csv", "--target", "far", "--model", tmp_path / "m"
    found = told(*arguments)
    trained = round(0.8 * rows)
    bound = rosenblatt.vc_bound(found["mistakes"] / trained, trained, vc_dim=3)
    assert bound.confidence > 0.3
    assert found["vc_bound"] == pytest.approx(bound.bound + 1 / trained)  # as docs/theory asks
    assert (1 - found["vc_bound"] < max(found["class_counts"]) / rows) == (rows == 100)
    right = math.floor(1000 * (1 - found["vc_bound"])) / 10
    lines = call(*arguments).stdout.splitlines()
    place = next(k for k, line in enumerate(lines) if line.startswith(f"bound      {right:.1f} % or more"))
    assert lines[place + 1].strip() == f"{explanation}; the held-out rows above estimate it better"


def test_a_bound_is_told_only_where_there_is_one(people_folder, tmp_path):
    squares(tmp_path / "few.csv", 10)
    few = "train", tmp_path / "few.csv", "--target", "far", "--test-fraction", "0", "--model", tmp_path / "m"
    assert told(*few)["vc_bound"] >= 1
    assert "bound      says nothing about so few rows" in call(*few).stdout
    texts = "train", people_folder / "people.csv", "--target", "mood", "--model", tmp_path / "m"
    assert told(*texts)["vc_bound"] is None
    squares(tmp_path / "many.csv", 300)
    assert told("train", tmp_path / "many.csv", "--target", "a", "--model", tmp_path / "m")["vc_bound"] is None


def test_fit_takes_the_name_of_a_column_as_target():
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "kind": list("abab")})
    for labels in (table["kind"], table["kind"].to_numpy(), ["kind"]):
        with pytest.raises(ValueError, match=r"^target must be the name of a column of the table, not "):
            rosenblatt.fit(table[["size"]], labels)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"foo": 3}, "algorithm 'logistic' has no parameter 'foo': it has C, alpha, "),
        ({"calibration": "platt"}, "has no parameter 'calibration': the model of a table is calibrated without it."),
        ({"encode": True}, "has no parameter 'encode': the columns of a table are encoded without it."),
        ({"algoritm": "svm"}, "has no parameter 'algoritm': did you mean 'algorithm'?"),
        ({"max_iters": 3}, "has no parameter 'max_iters': did you mean 'max_iter'?"),
    ],
)
def test_fit_names_unknown_options(options, what):
    with pytest.raises(ValueError, match=re.escape(what)):
        rosenblatt.fit({"size": [1.0, 2.0], "kind": ["a", "b"]}, target="kind", **options)


def many_classes(classes=6, rows=600, seed=0):
    random = np.random.default_rng(seed)
    kinds = np.arange(rows) % classes
    X = random.normal(size=(classes, 4))[kinds] + 0.6 * random.normal(size=(rows, 4))
    return pd.DataFrame({**{f"x{j}": X[:, j] for j in range(4)}, "kind": [f"k{kind}" for kind in kinds]})


def test_a_name_trains_the_model_that_auto_trains_under_that_name(tmp_path):
    path = tmp_path / "kinds.csv"
    many_classes().to_csv(path, index=False)
    auto, named = (rosenblatt.fit(path, "kind", algorithm=name)[-1].coef_ for name in ("auto", "logistic"))
    np.testing.assert_array_equal(auto, named)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("stored", [100, 10**8])
@pytest.mark.parametrize("texts", [False, True])
def test_auto_and_the_name_it_chooses_have_one_plan(classes, stored, texts):
    auto = Request().plan(classes, stored, 10, texts)
    assert Request(algorithm=auto.algorithm).plan(classes, stored, 10, texts) == auto
    assert auto.multi_class == ("joint" if classes > 2 else "ovr")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("multi_class", [None, "ovr"])
def test_the_report_says_how_several_classes_were_trained(algorithm, multi_class, tmp_path):
    path = tmp_path / "kinds.csv"
    many_classes(classes=3, rows=90).to_csv(path, index=False)
    asked = () if multi_class is None else ("--multi-class", multi_class)
    line = ("train", path, "--target", "kind", "--algorithm", algorithm, "--max-iter", 50, *asked)
    softmax = " (softmax)" if algorithm == "logistic" else ""
    words = "one-vs-rest" if multi_class else f"joint classes{softmax}"
    assert f"algorithm  {algorithm} ({words}, seed 0)\n" in call(*line, "--model", tmp_path / "a").stdout
    assert told(*line, "--model", tmp_path / "b")["multi_class"] == (multi_class or "joint")
    assert rosenblatt.load(tmp_path / "a")[-1].multi_class_ == (multi_class or "joint")


def test_two_classes_have_no_word_about_several(people_folder):
    found = told("train", people_folder / "people.csv", "--target", "mood", "--model", people_folder / "two")
    assert found["multi_class"] is None


def test_small_tables_go_to_the_optimum_and_large_ones_say_that_they_stop_early(tmp_path, monkeypatch):
    path = tmp_path / "kinds.csv"
    many_classes().to_csv(path, index=False)
    line = ("train", path, "--target", "kind", "--algorithm", "logistic", "--model", tmp_path / "model")
    small, says = told(*line), "before the optimum, because the table is large"
    assert not small["stopped_early"]
    assert rosenblatt.load(tmp_path / "model")[-1].gradient_norm_ <= 1e-8  # as near as rounding allows
    assert says not in call(*line).stdout
    monkeypatch.setattr(request, "MAX_OPTIMUM_VALUES", 100)
    assert told(*line)["stopped_early"]
    assert 1e-8 < rosenblatt.load(tmp_path / "model")[-1].gradient_norm_ <= 0.1
    assert says in call(*line).stdout
    assert not told(*line, "--set", "tol=1e-6")["stopped_early"]
    assert rosenblatt.load(tmp_path / "model")[-1].gradient_norm_ <= 1e-6
