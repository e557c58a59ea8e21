"""scikit-learn's spellings: those that mean the same are understood, the others answered with ours."""

import inspect
import re

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import rosenblatt
from rosenblatt import (
    AveragedPerceptron,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
)
from rosenblatt.parts import sklearn_names
from rosenblatt.parts.catalogue import CLASS_NAMES
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.steps import STEPS
from rosenblatt.solvers.defaults import MULTI_CLASS, SOLVERS

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)


def learned(model):
    return model.fit(X, Y).decision_function(X)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (LinearSVM(loss="squared_hinge"), LinearSVM(loss="squared-hinge")),
        (LinearSVM(loss="modified_huber", solver="gd"), LinearSVM(loss="modified-huber", solver="gd")),
        *((LogisticRegression(solver=name), LogisticRegression()) for name in sklearn_names.SAME_VALUES["solver"]),
        (LogisticRegression(C=np.inf, tol=0.1), LogisticRegression(penalty=None, tol=0.1)),
        (LogisticRegression(penalty="none", tol=0.1), LogisticRegression(penalty=None, tol=0.1)),
        (KernelPerceptron("rbf", random_state=0), KernelPerceptron("gaussian", random_state=0)),
        (KernelPerceptron("rbf", gamma="scale", random_state=0), KernelPerceptron(random_state=0)),
        (KernelPerceptron(gamma="auto", random_state=0), KernelPerceptron(gamma=1 / 30, random_state=0)),
        (
            KernelPerceptron("poly", degree=3, random_state=0, max_iter=20),
            KernelPerceptron("polynomial", degree=3, random_state=0, max_iter=20),
        ),
        (Perceptron(tol=None, random_state=0), Perceptron(random_state=0)),
        (KernelPerceptron(tol=None, random_state=0), KernelPerceptron(random_state=0)),
    ],
    ids=lambda model: re.sub(r"\s+", "", str(model)),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_means_the_same_is_understood_and_keeps_its_spelling(theirs, ours):
    np.testing.assert_array_equal(learned(theirs), learned(ours))
    assert clone(theirs).get_params() == theirs.get_params()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_is_understood_is_what_scikit_learn_means():
    theirs = linear_model.LogisticRegression(solver="newton-cg", tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(
        LogisticRegression(solver="newton-cg", tol=1e-9).fit(X, Y).coef_, theirs.coef_, rtol=1e-5
    )
    assert LogisticRegression().fit(X, Y).n_iter_.shape == theirs.n_iter_.shape
    mine = LogisticRegression(solver="optimum", penalize_intercept=True, tol=1e-9).fit(X, Y)
    liblinear = LinearSVC(loss="squared_hinge", tol=1e-9, max_iter=100_000).fit(X, Y)
    svm = LinearSVM(loss="squared_hinge", penalize_intercept=True, tol=1e-9).fit(X, Y)
    np.testing.assert_allclose(svm.coef_, liblinear.coef_, rtol=1e-4, atol=1e-6)
    assert not np.allclose(mine.intercept_, theirs.intercept_)
    gamma = SVC(gamma="scale").fit(X, Y)._gamma
    assert KernelPerceptron(gamma="scale", max_iter=1).fit(X, Y).gamma_ == pytest.approx(gamma)
    assert KernelPerceptron("poly", gamma="scale", max_iter=1).fit(X, Y).gamma_ == pytest.approx(gamma)


def test_names_of_several_classes_are_understood():
    several = np.arange(len(X)) % 3
    for theirs, ours in (
        (LogisticRegression(multi_class="multinomial"), LogisticRegression(multi_class="joint")),
        (LinearSVM(multi_class="crammer_singer"), LinearSVM(multi_class="joint")),
        (LinearSVM(loss="squared_hinge"), LinearSVM(loss="squared-hinge")),
        (
            AveragedPerceptron(multi_class="multinomial", random_state=0),
            AveragedPerceptron(multi_class="joint", random_state=0),
        ),
    ):
        np.testing.assert_array_equal(theirs.fit(X, several).coef_, ours.fit(X, several).coef_)
        assert clone(theirs).get_params() == theirs.get_params()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LinearSVM(loss="log_loss"), "loss='logistic' is not offered: LogisticRegression has this loss."),
        (LinearSVM(loss="perceptron"), "loss='perceptron' is not offered: Perceptron has this loss."),
        (LogisticRegression(solver="liblinear"), "as solver='optimum' with penalize_intercept=True does."),
        (LogisticRegression(penalty="l3"), "penalty must be 'l2', 'l1', 'elasticnet', 'jeffreys' or None, not 'l3'."),
        (Perceptron(step="invscaling"), "step='invscaling' is not offered: '1/t' and '1/sqrt(t)' decrease"),
        (KernelPerceptron("sigmoid"), "kernel='sigmoid' is not offered: 'gaussian', 'polynomial' and 'linear'"),
        (KernelPerceptron(gamma="scales"), "gamma must be a finite number above 0, not 'scales'."),
        (Perceptron(class_weight={0: 0}), "for class 0 it has 0: leave out the rows of a class to ignore it."),
    ],
    ids=str,
)
def test_unsupported_values_of_scikit_learn_are_answered(model, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("classifier", "parameters", "sentence"),
    [
        (Perceptron, {"shuffle": 3}, "Perceptron has no parameter 'shuffle': order='shuffle' is a random order"),
        (Perceptron, {"shuffle": True, "order": "cyclic"}, "Perceptron has no parameter 'shuffle': order='shuffle' is"),
        (Perceptron, {"learning_rate": "optimal"}, "step is the rule for the step size and eta0 its first value."),
        (Perceptron, {"average": 10}, "keep='average' returns the mean of the weights."),
        (Perceptron, {"early_stopping": True}, "n_iter_no_change ends training; LogisticRegression and LinearSVM hold"),
        (Perceptron, {"penalty": "l2"}, "it has no penalty; LinearSVM and LogisticRegression have one."),
        (AveragedPerceptron, {"average": True}, "AveragedPerceptron returns the mean of the weights."),
        (LogisticRegression, {"calibration": "platt"}, "no parameter 'calibration': its probabilities are its own and"),
        (LinearSVM, {"dual": "auto"}, "solver='optimum' chooses the form of the problem."),
        (LinearSVM, {"max_itr": 3}, "LinearSVM has no parameter 'max_itr': did you mean 'max_iter'?"),
        (LinearSVM, {"wind": 3}, "LinearSVM has no parameter 'wind'."),
    ],
)
def test_unknown_parameters_are_answered(classifier, parameters, sentence):
    with pytest.raises(TypeError, match=re.escape(sentence)):
        classifier(**parameters)


