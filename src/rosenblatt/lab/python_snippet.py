"""The Python code that repeats a run."""

from inspect import signature
from typing import Any

from .. import classifiers
from ..classifiers.kernel import KernelClassifier
from .run_request import RunRequest


def python_snippet(request: RunRequest) -> str:
    """The data and parameters of a request as code.

    >>> from rosenblatt.lab.run_request import parse_request
    >>> print(python_snippet(parse_request({"points": [[3, 3, 1], [1, 1, 0]], "learner": "Perceptron"})))
    import numpy as np
    from rosenblatt import Perceptron
    <BLANKLINE>
    X = np.array([[3.0, 3.0], [1.0, 1.0]])
    y = np.array([1, 0])
    model = Perceptron(max_iter=100, random_state=0).fit(X, y)
    print(model.coef_, model.intercept_, model.status_)
    <BLANKLINE>
    """
    name = request.entry.name
    weights = "dual_coef_" if issubclass(getattr(classifiers, name), KernelClassifier) else "coef_"
    arguments = ", ".join(f"{key}={value!r}" for key, value in _non_default_parameters(request).items())
    return "\n".join(
        [
            "import numpy as np",
            f"from rosenblatt import {name}",
            "",
            f"X = np.array({request.X.tolist()})",
            f"y = np.array({request.y.tolist()})",
            f"model = {name}({arguments}).fit(X, y)",
            f"print(model.{weights}, model.intercept_, model.status_)",
            "",
        ]
    )


def _non_default_parameters(request: RunRequest) -> dict[str, Any]:
    model, entry = request.model(), request.entry
    defaults = {name: one.default for name, one in signature(getattr(classifiers, entry.name)).parameters.items()}
    given = {name: getattr(model, name) for name in entry.parameters}
    return {name: value for name, value in given.items() if value != defaults[name]}
