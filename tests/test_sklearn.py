"""scikit-learn's own checks, and the parts of its world where a classifier is used."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SecondOrderPerceptron,
    TableEncoder,
    VotedPerceptron,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CLASSIFIERS = [Perceptron, AveragedPerceptron, PocketPerceptron, PassiveAggressive, ALMA, SecondOrderPerceptron, AROW]
ROW_BY_ROW = (
    "a learner that visits single rows moves w between two visits of a repeated row, so that a weight of 2 is not the "
    "same as two rows; the batch order, which moves once by all rows, is not excused"
)

WEIGHT_CHECKS = [f"check_sample_weight_equivalence_on_{form}_data" for form in ("dense", "sparse")]


def excused(estimator):
    """Only what single-row learning cannot do; scikit-learn's own are excused too."""
    if getattr(estimator, "calibration", None) is not None:
        weights = dict.fromkeys(WEIGHT_CHECKS, "rows of a repeated row may lie in other folds")
        return weights | {"check_classifiers_train": "labels stay those of the scores, however probabilities lie"}
    if getattr(estimator, "order", "batch") == "batch" or getattr(estimator, "solver", "sgd") != "sgd":
        return {}
    return dict.fromkeys(WEIGHT_CHECKS, ROW_BY_ROW)


@parametrize_with_checks(
    [
        Perceptron(),
        AveragedPerceptron(),
        PocketPerceptron(),
        PassiveAggressive(),
        Perceptron(margin=1.0),
        ALMA(),
        ALMA(multi_class="joint", margin=0.0),
        SecondOrderPerceptron(),
        SecondOrderPerceptron(step="full", multi_class="joint"),
        AROW(),
        AROW(step="full"),
        AROW(multi_class="joint", keep="average"),
        Perceptron(order="batch"),
        AveragedPerceptron(order="batch"),
        PocketPerceptron(order="batch"),
        Perceptron(multi_class="joint"),
        Perceptron(features="polynomial-2", max_iter=200),
        AveragedPerceptron(features="fourier-100"),
        LogisticRegression(features="polynomial-2"),
        Perceptron(keep="best", max_iter=100),
        PassiveAggressive(multi_class="joint", C=0.1),
        VotedPerceptron(),
        VotedPerceptron(features="polynomial-2", max_iter=20),
        KernelPerceptron(),
        KernelPerceptron("polynomial", multi_class="joint", keep="average", max_iter=50),
        KernelPerceptron(budget=30, keep="best", max_iter=50),
        KernelPerceptron("linear", order="batch", max_iter=50),
        LogisticRegression(),
        LogisticRegression(multi_class="ovr"),
        LogisticRegression(bounds=(-0.5, 0.5)),
        LogisticRegression(solver="gd", max_iter=200),
        LogisticRegression(solver="sgd"),
        LogisticRegression(solver="sgd", alpha=1e-3),
        LinearSVM(),
        LinearSVM(multi_class="ovr"),
        LinearSVM(loss="squared-hinge"),
        LinearSVM(solver="gd", max_iter=200),
        LinearSVM(solver="sgd", alpha=1e-3),
        LinearSVM(solver="sgd", loss="squared-hinge", max_iter=200),
        AveragedPerceptron(calibration="platt"),
        LinearSVM(calibration="isotonic"),
        TableEncoder(),
    ],
    expected_failed_checks=excused,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


# Checks of names and of set_output, which scikit-learn runs on its own transformers only.
TRANSFORMER_CHECKS = [
    "check_get_feature_names_out_error",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_global_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_global_set_output_transform_polars",
]


@pytest.mark.filterwarnings("ignore:X .* feature names, but TableEncoder was fitted with")
@pytest.mark.parametrize("check", TRANSFORMER_CHECKS)
def test_scikit_learns_checks_of_its_own_transformers(check):
    getattr(estimator_checks, check)("TableEncoder", TableEncoder())


IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_in_a_pipeline_under_cross_validation(classifier):
    model = make_pipeline(StandardScaler(), classifier(random_state=0, max_iter=100))
    assert cross_val_score(model, *CANCER, cv=3).min() > 0.92
    assert np.mean(cross_val_predict(model, *IRIS, cv=3) == IRIS[1]) > 0.65


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_in_a_grid_search(classifier):
    search = GridSearchCV(
        make_pipeline(StandardScaler(), classifier(random_state=0)),
        {f"{classifier.__name__.lower()}__{name}": values for name, values in GRID.items()},
        cv=3,
        scoring="roc_auc",
    ).fit(*CANCER)
    assert search.best_score_ > 0.98
    assert set(search.best_params_) == {f"{classifier.__name__.lower()}__{name}" for name in GRID}


GRID = {"max_iter": [5, 20], "class_weight": [None, "balanced", {0: 2.0}], "order": ["cyclic", "shuffle"]}


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated(method):
    X = StandardScaler().fit_transform(CANCER[0])
    model = CalibratedClassifierCV(AveragedPerceptron(random_state=0), method=method, cv=3).fit(X, CANCER[1])
    chances = model.predict_proba(X)[:, 1]
    assert np.mean((chances - CANCER[1]) ** 2) < 0.05


def test_in_meta_estimators():
    X, y = StandardScaler().fit_transform(IRIS[0]), IRIS[1]
    assert OneVsOneClassifier(Perceptron(random_state=0)).fit(X, y).score(X, y) > 0.9
    assert BaggingClassifier(AveragedPerceptron(), 5, random_state=0).fit(X, y).score(X, y) > 0.8
    kept = SelectFromModel(Perceptron(random_state=0), max_features=2).fit(X, y)
    assert kept.transform(X).shape == (150, 2)


def test_text():
    texts = ["good film", "a good story", "very good", "bad film", "a bad story", "very bad"] * 3
    labels = ["pos", "pos", "pos", "neg", "neg", "neg"] * 3
    model = make_pipeline(TfidfVectorizer(), Perceptron(order="working-set")).fit(texts, labels)
    assert model.predict(["good", "bad"]).tolist() == ["pos", "neg"]


FRAME = pd.DataFrame(IRIS[0], columns=["sl", "sw", "pl", "pw"])


@pytest.mark.parametrize("streaming", [False, True])
def test_names_of_columns_are_watched_as_everywhere(streaming):
    model = AveragedPerceptron(random_state=0)
    model = model.partial_fit(FRAME, IRIS[1]) if streaming else model.fit(FRAME, IRIS[1])
    assert model.feature_names_in_.tolist() == list(FRAME)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = model.predict(FRAME)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but AveragedPerceptron was fitted with"):
        np.testing.assert_array_equal(model.predict(FRAME.to_numpy()), expected)
    with pytest.raises(ValueError, match="The feature names should match those that were passed during fit"):
        model.predict(FRAME[["sw", "sl", "pl", "pw"]])
    with pytest.raises(ValueError, match="The feature names should match"):
        model.partial_fit(FRAME.rename(columns={"pw": "w"}), IRIS[1])
    plain = AveragedPerceptron(random_state=0).fit(*IRIS)
    with pytest.warns(UserWarning, match="X has feature names, but AveragedPerceptron was fitted without"):
        plain.predict(FRAME)


def test_their_random_states():
    X, y = IRIS
    for make in (lambda: 3, lambda: np.random.RandomState(3)):
        one, two = (Perceptron(random_state=make(), max_iter=5).fit(X, y) for _ in range(2))
        np.testing.assert_array_equal(one.coef_, two.coef_)
    shared = np.random.RandomState(0)
    model = Perceptron(random_state=shared, max_iter=5)
    assert (model.fit(X, y).coef_.copy() != model.fit(X, y).coef_).any()
    assert (Perceptron(max_iter=5).fit(X, y).coef_ != Perceptron(max_iter=5).fit(X, y).coef_).any()
