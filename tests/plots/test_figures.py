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
from matplotlib import colors, pyplot
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.neighbors import KNeighborsClassifier

import rosenblatt
from rosenblatt import (
    BayesRule,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    StructuralRisk,
    audit,
    margins,
    plots,
    regularization_path,
    signed_distance,
)
from rosenblatt.lab.static_files import static_text
from rosenblatt.plots.style import COLOURS

ROOT = Path(__file__).resolve().parents[2]
X = np.array([[3.0, 3], [4, 3], [1, 1], [0, 2]])
y = np.array([1, 1, -1, -1])
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


@pytest.fixture(autouse=True)
def closed_figures():
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


def perceptron():
    return Perceptron(order="cyclic").fit(X, y, trace=True)


def runs():
    limits = {"criterion": "loss", "tol": 0.0, "max_iter": 5, "random_state": 0}
    with pytest.warns(match="max_iter reached"):
        return {kind: LogisticRegression(solver=kind, **limits).fit(X, y) for kind in ("gd", "sgd")}


def line_of(ax, label):
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return np.column_stack(line.get_data())


def labels_of(ax):
    return ax.get_legend_handles_labels()[1]


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


# Regions


def test_regions_have_the_colours_of_the_predictions():
    model = perceptron()
    ax = plots.decision_regions(model, X, y, steps=50)
    (image,) = ax.images
    left, right, low, high = image.get_extent()
    across, up = np.meshgrid(np.linspace(left, right, 50), np.linspace(low, high, 50))
    expected = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(50, 50)
    assert (np.asarray(image.get_array()) == (expected == 1)).all()
    assert [colors.to_hex(image.cmap(image.norm(k))) for k in (0, 1)] == list(COLOURS[:2])


def test_boundary_and_margin_lines_are_where_they_should_be():
    model = perceptron()
    ax = plots.decision_regions(model, X, y)
    least = margins(model, X, y).min()
    assert labels_of(ax) == ["-1", "1", "boundary", f"margin {least:.3g}"]
    assert signed_distance(model, line_of(ax, "boundary")) == pytest.approx([0, 0], abs=1e-12)
    upper, lower = [np.column_stack(line.get_data()) for line in ax.lines[1:]]
    assert signed_distance(model, upper) == pytest.approx([least, least])
    assert signed_distance(model, lower) == pytest.approx([-least, -least])
    ringed = ax.collections[-1].get_offsets()
    assert ringed.tolist() == X[margins(model, X, y) == least].tolist()


def test_a_margin_given_is_drawn_and_mistakes_have_a_black_edge():
    rows, labels = np.array([[0.0, 0], [1, 0], [2, 0], [3, 1]]), np.array([0, 1, 0, 1])
    model = LinearSVM().fit(rows, labels)
    ax = plots.decision_regions(model, rows, labels, margin=0.25)
    assert "margin 0.25" in labels_of(ax)
    wrong = rows[model.predict(rows) != labels]
    edged = [
        c.get_offsets()
        for c in ax.collections
        if len(c.get_edgecolors()) and (c.get_edgecolors()[0] == [0, 0, 0, 1]).all()
    ]
    assert {tuple(point) for points in edged[:2] for point in points} == {tuple(point) for point in wrong}
    assert "margin" not in " ".join(labels_of(plots.decision_regions(model, rows, labels)))  # not all are right


def test_regions_of_any_classifier_and_of_rejects():
    data, target = load_iris(return_X_y=True)
    ax = plots.decision_regions(KNeighborsClassifier().fit(data[:, :2], target), data[:, :2], target, steps=40)
    assert labels_of(ax) == ["0", "1", "2"]
    assert len({str(c.get_paths()[0].vertices.tolist()) for c in ax.collections}) == 3  # three shapes
    unsure = BayesRule(LogisticRegression(), [[0, 1], [1, 0], [0.2, 0.2]]).fit(X, y)
    shown = plots.decision_regions(unsure, X, y, steps=40).images[0].get_array()
    assert 0 < shown.mask.sum() < shown.size  # what is rejected has no colour


