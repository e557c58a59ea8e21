"""The plots show the numbers they are given: what is drawn is read back from the axes."""

import builtins
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figures import X, labels_of, line_of, perceptron, y
from matplotlib import pyplot
from sklearn.datasets import load_iris

import rosenblatt
from rosenblatt import LogisticRegression, Perceptron, StructuralRisk, audit, plots, regularization_path
from rosenblatt.lab.static_files import static_text
from rosenblatt.plots.style import COLOURS

ROOT = Path(__file__).resolve().parents[2]

PLOTS = {
    "decision_regions": lambda ax=None: plots.decision_regions(perceptron(), X, y, ax=ax),
    "mistakes_against_bound": lambda ax=None: plots.mistakes_against_bound(audit(perceptron(), X, y), ax=ax),
    "learning_curves": lambda ax=None: plots.learning_curves(perceptron(), ax=ax),
    "descents": lambda ax=None: plots.descents(runs(), ax=ax),
    "risk_against_capacity": lambda ax=None: plots.risk_against_capacity(RECORD, ax=ax),
    "signed_distances": lambda ax=None: plots.signed_distances(perceptron(), X, y, ax=ax),
    "weights": lambda ax=None: plots.weights(perceptron(), ax=ax),
    "path": lambda ax=None: plots.path(regularization_path(X, y, Cs=3), ax=ax),
    "confusion": lambda ax=None: plots.confusion([[3, 1], [0, 4]], ["ham", "spam"], ax=ax),
    "roc_curves": lambda ax=None: plots.roc_curves(*THREE_CLASSES, ax=ax),
    "precision_recall_curves": lambda ax=None: plots.precision_recall_curves(*THREE_CLASSES, ax=ax),
    "score_histogram": lambda ax=None: plots.score_histogram([0, 1, 1], [[-1.0], [2.0], [0.5]], ["a", "b"], ax=ax),
    "calibration": lambda ax=None: plots.calibration([0, 1], [[0.8, 0.2], [0.4, 0.6]], ["a", "b"], bins=2, ax=ax),
}
THREE_CLASSES = [0, 1, 2, 1], [[3.0, 1, 0], [0, 2, 1], [1, 0, 2], [2, 1.5, 0]], ["a", "b", "c"]
RECORD = {
    "capacity": [3, 6, 10],
    "training": [0.3, 0.1, 0.05],
    "confidence": [0.2, 0.3, 0.5],
    "held_out": [0.3, 0.2, 0.25],
}


def runs():
    limits = {"criterion": "loss", "tol": 0.0, "max_iter": 5, "random_state": 0}
    with pytest.warns(match="max_iter reached"):
        return {kind: LogisticRegression(solver=kind, **limits).fit(X, y) for kind in ("gd", "sgd")}


@pytest.mark.parametrize("name", PLOTS)
def test_each_draws_on_the_axes_given_or_on_new_ones_and_returns_them(name):
    _, ax = pyplot.subplots()
    assert PLOTS[name](ax) is ax
    other = PLOTS[name]()
    assert other is not ax
    other.figure.canvas.draw()


@pytest.mark.parametrize("name", PLOTS)
def test_without_matplotlib_it_says_what_to_install(name, monkeypatch):
    draw = PLOTS[name]
    original = builtins.__import__

    def without(module, *arguments, **named):
        if module.partition(".")[0] == "matplotlib":
            raise ImportError(f"No module named {module!r}", name=module)
        return original(module, *arguments, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r'rosenblatt.plots needs matplotlib: pip install "rosenblatt\[plot\]"'):
        draw()


def test_the_module_is_there_when_it_is_asked_for():
    code = "import sys, rosenblatt; assert 'matplotlib' not in sys.modules; print(rosenblatt.plots.weights.__name__)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "weights\n"
    )
    assert "plots" in dir(rosenblatt)


# A path


def test_a_path_shows_every_weight_and_names_the_strongest():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 5)), columns=list("abcde"))
    labels = np.where(frame["b"] + 0.5 * frame["d"] > 0, "yes", "no")
    found = regularization_path(frame, labels, LogisticRegression(penalty="l1"), Cs=[1e-9, 0.05, 0.2])
    ax = plots.path(found, top=2)
    assert [text.get_text().strip() for text in ax.texts] == ["b", "d"]
    drawn = [name for name in "abcde" if found.coef[:, 0, "abcde".index(name)].any()]
    assert sorted(set("abcde") & set(labels_of(ax))) == drawn
    for name in drawn:
        expected = np.column_stack([found.C, found.coef[:, 0, "abcde".index(name)]])
        np.testing.assert_array_equal(line_of(ax, name), expected)
    np.testing.assert_array_equal(line_of(plots.path(found, label="no"), "b"), line_of(ax, "b") * [1, -1])


def test_a_path_of_several_classes_asks_for_one():
    found = regularization_path(*load_iris(return_X_y=True), Cs=2)
    with pytest.raises(ValueError, match="choose one by label, of "):
        plots.path(found)
    with pytest.raises(ValueError, match="label must be one of the classes"):
        plots.path(found, label=7)
    with pytest.raises(ValueError, match="names must be 4, one for each column, not 1"):
        plots.path(found, label=1, names=["a"])
    with pytest.raises(TypeError, match="path draws the result of regularization_path"):
        plots.path(LogisticRegression())
    np.testing.assert_array_equal(line_of(plots.path(found, label=2), "x3")[:, 1], found.coef[:, 2, 2])


