"""Regions, boundaries and margins are drawn where the classifier puts them."""

import numpy as np
import pandas as pd
import pytest
from figures import X, labels_of, line_of, perceptron, y
from matplotlib import colors
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from rosenblatt import BayesRule, LinearSVM, LogisticRegression, Perceptron, margins, plots, signed_distance
from rosenblatt.plots.style import COLOURS


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
