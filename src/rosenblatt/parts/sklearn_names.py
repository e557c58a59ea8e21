"""scikit-learn's names of parameters and values: what each is called here.

A value that means the same is understood. A parameter or value without a counterpart is answered by a sentence that
names ours. Parameters keep the spelling that the user gave, so that `clone` and `get_params` return it.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from math import inf
from numbers import Real
from typing import Any

from ..foundation.suggestions import did_you_mean

# Values that mean the same, by parameter. The solvers listed all minimise the same objective; ours proves how nearly.
SAME_VALUES: Mapping[str, Mapping[str, str | None]] = {
    "loss": {"squared_hinge": "squared-hinge", "modified_huber": "modified-huber", "log_loss": "logistic"},
    "penalty": {"none": None},
    "solver": dict.fromkeys(("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"), "optimum"),
    "kernel": {"rbf": "gaussian", "poly": "polynomial"},
    "multi_class": {"multinomial": "joint", "crammer_singer": "joint"},
}

# Parameters that are called otherwise here, for the values that mean the same. A constructor takes them where it has
# ours, and `get_params` returns ours.
SAME_PARAMETERS: Mapping[str, tuple[str, Mapping[Any, str]]] = {
    "shuffle": ("order", {True: "shuffle", False: "cyclic"}),
    "average": ("keep", {True: "average", False: "last"}),
    "learning_rate": ("step", {"constant": "constant", "pa1": "pa1", "pa2": "pa2"}),
}

# Values that mean nothing here, and what to choose instead.
OTHER_VALUES: Mapping[tuple[str, str], str] = {
    ("loss", "log_loss"): "LogisticRegression has this loss",
    ("loss", "logistic"): "LogisticRegression has this loss",
    ("loss", "perceptron"): "Perceptron has this loss",
    ("loss", "epsilon_insensitive"): "this is a loss for regression",
    ("loss", "squared_error"): "this is a loss for regression",
    ("solver", "liblinear"): "it penalises the offset, as solver='optimum' with penalize_intercept=True does",
    ("kernel", "sigmoid"): "'gaussian', 'polynomial' and 'linear' are built in, and a function of two matrices may be "
    "given",
    ("step", "optimal"): "'pegasos' is 1 / (alpha t)",
    ("step", "invscaling"): "'1/t' and '1/sqrt(t)' decrease with the visits",
    ("step", "adaptive"): "no step depends on progress; 'constant', '1/t' and '1/sqrt(t)' are offered",
}

# Parameters of scikit-learn's linear classifiers that ours do not have. The first answer whose names are all
# parameters of the classifier is given; an empty one fits every classifier.
Answers = tuple[tuple[tuple[str, ...], str], ...]
OTHER_PARAMETERS: Mapping[str, Answers] = {
    "learning_rate": (
        (("step", "eta0"), "step is the rule for the step size and eta0 its first value"),
        (("step",), "step is the rule for the step size"),
        ((), "all its steps are 1"),
    ),
    "eta0": (((), "its step size is fixed"),),
    "cache_size": (((), "it keeps no kernel matrix, as KernelPerceptron does"),),
    "power_t": ((("step",), "step='1/t' and '1/sqrt(t)' are the powers offered"), ((), "all its steps are 1")),
    "shuffle": ((("order",), "order='shuffle' is a random order of the rows, order='cyclic' their own"),),
    "average": (
        (("keep",), "keep='average' returns the mean of the weights"),
        ((), "AveragedPerceptron returns the mean of the weights"),
    ),
    "early_stopping": (
        (("n_iter_no_change",), "n_iter_no_change ends training; LogisticRegression and LinearSVM hold out rows"),
    ),
    "validation_fraction": (((), "LogisticRegression and LinearSVM hold out rows"),),
    "penalty": (((), "it has no penalty; LinearSVM and LogisticRegression have one"),),
    "alpha": (((), "it has no penalty; LinearSVM and LogisticRegression have one"),),
    "C": (((), "it has no penalty; LinearSVM and LogisticRegression have one"),),
    "l1_ratio": (((), "it has no penalty; LinearSVM and LogisticRegression have one"),),
    "loss": (((), "its loss is fixed; LinearSVM offers several losses"),),
    "dual": ((("solver",), "solver='optimum' chooses the form of the problem"), ((), "it has no dual form")),
    "solver": (((), "it has one way to train"),),
    "kernel": (((), "KernelPerceptron has kernels; features='polynomial-2' lifts the rows"),),
    "gamma": (((), "KernelPerceptron has kernels"),),
    "degree": (((), "KernelPerceptron has kernels; features='polynomial-2' lifts the rows"),),
    "coef0": (((), "KernelPerceptron has kernels"),),
    "decision_function_shape": (
        (("multi_class",), "multi_class is 'ovr' or 'joint'"),
        ((), "each class is told from the rest"),
    ),
    "multi_class": (((), "each class is told from the rest"),),
    "calibration": (
        ((), "its probabilities are its own and need none; sklearn.calibration has methods for any model"),
    ),
    "Cs": (
        (("C", "penalty"), "C='auto' chooses among 17 values, and regularization_path takes Cs"),
        (("C",), "C is one number, and sklearn.model_selection can try several"),
        ((), "it has no penalty; LinearSVM and LogisticRegression have one"),
    ),
    "cv": (
        (("C", "penalty"), "C='auto' chooses C by five folds"),
        ((), "sklearn.model_selection has folds"),
    ),
    "probability": (((), "LogisticRegression predicts probabilities"),),
    "epsilon": (((), "it is for regression"),),
}


def our_value(parameter: str, value: Any) -> Any:
    """What a value of a parameter is called here; a value that scikit-learn does not have is returned as it is.

    >>> our_value("loss", "squared_hinge"), our_value("solver", "lbfgs"), our_value("loss", "hinge")
    ('squared-hinge', 'optimum', 'hinge')
    """
    return SAME_VALUES.get(parameter, {}).get(value, value) if isinstance(value, str) else value


def our_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with our values. C=inf is no penalty, but for Jeffreys', which has no strength.

    >>> our_values({"C": float("inf"), "penalty": "l2", "solver": "lbfgs"})
    {'C': None, 'penalty': None, 'solver': 'optimum'}
    """
    ours = {name: our_value(name, value) for name, value in given.items()}
    C = ours.get("C")
    if isinstance(C, Real) and float(C) == inf and ours.get("penalty") != "jeffreys":
        ours |= {"C": None, "penalty": None}
    return ours


