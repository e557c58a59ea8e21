"""The named classifiers with scikit-learn's conventions. A classifier is a constructor that picks parts.

The classes are imported when first used: scikit-learn takes longer to import than most training.
May import `tables` and below.
"""

from importlib import import_module
from typing import Any

MODULES = {
    "Perceptron": "perceptron",
    "AveragedPerceptron": "averaged_perceptron",
    "PocketPerceptron": "pocket_perceptron",
    "PassiveAggressive": "passive_aggressive",
    "ALMA": "alma",
    "SecondOrderPerceptron": "second_order_perceptron",
    "AROW": "arow",
    "LinearSVM": "linear_svm",
    "LogisticRegression": "logistic_regression",
    "KernelPerceptron": "kernel_perceptron",
    "VotedPerceptron": "voted_perceptron",
}


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return getattr(import_module(f".{MODULES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
