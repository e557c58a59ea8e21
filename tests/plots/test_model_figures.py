"""Figures of models: histograms, weights, curves of evaluation and calibration show the numbers they are given."""

import numpy as np
import pytest
from figures import labels_of, line_of, perceptron, y
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris

import rosenblatt
from rosenblatt import LogisticRegression, plots, signed_distance

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