def test_names_of_columns_are_on_the_axes():
    table = pd.DataFrame(X, columns=["height", "width"])
    model = Perceptron(order="cyclic").fit(table, y)
    assert {text.get_text() for text in plots.weights(model).get_yticklabels()} == {"height", "width"}
    ax = plots.decision_regions(model, table, y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("height", "width")


def test_a_lifted_model_has_regions_but_no_line_and_weights_named_by_terms():
    rows, labels = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    model = Perceptron(order="cyclic", features="polynomial-2").fit(rows, labels)
    ax = plots.decision_regions(model, rows, labels)
    assert not ax.lines
    assert set(np.asarray(ax.images[0].get_array()).ravel()) == {0, 1}
    terms = {text.get_text() for text in plots.weights(model).get_yticklabels()}
    assert terms == set(model.get_feature_names_out())
    cosines = LogisticRegression(features="fourier-2").fit(rows, labels)
    assert not plots.decision_regions(cosines, rows, labels).lines


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


# Models


def test_histogram_counts_the_rows_of_each_class_on_each_side():
    data, target = load_breast_cancer(return_X_y=True)
    model = LogisticRegression().fit(data[:, :3], target)
    ax = plots.signed_distances(model, data[:, :3], target, bins=30)
    distances = signed_distance(model, data[:, :3])
    for k, bars in enumerate(ax.containers):
        assert sum(bar.get_height() for bar in bars) == (target == k).sum()
        above = sum(bar.get_height() for bar in bars if bar.get_x() >= -1e-9)
        assert above == ((target == k) & (distances >= 0)).sum()
    wrong = int(((target == 0) & (distances >= 0)).sum())
    assert labels_of(ax)[0] == f"0: {wrong} of {(target == 0).sum()} on the wrong side"


def test_weights_are_the_largest_and_have_their_names():
    data = load_breast_cancer()
    model = LogisticRegression().fit(data.data / data.data.max(axis=0), data.target)
    ax = plots.weights(model, names=data.feature_names, top=5)
    largest = np.argsort(-np.abs(model.coef_[0]))[:5][::-1]
    assert [bar.get_width() for bar in ax.patches] == model.coef_[0][largest].tolist()
    assert [text.get_text() for text in ax.get_yticklabels()] == data.feature_names[largest].tolist()
    turned = plots.weights(model, label=0, top=5)
    assert [bar.get_width() for bar in turned.patches] == (-model.coef_[0][largest]).tolist()
    assert turned.get_xlabel().endswith("for 0")


def test_what_fit_returns_is_drawn_with_the_names_of_its_columns():
    table = {"size": [1.0, 2.0, 8.0, 9.0] * 5, "colour": ["red", "red", "blue", "red"] * 5}
    kinds = ["small", "small", "large", "large"] * 5
    model = rosenblatt.fit({**table, "kind": kinds}, target="kind")
    bars = dict(zip(labels_below(plots.weights(model)), plots.weights(model).patches, strict=True))
    weights = dict(zip(model[0].get_feature_names_out(), model[-1].coef_[0], strict=True))
    assert {name: bar.get_width() for name, bar in bars.items()} == weights
    drawn = plots.signed_distances(model, table, kinds)
    assert labels_of(drawn) == ["large: 0 of 10 on the wrong side", "small: 0 of 10 on the wrong side"]
    wider = signed_distance(model[-1], model[0].transform(table))
    assert drawn.patches[0].get_x() <= wider.min()
    curve = plots.learning_curves(model, "objective")
    assert labels_of(curve) == ["LogisticRegression"]


def labels_below(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_weights_of_one_of_several_classes():
    data, target = load_iris(return_X_y=True)
    model = LogisticRegression().fit(data, target)
    widths = {bar.get_width() for bar in plots.weights(model, label=2).patches}
    assert widths == set(model.coef_[2].tolist())
    with pytest.raises(ValueError, match=r"choose one by label, of \[0, 1, 2\]"):
        plots.weights(model)
    with pytest.raises(ValueError, match=r"label must be one of the classes \[0, 1, 2\], not 'setosa'"):
        plots.weights(model, label="setosa")


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: plots.decision_regions(perceptron(), np.ones((3, 3)), y), r"X has the shape \(3, 3\)"),
        (
            lambda: plots.learning_curves(perceptron(), "gap"),
            "history of Perceptron has no gap; it has visits, updates",
        ),
        (lambda: plots.learning_curves(perceptron(), against="days"), "against must be"),
        (lambda: plots.descents(perceptron()), 'has no objective; .* Fit it with criterion="loss"'),
        (lambda: plots.risk_against_capacity({"capacity": [1]}), "must map capacity and training"),
        (lambda: plots.risk_against_capacity({"capacity": [1], "training": [0.1, 0.2]}), "equally long"),
        (lambda: plots.weights(perceptron(), names=["one"]), "names must be 2, one for each column, not 1"),
    ],
)
def test_refusals(draw, said):
    with pytest.raises(ValueError, match=said):
        draw()


