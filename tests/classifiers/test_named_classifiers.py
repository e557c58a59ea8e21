"""The named family: constructors that pick parts, with documentation that cannot rot."""

import inspect
import re
import warnings
from types import FunctionType

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    ALMA,
    AROW,
    AveragedPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    PocketPerceptron,
    SecondOrderPerceptron,
)
from rosenblatt.classifiers.calibrated import CalibratedScores
from rosenblatt.classifiers.learned_attributes import LearnedAttributes
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.orders import ORDERS
from rosenblatt.parts.steps import PASSIVE_AGGRESSIVE, STEPS
from rosenblatt.parts.stops import CRITERIA

CLASSIFIERS = [Perceptron, AveragedPerceptron, PocketPerceptron, PassiveAggressive, ALMA, SecondOrderPerceptron, AROW]
HINGE = (PassiveAggressive, AROW)
NOT_TOGETHER = [
    *((classifier, "pegasos") for classifier in CLASSIFIERS),
    *((classifier, name) for classifier in CLASSIFIERS if classifier not in HINGE for name in PASSIVE_AGGRESSIVE),
]
PENALISED = [LinearSVM, LogisticRegression]
MEMBERS = {"order": ORDERS, "step": STEPS, "keep": KEEPS, "criterion": CRITERIA}
OTHER = {
    **{"order": "cyclic", "step": "1/t", "keep": "average", "criterion": "loss", "multi_class": "joint"},
    **{"eta0": 0.5, "C": 2.0, "tol": 0.1, "max_iter": 7, "n_iter_no_change": 3, "max_seconds": 5.0},
    **{"fit_intercept": False, "intercept_scaling": 3.0, "class_weight": {0: 2.0}, "warm_start": True},
    **{"random_state": 1, "n_jobs": 1, "verbose": 2, "loss": "squared-hinge", "alpha": 0.1, "penalty": None},
    **{"solver": "gd", "penalize_intercept": True, "early_stopping": True, "validation_fraction": 0.2},
    **{
        "features": "polynomial-2",
        "calibration": "platt",
        "l1_ratio": 0.5,
        "margin": 0.25,
        "encode": True,
        "bounds": (0, None),
    },
}


def parameters(classifier):
    return list(inspect.signature(classifier).parameters)


def described(classifier):
    """The parameters in a docstring, each with its line of type."""
    section = classifier.__doc__.split("Parameters\n----------\n")[1].split("\n\nAttributes")[0]
    return dict(re.findall(r"^(\w+) : (.+)$", section, re.MULTILINE))


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, *PENALISED])
def test_every_parameter_is_described_in_order(classifier):
    assert list(described(classifier)) == parameters(classifier)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_every_attribute_is_described_and_there(classifier):
    section = classifier.__doc__.split("Attributes\n----------\n")[1].split("\n\nExamples")[0]
    names = [name for line in re.findall(r"^(\w.*) : ", section, re.MULTILINE) for name in line.split(", ")]
    model = classifier(calibration="platt").fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1], trace=True)
    assert {name for name in names if not hasattr(model, name)} == set()
    properties = {
        name
        for kind in (LearnedAttributes, CalibratedScores)
        for name, value in vars(kind).items()
        if isinstance(value, property)
    }
    assert properties | {"classes_"} == set(names)


