"""Several labels and what else there is: scikit-learn's tools, distances, ONNX, and what refuses them."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from label_rows import FORMS, LISTS, X, Y
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain

from rosenblatt import (
    AveragedPerceptron,
    BayesRule,
    Lab,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    audit,
    cross_validated_risk,
    empirical_risk,
    evaluate,
    margins,
    mistake_bound,
    plots,
    predict,
    regularization_path,
    separability,
    signed_distance,
    summary,
    to_onnx,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

REFUSED = {
    "joint": (Perceptron(multi_class="joint"), Y, "multi_class='joint' does not go with several labels a row"),
    "C": (LogisticRegression(C="auto"), Y, "C='auto' does not go with several labels a row"),
    "more than 0 and 1": (Perceptron(), Y * 2, "matrix of 0 and 1, one column a label, but it has 2 in row 0"),
    "nan": (Perceptron(), Y * np.nan, "matrix of 0 and 1"),
    "sparse": (Perceptron(), sp.csr_matrix(Y * 3), "matrix of 0 and 1"),
    "texts": (Perceptron(), np.array([["a", "b"]] * 80), "matrix of 0 and 1"),
    "missing": (Perceptron(), [[None]] * 79 + [[]], "y has no label in row 0, but None"),
    "mixed": (Perceptron(), [["a", 1]] * 80, "y holds text and other labels"),
    "fractions": (Perceptron(), [[1.5, 2]] * 80, "texts or whole numbers, not by 1.5"),
    "none": (Perceptron(), [[]] * 80, "y names no label"),
    "no column": (Perceptron(), Y[:, :0], "y is a matrix without a column: give it one column for each label"),
    "no column of a frame": (Perceptron(), pd.DataFrame(index=range(80)), "y is a matrix without a column"),
    "length": (Perceptron(), LISTS[:7], "80 rows in X, 7 labels in y"),
    "two of one name": (Perceptron(), pd.DataFrame(Y, columns=["a", "a", "b"]), "two columns of the same name"),
    "rare": (
        LinearSVM(calibration="platt"),
        [["a"], ["a", "b"]] + [["a"]] * 78,
        "needs two rows or more of each class, and 'with b' has one",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_with_several_labels(case):
    model, y, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_dask_collections_are_refused():
    arrays = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="one label a row"):
        Perceptron().fit(arrays.from_array(X, chunks=(40, 4)), arrays.from_array(Y, chunks=(40, 3)))
    model = Perceptron(max_iter=5, random_state=0).fit(X, Y)
    lazy = arrays.from_array(X, chunks=(40, 4))
    np.testing.assert_array_equal(model.predict(lazy).compute(), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(lazy).compute(), model.decision_function(X))
    with pytest.raises(ValueError, match="lists of labels"):
        Perceptron(max_iter=5, random_state=0).fit(X, LISTS).predict(lazy)


# scikit-learn's world


def test_cross_validation_and_grid_search():
    model = LogisticRegression()
    held_out = cross_val_predict(model, X, Y, cv=4)
    assert held_out.shape == (80, 3)
    assert (held_out == Y).mean() > 0.85
    assert cross_val_predict(model, X, Y, cv=4, method="decision_function").shape == (80, 3)
    search = GridSearchCV(model, {"C": [1e-6, 1.0]}, cv=4, scoring="f1_macro").fit(X, Y)
    assert search.best_params_ == {"C": 1.0}
    assert search.predict(X).shape == (80, 3)


def test_the_same_as_one_vs_rest_of_scikit_learn():
    several = OneVsRestClassifier(AveragedPerceptron(random_state=0)).fit(X, Y)
    model = AveragedPerceptron(random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), several.predict(X))
    np.testing.assert_array_equal(model.decision_function(X), several.decision_function(X))


def test_classifier_chains():
    chain = ClassifierChain(LogisticRegression(), order=[0, 1, 2]).fit(X, Y)
    assert (chain.predict(X) == Y).mean() > 0.85


# What takes a fitted model, or labels


def test_distances_and_margins_have_a_column_a_label():
    matrix, lists = (AveragedPerceptron(random_state=0).fit(X, y) for y in (Y, LISTS))
    for k in range(3):
        one = AveragedPerceptron(random_state=0).fit(X, Y[:, k])
        np.testing.assert_array_equal(signed_distance(matrix, X)[:, k], signed_distance(one, X))
        np.testing.assert_array_equal(margins(matrix, X, Y)[:, k], margins(one, X, Y[:, k]))
    np.testing.assert_array_equal(margins(lists, X, LISTS), margins(matrix, X, Y))
    with pytest.raises(ValueError, match="y has the label 'amber', which is not among those of the model"):
        margins(lists, X, [["amber", "blue"]] * 80)
    with pytest.raises(ValueError, match="several labels a row, in the form"):
        margins(lists, X, Y)


MODEL = LogisticRegression(penalty="jeffreys").fit(X, Y)
ONE = LogisticRegression(penalty="jeffreys").fit(X, Y[:, 0])
SEVERAL_ARE_REFUSED = {
    "separability": lambda: separability(X, Y),
    "separability of lists": lambda: separability(X, LISTS),
    "mistake_bound": lambda: mistake_bound(X, Y),
    "margins": lambda: margins(ONE, X, Y),
    "distance_from_best": lambda: MODEL.distance_from_best(X, Y),
    "audit": lambda: audit(Perceptron(max_iter=5).fit(X, Y, trace=True), X, Y),
    "empirical_risk": lambda: empirical_risk(Y, MODEL.predict(X)),
    "cross_validated_risk": lambda: cross_validated_risk(LogisticRegression(), X, Y),
    "BayesRule": lambda: BayesRule(LogisticRegression()).fit(X, Y),
    "summary": lambda: summary(MODEL, X, Y),
    "regularization_path": lambda: regularization_path(X, Y),
    "Lab": lambda: Lab(X, Y, MODEL),
    "decision_regions": lambda: plots.decision_regions(MODEL, X[:, :2], Y[:, 0]),
    "predict": lambda: predict(MODEL, X),
    "evaluate": lambda: evaluate(MODEL, {"x1": [1.0], "y": [1]}, target="y"),
}


@pytest.mark.parametrize("function", SEVERAL_ARE_REFUSED)
def test_questions_about_one_label_refuse_several(function):
    with pytest.raises(ValueError, match=r"one label|several labels|1d array|one dimension|has learned several"):
        SEVERAL_ARE_REFUSED[function]()


def test_onnx_has_a_column_a_label():
    runtime = pytest.importorskip("onnxruntime")
    for model in (
        AveragedPerceptron(random_state=0),
        LogisticRegression(),
        LinearSVM(calibration="platt", random_state=0),
    ):
        model.fit(X, FORMS["data frame"])
        session = runtime.InferenceSession(to_onnx(model).SerializeToString())
        label, scores, *chances = session.run(None, {"X": X})
        np.testing.assert_array_equal(label, model.predict(X))
        np.testing.assert_allclose(scores, model.decision_function(X), rtol=1e-12)
        for found in chances:
            np.testing.assert_allclose(found, model.predict_proba(X), rtol=1e-9)
        assert len(chances) == hasattr(model, "predict_proba")
