"""Parameters of LinearSVM and LogisticRegression that do not go together, or are none."""

from pathlib import Path

import pytest
from penalised_learners import LEARNERS

from rosenblatt import KernelPerceptron, LinearSVM, LogisticRegression, Perceptron
from rosenblatt.solvers.defaults import default_parts

ROOT = Path(__file__).resolve().parents[2]

REFUSED = [
    ({"C": 1.0, "alpha": 1.0}, "C=1.0 and alpha=1.0 say the same thing"),
    ({"C": 1.0, "penalty": None}, "C does not go with penalty=None"),
    ({"alpha": 1.0, "penalty": None}, "alpha does not go with penalty=None"),
    ({"C": 0}, "C must be a finite number above 0, not 0"),
    ({"alpha": -1.0}, "alpha must be a finite number above 0"),
    ({"penalty": "l3"}, r"penalty must be 'l2'.* or None, not 'l3'"),
    ({"solver": "newton"}, "solver must be one of 'optimum', 'gd', 'sgd', not 'newton'"),
    ({"order": "cyclic"}, "order='cyclic' does not go with solver='optimum'"),
    ({"step": "1/t"}, "step='1/t' does not go with solver='optimum'"),
    ({"eta0": 1.0}, "eta0=1.0 does not go with solver='optimum'"),
    ({"keep": "average"}, "keep='average' does not go with solver='optimum'"),
    ({"criterion": "loss"}, "criterion='loss' does not go with solver='optimum'"),
    ({"early_stopping": True}, "early_stopping=True does not go with solver='optimum'"),
    ({"solver": "gd", "order": "shuffle"}, "order='shuffle' does not go with solver='gd'"),
    ({"solver": "sgd", "order": "batch"}, "order='batch' does not go with solver='sgd'"),
    (
        {"solver": "sgd", "step": "pa1", "penalty": None},
        "step must be one of 'constant', '1/t', '1/sqrt.t.', 'pegasos'.*, not 'pa1'",
    ),
    (
        {"solver": "sgd", "early_stopping": True, "criterion": "weights"},
        "criterion='weights' does not go with early_stopping",
    ),
    ({"solver": "sgd", "early_stopping": True, "validation_fraction": 1.0}, "validation_fraction must be below 1"),
    (
        {"solver": "sgd", "early_stopping": True, "validation_fraction": 0},
        "validation_fraction must be a finite number",
    ),
    ({"early_stopping": "yes"}, "early_stopping must be True or False, not 'yes'"),
    ({"penalize_intercept": 1}, "penalize_intercept must be True or False, not 1"),
    ({"max_iter": 0}, "max_iter must be a whole number of at least 1, not 0"),
    ({"tol": -1}, "tol must be a finite number of at least 0"),
]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(("parameters", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_parameters_that_do_not_go_together_are_refused(learner, parameters, sentence):
    model = learner(**parameters)
    with pytest.raises(ValueError, match=sentence):
        model.fit([[0.0], [1.0]], [0, 1])
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LinearSVM(loss="logistic"), "loss='logistic' is not offered: LogisticRegression has this loss."),
        (
            LinearSVM(loss="perceptron"),
            "loss='perceptron' is not offered: Perceptron has this loss.",
        ),
        (LinearSVM(penalty=None), "penalty=None does not go with solver='optimum' for the hinge loss"),
        (LogisticRegression(C=1e300), "C=1e.300 is too small or too large for sums with it"),
        (LogisticRegression(alpha=5e-324), "alpha=5e-324 is too small or too large for sums with it"),
        (LinearSVM(solver="sgd", C=1e-300), "C=1e-300 is too small or too large for sums with it"),
        (
            LinearSVM("squared-hinge", multi_class="joint"),
            "multi_class='joint' .* for the squared-hinge loss: 'sgd' and 'gd' .*; .*'ovr'",
        ),
        (LogisticRegression(multi_class="joint", solver="gd"), "multi_class='joint' .* 'optimum' trains softmax"),
        (LogisticRegression(multi_class="joint", solver="sgd"), "multi_class='joint' .* 'optimum' trains softmax"),
    ],
)
def test_what_a_classifier_cannot_do_is_refused(model, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_weights_that_are_too_large_for_the_default_C_are_told():
    sentence = r"C=1\.0 is too small or too large .* sum of all weights, 2e\+200, must lie between 1e-150 and 1e"
    with pytest.raises(ValueError, match=sentence):
        LogisticRegression().fit([[0.0], [1.0]], [0, 1], sample_weight=[1e200, 1e200])


@pytest.mark.parametrize("learner", [Perceptron, LogisticRegression, KernelPerceptron])
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"tol": 10**400}, "tol must be"),
        ({"max_seconds": 10**400}, "max_seconds must be"),
        ({"intercept_scaling": 10**400}, "intercept_scaling must be"),
    ],
    ids=str,
)
def test_whole_numbers_beyond_the_largest_float_are_refused(learner, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        learner(**parameters).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("seed", ["many", -1, 2**32, 0.5, [1]])
def test_what_is_no_seed_is_refused_by_name(seed):
    with pytest.raises(ValueError, match=r"^random_state must be None, a whole number from 0 to 4294967295 or"):
        Perceptron(random_state=seed).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("learner", [Perceptron, LogisticRegression])
def test_a_warm_start_is_true_or_false(learner):
    with pytest.raises(ValueError, match="warm_start must be True or False, not 'False'"):
        learner(warm_start="False").fit([[0.0], [1.0]], [0, 1])


def test_an_optimum_has_no_moves_to_trace():
    with pytest.raises(ValueError, match="trace=True does not go with solver='optimum'"):
        LogisticRegression().fit([[0.0], [1.0]], [0, 1], trace=True)


def test_the_parameters_page_has_what_suits_each_descent():
    lines = (ROOT / "docs" / "parameters.md").read_text().partition("| left open |")[2].splitlines()[2:8]
    for line in lines:
        name, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        for solver, cell in zip(("gd", "sgd"), cells, strict=True):
            value = default_parts(solver, "logistic")[name.strip("`")]
            assert cell.split(";")[0] == f"`{value!r}`".replace("'", '"')
    assert default_parts("sgd", "squared-hinge")["step"] == "constant"
