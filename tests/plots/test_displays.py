"""Displays have the names of scikit-learn, and draw what its own displays measure."""

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn import metrics
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import LogisticRegression, plots

NAMES = ("ConfusionMatrixDisplay", "RocCurveDisplay", "PrecisionRecallDisplay", "CalibrationDisplay")


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X, np.where(y == 1, "benign", "malignant")


@pytest.mark.parametrize(
    "model",
    [make_pipeline(StandardScaler(), LogisticRegression()), RandomForestClassifier(5, random_state=0)],
    ids=["pipeline", "forest without scores"],
)
def test_displays_measure_as_scikit_learn_does(tumours, model):
    X, y = tumours
    model = model.fit(X[::2], y[::2])
    theirs = metrics.RocCurveDisplay.from_estimator(model, X, y)
    ours = plots.RocCurveDisplay.from_estimator(model, X, y)
    assert ours.ax_.lines[0].get_label() == f"malignant, area {theirs.roc_auc:.3f}"
    counts = metrics.confusion_matrix(y, model.predict(X)).ravel()
    drawn = plots.ConfusionMatrixDisplay.from_estimator(model, X, y)
    assert [int(text.get_text()) for text in drawn.ax_.texts] == counts.tolist()


@pytest.mark.parametrize("name", NAMES)
def test_several_classes_and_given_axes(name):
    X, y = load_iris(return_X_y=True)
    figure, ax = pyplot.subplots()
    display = getattr(plots, name).from_estimator(LogisticRegression().fit(X, y), X, y, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure


def test_the_boundary_of_two_columns():
    X, y = load_iris(return_X_y=True)
    display = plots.DecisionBoundaryDisplay.from_estimator(LogisticRegression().fit(X[:, :2], y), X[:, :2], y)
    assert display.ax_.get_legend_handles_labels()[1][:3] == ["0", "1", "2"]


def test_a_label_that_the_model_does_not_know_is_refused(tumours):
    X, y = tumours
    model = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="y has the label 'cyst', which is not a class of this LogisticRegression"):
        plots.RocCurveDisplay.from_estimator(model, X[:2], ["benign", "cyst"])


@pytest.mark.parametrize("name", [*NAMES, "DecisionBoundaryDisplay"])
def test_a_model_that_is_not_fitted_is_refused(tumours, name):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        getattr(plots, name).from_estimator(LogisticRegression(), *tumours)