@pytest.mark.parametrize("classifier", PENALISED)
def test_every_attribute_of_a_penalised_one_is_described_and_there_where_it_applies(classifier):
    section = classifier.__doc__.split("Attributes\n----------\n")[1].split("\n\nExamples")[0]
    names = {name for line in re.findall(r"^(\w.*) : ", section, re.MULTILINE) for name in line.split(", ")}
    found = set()
    own = {"loss": "squared-hinge", "calibration": "platt"} if classifier is LinearSVM else {}
    for parameters in ({}, own, {"solver": "sgd"}, {"C": "auto"}):
        model = classifier(**parameters).fit([[0.0], [0.1], [1.0], [1.1]], [0, 0, 1, 1], trace="solver" in parameters)
        found |= {name for name in names if hasattr(model, name)}
    assert names - found == ({"duality_gap_"} if classifier is LogisticRegression else set())
    properties = {
        name for kind in classifier.__mro__ for name, value in vars(kind).items() if isinstance(value, property)
    }
    if classifier is LogisticRegression:  # whose probabilities need no calibration
        properties -= {"calibration_error_", "calibrated_log_loss_"}
    assert {name for name in properties if not name.startswith("_")} | {"classes_"} == names


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("part", MEMBERS)
@pytest.mark.parametrize("classifier", PENALISED)
def test_the_parts_described_are_those_that_a_descent_takes(classifier, part):
    named = re.findall(r'"([^"]+)"', described(classifier)[part])
    for name in MEMBERS[part]:
        model = classifier(**{part: name}, solver="sgd", max_iter=5)
        if name in named:
            model.fit([[0.0], [1.0]], [0, 1])
        else:
            with pytest.raises(ValueError, match=r"does not go with|must be one of"):
                model.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("part", MEMBERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_parts_described_are_those_that_work(classifier, part):
    """Each part named in the docstring trains; each other one is refused.

    But a hinge may step as it likes, and a perceptron as others of its family.
    """
    if part not in parameters(classifier):
        return
    named = re.findall(r'"([^"]+)"', described(classifier)[part])
    for name in MEMBERS[part]:
        model = classifier(**{part: name}, max_iter=5)
        if name in named:
            model.fit([[0.0], [1.0]], [0, 1])
        elif part != "step" or (classifier, name) in NOT_TOGETHER:
            with pytest.raises(ValueError, match="does not go with"):
                model.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_shared_parameters_read_alike(classifier):
    ours, perceptrons = described(classifier), described(Perceptron)
    own = {"order", "step", "criterion", "margin"}
    assert {name: ours[name] for name in ours if name in perceptrons and name not in own} == {
        name: perceptrons[name] for name in perceptrons if name in ours and name not in own
    }


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, *PENALISED])
def test_parameters_are_kept_as_given(classifier):
    given = {name: OTHER[name] for name in parameters(classifier)}
    model = classifier(**given)
    assert model.get_params() == given
    assert classifier().set_params(**given).get_params() == given
    assert clone(model).get_params() == given
    assert eval(repr(model)).get_params() == given


@pytest.mark.parametrize("classifier", [*CLASSIFIERS, *PENALISED])
def test_a_classifier_is_a_constructor_and_nothing_else(classifier):
    own = {name for name, value in vars(classifier).items() if isinstance(value, FunctionType | property)}
    assert own == {"__init__"}


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_recipes_of_the_family(classifier):
    recipe = classifier()._recipe()
    assert recipe.loss == ("hinge" if classifier in HINGE else "perceptron")
    assert (recipe.step in PASSIVE_AGGRESSIVE) == (classifier is PassiveAggressive)


def separable(rows=400, columns=20, seed=0):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(rows, columns)), rng.normal(size=columns)
    score = X @ w / np.linalg.norm(w)
    X, score = X[np.abs(score) > 0.1], score[np.abs(score) > 0.1]
    return X, (score > 0).astype(int)


@pytest.mark.parametrize("order", ["cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"])
@pytest.mark.parametrize("keep", ["last", "best"])
def test_separable_data_are_separated(order, keep):
    if (order, keep) == ("working-set", "best"):
        return
    X, y = separable()
    model = Perceptron(order=order, keep=keep, max_iter=10_000, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.status_.converged
    assert model.status_.startswith("no mistakes left after")
    assert (model.status_.reason, model.status_.mistakes) == ("mistakes", 0)


def test_theirs_stops_early_on_separable_data_and_says_nothing():
    X, y = separable()
    assert TheirPerceptron(random_state=0).fit(X, y).score(X, y) < 1.0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_real_data(classifier, multi_class, load):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    half = len(X) // 2
    model = classifier(multi_class=multi_class, random_state=0, max_iter=50).fit(X[:half], y[:half])
    assert model.score(X[half:], y[half:]) > 0.85


@pytest.mark.parametrize("step", ["pa1", "pa2"])
def test_the_weight_of_a_row_multiplies_its_aggressiveness(step):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), rng.integers(0, 2, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the classes overlap
        heavy = PassiveAggressive(step=step, C=0.5, max_iter=3, random_state=0)
        aggressive = PassiveAggressive(step=step, C=2.0, max_iter=3, random_state=0)
        heavy.fit(X, y, sample_weight=np.full(60, 4.0))
        np.testing.assert_array_equal(heavy.coef_, aggressive.fit(X, y).coef_)


@pytest.mark.parametrize("step", ["pa", "pa1", "pa2"])
def test_heavy_rows_do_not_make_passive_aggressive_steps_diverge(step):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 5))
    y = (X[:, 0] + 0.3 * rng.standard_normal(200) > 0).astype(int)
    model = PassiveAggressive(step=step, max_iter=20, class_weight={0: 1.0, 1: 50.0}, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.linalg.norm(model.fit(X, y).coef_) < 1e3