@pytest.mark.parametrize(
    ("classifier", "theirs", "ours"),
    [
        (Perceptron, {"shuffle": False, "learning_rate": "constant"}, {"order": "cyclic", "step": "constant"}),
        (Perceptron, {"average": True, "penalty": None}, None),
        (Perceptron, {"average": True}, {"keep": "average"}),
        (LinearSVM, {"shuffle": True, "average": False, "solver": "sgd"}, {"order": "shuffle", "keep": "last"}),
        (PassiveAggressive, {"learning_rate": "pa2"}, {"step": "pa2"}),
        (KernelPerceptron, {"shuffle": False}, {"order": "cyclic"}),
    ],
)
def test_parameters_that_mean_the_same_are_renamed(classifier, theirs, ours):
    if ours is None:
        with pytest.raises(TypeError, match="no parameter 'penalty'"):
            classifier(**theirs)
        return
    model = classifier(**theirs)
    assert {name: getattr(model, name) for name in ours} == ours
    assert clone(model).get_params() == model.get_params()


def test_a_renamed_order_is_that_of_scikit_learn():
    mine = Perceptron(shuffle=False, max_iter=7, n_iter_no_change=None)
    theirs = linear_model.Perceptron(shuffle=False, max_iter=7, tol=None)
    with pytest.warns(ConvergenceWarning):
        mine.fit(X, Y)
    np.testing.assert_allclose(mine.coef_, theirs.fit(X, Y).coef_, rtol=1e-9)


THEIRS = (linear_model.Perceptron, linear_model.SGDClassifier, linear_model.LogisticRegression, LinearSVC, SVC)


@pytest.mark.parametrize("name", CLASS_NAMES)
def test_every_parameter_of_scikit_learn_is_ours_too_or_answered(name):
    classifier = getattr(rosenblatt, name)
    ours = inspect.signature(classifier).parameters
    for theirs in {parameter for their in THEIRS for parameter in inspect.signature(their).parameters} - set(ours):
        if theirs not in {"shrinking", "break_ties"}:  # of SVC alone
            assert ": " in sklearn_names.answer_parameter(name, theirs, ours)


@pytest.mark.parametrize("name", CLASS_NAMES)
@pytest.mark.parametrize("theirs", ["cv", "Cs"])
def test_the_parameters_of_a_search_for_C_are_answered(name, theirs):
    ours = inspect.signature(getattr(rosenblatt, name)).parameters
    answer = sklearn_names.answer_parameter(name, theirs, ours)
    assert ("C='auto'" in answer) == (name in ("LogisticRegression", "LinearSVM"))
    assert "did you mean" not in answer
    assert ": " in answer


def test_an_infinite_C_does_not_take_jeffreys_penalty_away():
    with pytest.raises(ValueError, match="C must be a finite number above 0, not inf"):
        LogisticRegression(penalty="jeffreys", C=np.inf).fit(X, Y)


def test_answers_name_what_there_is():
    members = {"loss": LOSSES, "solver": SOLVERS, "multi_class": MULTI_CLASS, "step": STEPS}
    for parameter, spellings in sklearn_names.SAME_VALUES.items():
        assert parameter not in members or set(spellings.values()) <= set(members[parameter])
    every = {known for name in CLASS_NAMES for known in inspect.signature(getattr(rosenblatt, name)).parameters}
    for answers in sklearn_names.OTHER_PARAMETERS.values():
        for needed, answer in answers:
            assert set(re.findall(r"(\w+)=", answer)) | set(needed) <= every
            assert set(re.findall(r"\b[A-Z]\w+[A-Z]\w+", answer)) <= set(CLASS_NAMES)


def test_signatures_stay_readable():
    assert list(inspect.signature(Perceptron).parameters)[:2] == ["order", "eta0"]
    assert list(inspect.signature(Perceptron.__init__).parameters)[:2] == ["self", "order"]


def test_streams_refuse_early_stopping():
    model = LogisticRegression(solver="sgd", alpha=1e-3, early_stopping=True)
    with pytest.raises(ValueError, match="partial_fit does not go with early_stopping=True: it visits every row"):
        model.partial_fit(X, Y)
    assert not hasattr(model, "classes_")