def answer_value(parameter: str, value: object) -> str | None:
    """What to choose instead of a value of scikit-learn, as one sentence; None if it has no such value.

    >>> answer_value("solver", "liblinear")
    "solver='liblinear' is not offered: it penalises the offset, as solver='optimum' with penalize_intercept=True does."
    >>> answer_value("multi_class", "multinomial")
    "multi_class='multinomial' is called 'joint' here."
    """
    if not isinstance(value, str):
        return None
    if (parameter, value) in OTHER_VALUES:
        return f"{parameter}={value!r} is not offered: {OTHER_VALUES[parameter, value]}."
    ours = our_value(parameter, value)
    return None if ours == value else f"{parameter}={value!r} is called {ours!r} here."


def answer_parameter(classifier: str, name: str, known: Iterable[str]) -> str:
    """A sentence about a parameter that a classifier does not have, with ours if scikit-learn has it.

    >>> answer_parameter("Perceptron", "shuffle", ["order"])
    "Perceptron has no parameter 'shuffle': order='shuffle' is a random order of the rows, order='cyclic' their own."
    >>> answer_parameter("Perceptron", "mx_iter", ["max_iter"])
    "Perceptron has no parameter 'mx_iter': did you mean 'max_iter'?"
    """
    known = list(known)
    for needed, answer in OTHER_PARAMETERS.get(name, ()):
        if set(needed) <= set(known):
            return f"{classifier} has no parameter {name!r}: {answer}."
    return f"{classifier} has no parameter {name!r}{did_you_mean(name, known)}"


def renamed_parameters(given: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Parameters with our names where scikit-learn's mean the same; the others stay as they are.

    >>> renamed_parameters({"shuffle": False, "average": 10}, ["order", "keep"])
    {'order': 'cyclic', 'average': 10}
    """
    known, ours = set(known), dict[str, Any]()
    for name, value in given.items():
        other, values = SAME_PARAMETERS.get(name, (name, {}))
        same = values.get(value) if isinstance(value, bool | str) and other in known and other not in given else None
        ours |= {name: value} if same is None or name in known else {other: same}
    return ours


class AnswersUnknownParameters:
    """A class whose constructors know scikit-learn's names of parameters, and answer unknown ones by a sentence.

    Signatures stay as they are.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in cls.__dict__:
            cls.__init__ = _answering(cls.__init__)  # type: ignore[method-assign]


def _answering(init: Callable[..., None]) -> Callable[..., None]:
    known = list(signature(init).parameters)[1:]

    @wraps(init)
    def checked(self: Any, *values: Any, **parameters: Any) -> None:
        parameters = renamed_parameters(parameters, known[len(values) :])
        for name in parameters:
            if name not in known:
                raise TypeError(answer_parameter(type(self).__name__, name, known))
        init(self, *values, **parameters)

    return checked