def test_only_an_audit_has_a_bound():
    with pytest.raises(TypeError, match=r"draws the result of audit\(model, X, y\), not"):
        plots.mistakes_against_bound(perceptron())


def test_several_hyperplanes_have_no_one_histogram():
    data, target = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="this model has 3 hyperplanes"):
        plots.signed_distances(LogisticRegression().fit(data, target), data, target)


# Evaluation


def scored(classes, rows=300):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, classes, rows)
    scores = np.round(rng.normal(size=(rows, 1 if classes == 2 else classes)), 1)  # with ties
    scores += (truth[:, None] == np.arange(classes)) if classes > 2 else truth[:, None]
    return truth, scores


@pytest.mark.parametrize("classes", [2, 4])
def test_roc_and_precision_recall_curves_are_those_of_scikit_learn(classes):
    truth, scores = scored(classes)
    names = list("abcd")[:classes]
    roc, recalls = plots.roc_curves(truth, scores, names), plots.precision_recall_curves(truth, scores, names)
    for k in range(1, 2) if classes == 2 else range(classes):
        others = np.delete(scores, k, axis=1).max(axis=1) if classes > 2 else 0.0
        own = scores[:, k if classes > 2 else 0] - others
        area = metrics.roc_auc_score(truth == k, own)
        wrong, right, _ = metrics.roc_curve(truth == k, own, drop_intermediate=False)
        assert line_of(roc, f"{names[k]}, area {area:.3f}") == pytest.approx(np.column_stack([wrong, right]))
        precision, recall, _ = metrics.precision_recall_curve(truth == k, own)
        curve = line_of(recalls, names[k])
        assert curve == pytest.approx(np.column_stack([recall[:-1], precision[:-1]])[::-1][: len(curve)])


def test_a_class_without_rows_has_no_curve():
    ax = plots.roc_curves([0, 1, 0], [[1.0, 0, 0], [0, 1, 0], [0, 1, 0]], ["a", "b", "never"])
    assert [label.partition(",")[0] for label in labels_of(ax)] == ["a", "b"]


def test_calibrated_probabilities_lie_on_the_diagonal():
    rng = np.random.default_rng(0)
    chance = rng.random(20_000)
    truth = (rng.random(20_000) < chance).astype(int)
    points = line_of(plots.calibration(truth, np.column_stack([1 - chance, chance]), ["no", "yes"]), "yes")
    assert len(points) == 10
    assert points[:, 1] == pytest.approx(points[:, 0], abs=0.04)


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: plots.confusion([[1, 2]], ["a", "b"]), "counts must be 2 x 2, not 1 x 2"),
        (lambda: plots.roc_curves([0, 1], [[1.0]], ["a", "b"]), "scores must have a row for each of the 2 rows"),
        (lambda: plots.score_histogram([0, 1], [[1.0, 2], [3, 4]], ["a", "b"]), "one score a row of two classes"),
    ],
)
def test_evaluation_figures_refuse_what_does_not_fit(draw, said):
    with pytest.raises(ValueError, match=said):
        draw()


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