# Runs


def test_curves_of_the_proof_are_those_of_the_audit():
    checked = audit(perceptron(), X, y)
    ax = plots.mistakes_against_bound(checked)
    k = checked.record["mistake"]
    assert line_of(ax, "||w||") == pytest.approx(np.column_stack([k, np.sqrt(checked.record["squared_norm"])]))
    assert line_of(ax, "w.w*") == pytest.approx(np.column_stack([k, checked.record["progress"]]))
    low, high = line_of(ax, "w.w* at least: k eta gamma"), line_of(ax, "||w|| at most: sqrt(k) eta R")
    assert low[-1] == pytest.approx(high[-1], rel=1e-6)  # they meet
    assert low[-1][0] == pytest.approx(checked.bound.bound)
    assert (low[:-1, 1] < high[:-1, 1]).all()


def test_a_run_without_a_bound_has_only_the_upper_curve():
    rows, labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    with pytest.warns(match="max_iter reached"):
        model = Perceptron(order="cyclic", max_iter=5).fit(rows, labels, trace=True)
    ax = plots.mistakes_against_bound(audit(model, rows, labels))
    assert len(ax.lines) == 2
    assert ax.get_title().endswith("no bound: not separable")


def test_learning_curves_are_the_history():
    models = {"cyclic": perceptron(), "shuffled": Perceptron(random_state=0).fit(X, y)}
    ax = plots.learning_curves(models, "updates", against="visits")
    for name, model in models.items():
        assert (line_of(ax, name) == np.column_stack([model.history_["visits"], model.history_["updates"]])).all()
    assert len({line.get_linestyle() for line in ax.lines}) == 2
    epochs = line_of(plots.learning_curves(perceptron()), "Perceptron")[:, 0]
    assert epochs.tolist() == list(range(1, perceptron().n_iter_ + 1))


def test_descents_are_the_objective_above_the_optimum():
    models, best = runs(), LogisticRegression(tol=1e-10).fit(X, y).objective_
    ax = plots.descents(models, optimum=best)
    for name, model in models.items():
        assert line_of(ax, name)[:, 1] == pytest.approx(model.history_["objective"] / best - 1)
    assert ax.get_yscale() == "log"
    assert line_of(plots.descents(models), "gd")[:, 1] == pytest.approx(models["gd"].history_["objective"])


def test_risk_over_capacity_adds_up_and_marks_the_least():
    ax = plots.risk_against_capacity(RECORD)
    bound = line_of(ax, "bound: training + confidence")
    assert bound == pytest.approx(np.array([[3, 0.5], [6, 0.4], [10, 0.55]]))
    marked = [c.get_offsets()[0].tolist() for c in ax.collections]
    assert marked == [pytest.approx([6, 0.4]), pytest.approx([6, 0.2])]
    assert "says nothing" not in " ".join(labels_of(ax))
    vacuous = plots.risk_against_capacity({**RECORD, "confidence": [0.2, 0.3, 1.5]})
    assert "from 1 on the bound says nothing" in labels_of(vacuous)


def test_the_record_of_structural_risk_is_drawn_as_it_is():
    random = np.random.default_rng(0)
    rows = random.uniform(-1, 1, (300, 2))
    model = StructuralRisk(degrees=[1, 2, 30], random_state=0).fit(rows, rows.prod(axis=1) > 0)
    record = model.record_
    ax = plots.risk_against_capacity(record)
    drawn = {"training risk": "training_risk", "held-out risk": "held_out_risk", "VC confidence": "confidence"}
    for label, name in drawn.items():
        assert line_of(ax, label) == pytest.approx(np.column_stack([record["capacity"], record[name]]))
    ringed = [record["capacity"][k] for k in (model.by_bound_, model.by_cross_validation_)]
    assert [c.get_offsets()[0][0] for c in ax.collections] == ringed
    assert np.isinf(record["bound"][-1])  # more dimensions than rows: nothing to draw there
    ax.figure.canvas.draw()


# The guide


def test_pictures_of_the_guide_are_those_the_script_draws(tmp_path):
    path = str(Path(rosenblatt.__file__).resolve().parents[1])
    command = [sys.executable, str(ROOT / "docs" / "make_pictures.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": path})
    shown = set(re.findall(r"pictures/([\w-]+\.png)", (ROOT / "docs" / "guide" / "plots.md").read_text()))
    assert {file.name for file in tmp_path.iterdir()} == shown
    assert shown <= {file.name for file in (ROOT / "docs" / "pictures").iterdir()}
    assert all(file.stat().st_size < 60_000 for file in (ROOT / "docs" / "pictures").glob("*.png"))


def test_names_of_weights_are_not_cut():
    model = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    ax = plots.weights(model, names=["a very long name of a column of the table", "another name that is as long"])
    ax.figure.draw_without_rendering()
    left = min(label.get_window_extent().x0 for label in ax.get_yticklabels())
    pyplot.close(ax.figure)
    assert left >= 0


def test_the_lab_and_the_plots_share_their_colours():
    light = static_text("lab.css").partition("@media")[0]
    assert tuple(re.findall(r"--class-\d: (#[0-9a-f]{6})", light)) == COLOURS
