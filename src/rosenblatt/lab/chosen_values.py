"""What a classifier chose for the parameters that a request left to it: those that are None."""

from typing import Any

from ..classifiers.linear import LinearClassifier
from ..parts.kernels import Kernel
from ..parts.recipe import Recipe
from .registry import ClassifierEntry


def chosen_values(
    model: LinearClassifier, entry: ClassifierEntry, recipe: Recipe, kernel: Kernel | None
) -> dict[str, Any]:
    """The value of each parameter that is None, where the recipe, its stops or the kernel hold one.

    >>> from rosenblatt.lab.traced_run import trace_run
    >>> answer = trace_run({"points": [[3, 3, 1], [1, 1, 0]], "learner": "KernelPerceptron"})
    >>> answer["result"]["chosen"]
    {'gamma': 0.5, 'fit_intercept': False}
    """
    open_names = [name for name in entry.parameters if getattr(model, name) is None]
    if getattr(model, "alpha", None) is not None or recipe.loss == "perceptron":
        open_names = [name for name in open_names if name != "C"]
    held = {name: _held(name, recipe, kernel) for name in open_names if name != "alpha"}
    return {name: value for name, value in held.items() if value is not None}


def _held(name: str, recipe: Recipe, kernel: Kernel | None) -> Any:
    for holder in (kernel, recipe, recipe.stops):
        if hasattr(holder, name):
            return getattr(holder, name)
    return None
