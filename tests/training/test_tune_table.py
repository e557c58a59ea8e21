"""Tuning chooses what is right for a table, never sees the rows held out, and tells what it tried."""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from people_table import call, told

import rosenblatt
from rosenblatt.foundation.errors import InputError
from rosenblatt.model.file import read
from rosenblatt.solvers.tuning.search import Search
from rosenblatt.tables.read.sources import open_source
from rosenblatt.training.request import Request
from rosenblatt.training.train_table import train_table
from rosenblatt.training.tuning_options import TUNED


def noisy(rows=120, columns=60):
    """Mostly columns that say nothing."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, columns))
    table = pd.DataFrame(X, columns=[f"c{k}" for k in range(columns)])
    return table.assign(kind=np.where(X[:, 0] + 2 * random.normal(size=rows) > 0, "yes", "no"))


def crossed(rows=300):
    """The class is the sign of a product."""
    X = np.random.default_rng(0).normal(size=(rows, 2))
    return pd.DataFrame(X, columns=["a", "b"]).assign(kind=np.where(X[:, 0] * X[:, 1] > 0, "same", "other"))


def reviews(rows=240):
    """The class is in the pairs of words: "not bad" is good."""
    random = np.random.default_rng(0)
    first, second = random.choice(["not", "quite"], rows), random.choice(["good", "bad"], rows)
    filler = random.choice(["tea", "rice", "soup", "cake"], (rows, 3))
    texts = [f"{a} {b} {' '.join(more)}" for a, b, more in zip(first, second, filler, strict=True)]
    kind = np.where((first == "not") ^ (second == "bad"), "bad", "good")
    return pd.DataFrame({"text": texts, "kind": kind})


def tuned(table, **options):
    return rosenblatt.fit(table, target="kind", tune=True, **options)


def chosen(model):
    tuning = model.report_["tuning"]
    best = tuning["trials"][tuning["best"]]
    return {**best["settings"], "C": best["C"]}


def test_noise_needs_a_strong_penalty():
    model = tuned(noisy(), penalty="l2", features="identity")
    assert chosen(model)["C"] <= 0.1
    assert chosen(model)["C"] == model[-1].C


def test_noise_is_left_out_by_the_l1_penalty():
    model = tuned(noisy(), features="identity")
    assert model[-1].penalty in ("l1", "elasticnet")
    assert np.count_nonzero(model[-1].coef_) < 30


def test_products_of_columns_are_found():
    model = tuned(crossed())
    assert chosen(model)["features"] == model[-1].features == "polynomial-2"
    assert model.report_["test_accuracy"] > 0.9 > rosenblatt.fit(crossed(), target="kind").report_["test_accuracy"]


def test_pairs_of_words_are_found():
    model = tuned(reviews(), kinds={"text": "text"})
    assert chosen(model)["ngrams"] == 2
    assert model.report_["test_accuracy"] == 1.0
    assert model.predict(pd.DataFrame({"text": ["tea not bad rice"]})).tolist() == ["good"]


def test_what_is_given_is_not_tuned():
    model = tuned(crossed(), C=2.0, features="identity")
    trials = model.report_["tuning"]["trials"]
    assert {trial["C"] for trial in trials} == {2.0} == {model[-1].C}
    assert {trial["settings"]["features"] for trial in trials} == {"identity"}
    assert {trial["settings"]["penalty"] for trial in trials} == {"l2", "l1", "elasticnet"}
    words = tuned(reviews(), kinds={"text": "text"}, ngrams=1)
    assert {trial["settings"]["ngrams"] for trial in words.report_["tuning"]["trials"]} == {1}


def test_bounds_leave_the_l2_penalty_alone():
    model = tuned(crossed(), bounds=(0, None))
    assert {trial["settings"]["penalty"] for trial in model.report_["tuning"]["trials"]} == {"l2"}
    assert model[-1].coef_.min() >= 0


def test_a_support_vector_machine_is_tuned_by_its_own_loss():
    model = tuned(crossed(), algorithm="svm")
    assert model[-1].loss == "hinge"
    assert chosen(model)["features"] == "polynomial-2"


def test_penalties_of_several_classes_are_compared_by_one_loss():
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 3))
    sums = np.column_stack([X[:, 0], X[:, 1], -X[:, 0] - X[:, 1]]) + 0.2 * random.normal(size=(200, 3))
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(kind=np.array(["u", "v", "w"])[sums.argmax(axis=1)])
    model = tuned(table, algorithm="svm", features="identity", C=1.0)
    losses = {trial["settings"]["penalty"]: trial["loss"] for trial in model.report_["tuning"]["trials"]}
    plain = tuned(table, algorithm="svm", features="identity", C=1.0, multi_class="ovr").report_["tuning"]["trials"]
    assert losses == {trial["settings"]["penalty"]: trial["loss"] for trial in plain}


def test_no_penalty_is_not_tuned(tmp_path):
    noisy().to_csv(tmp_path / "t.csv", index=False)
    result = call("train", tmp_path / "t.csv", "--target", "kind", "--tune", "--set", "penalty=none", ends=2)
    assert "penalty 'none' has no strength to tune" in result.stderr


def test_the_search_never_sees_the_rows_held_out():
    table = noisy().assign(part="train")
    test = noisy().assign(part="test")
    spoilt = test.assign(kind=test.kind.sample(frac=1, random_state=0).to_numpy(), c0=1e6 * test.c1, c5=-7.0)
    options = {"features": "identity", "split_column": "part"}
    one, other = (tuned(pd.concat([table, rest]), **options) for rest in (test, spoilt))
    np.testing.assert_array_equal(one[-1].coef_, other[-1].coef_)
    losses = [[trial["fold_losses"] for trial in model.report_["tuning"]["trials"]] for model in (one, other)]
    assert losses[0] == losses[1]
    assert one.report_["test_accuracy"] != other.report_["test_accuracy"]


def test_classes_weigh_as_they_are_told_to():
    table = noisy(200, 5)
    plain, weighted = tuned(table, features="identity"), tuned(table, features="identity", class_weight="balanced")
    assert plain.report_["tuning"]["trials"][8]["loss"] != weighted.report_["tuning"]["trials"][8]["loss"]


def test_folds_choose_anew_without_their_rows():
    report = tuned(crossed(), folds=3, penalty="l2").report_
    assert len(report["fold_accuracies"]) == 3
    assert report["tuning"]["rows"] == 300
    assert report["test_accuracy"] > 0.9


def test_the_report_and_the_model_file_say_what_was_tried(tmp_path):
    crossed().to_csv(tmp_path / "t.csv", index=False)
    text = call("train", tmp_path / "t.csv", "--target", "kind", "--tune", "-o", tmp_path / "m").stdout
    lines = [line[11:] for line in text.splitlines()]
    start = next(k for k, line in enumerate(text.splitlines()) if line.startswith("tuning"))
    assert lines[start].startswith("240 rows left out in 5 folds, ")
    assert lines[start + 1].split() == [
        "penalty",
        "columns",
        "C",
        "loss",
        "+-",
        "weights",
        "Cs",
        "tried",
        "time",
    ]
    paths = lines[start + 2 : start + 8]
    assert [line.split()[0] for line in paths] == 2 * ["l2", "l1", "elasticnet"]
    assert "taken: " in text
    assert "polynomial-2" in lines[start + 8]
    assert "which has the least mean log-loss" in text
    assert "within one standard error" in text
    report = told("train", tmp_path / "t.csv", "--target", "kind", "--tune", "-o", tmp_path / "m", "--force")
    tuning = read(tmp_path / "m").about["tuning"]
    assert json.loads(json.dumps(tuning))["trials"]
    assert tuning["best"] == report["tuning"]["best"]
    assert read(tmp_path / "m").parameters["C"] == tuning["trials"][tuning["best"]]["C"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"algorithm": "averaged"}, "tune chooses a penalty, and algorithm 'averaged' has none: choose 'logistic'"),
        ({"alpha": 0.1}, "alpha does not go with tune, which chooses C"),
        ({"solver": "sgd"}, "tune compares optima"),
        ({"early_stopping": True}, "tune compares optima"),
        ({"penalty": "jeffreys"}, "penalty 'jeffreys' has no strength to tune"),
        ({"l1_ratio": 0.5}, "l1_ratio goes with one of the penalties that tune tries: give penalty='elasticnet', too."),
        ({"tune": 3}, "tune must be True or False, not 3."),
        ({"tune": False, "C": "auto"}, "C='auto' is for classifiers: for a table, tune=True chooses C."),
    ],
)
def test_what_does_not_go_with_tuning_is_refused(options, sentence):
    with pytest.raises(InputError, match=sentence):
        rosenblatt.fit(crossed(), **{"target": "kind", "tune": True} | options)


def stop_after(calls):
    def watch(progress):
        nonlocal calls
        calls -= 1
        if not calls:
            raise KeyboardInterrupt

    return watch


def test_ctrl_c_takes_the_best_so_far():
    request = Request(target="kind", tune=TUNED)
    outcome = train_table(open_source(crossed()), request, searching=stop_after(60))
    assert outcome.tuning.ended == "interrupted"
    assert outcome.model.learned.status.reason != "interrupted"
    assert outcome.model.parameters["C"] == outcome.tuning.chosen.C
    with pytest.raises(KeyboardInterrupt):
        train_table(open_source(crossed()), request, searching=stop_after(1))


def test_without_time_for_a_search_the_defaults_are_taken():
    model = tuned(crossed(), max_seconds=1e-6)
    assert model[-1].max_seconds == 1e-6
    assert "max_seconds=1e-06 reached" in model[-1].status_
    assert model.report_["tuning"]["ended"] == "max_seconds"
    assert model.report_["tuning"]["best"] is None
    assert "nothing was measured in time" in str(model.report_)


def test_a_search_cut_short_after_one_training_leaves_the_defaults(monkeypatch):
    counted = iter([None])

    def one_training(search):
        try:
            return next(counted)
        except StopIteration:
            raise TimeoutError from None

    monkeypatch.setattr(Search, "_seconds_left", one_training)
    model = tuned(crossed())
    assert model[-1].C is None  # the default
    assert "cut short by max_seconds\n" in str(model.report_)
    assert "nothing was compared with the default C in time, so C and penalty keep their" in str(model.report_)


def test_a_killed_search_leaves_nothing(tmp_path):
    crossed().to_csv(tmp_path / "t.csv", index=False)
    program = """
import os, signal, sys
from rosenblatt.tables.read.sources import open_source
from rosenblatt.training.request import Request
from rosenblatt.training.train_table import train_table
kill = lambda progress: os.kill(os.getpid(), signal.SIGKILL)
train_table(open_source(sys.argv[1]), Request(target="kind", tune=("C", "penalty")), searching=kill)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "ROSENBLATT_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "t.csv"], env=environment, check=False)
    assert done.returncode == -9
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_a_checkpoint_of_a_search_is_refused(tmp_path):
    with pytest.raises(InputError, match="a checkpoint does not go with tune, whose search is not saved"):
        tuned(crossed(), checkpoint=tmp_path / "folder")
    assert list(tmp_path.iterdir()) == []
