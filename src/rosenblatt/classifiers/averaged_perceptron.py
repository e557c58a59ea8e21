"""The averaged perceptron."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Balanced, Criterion, MultiClass, Order, Schedule
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class AveragedPerceptron(LinearClassifier):
    """The perceptron whose answer is the mean of the weights after each visit: steadier on overlapping data.

    Moves as `Perceptron` does and returns::

        w = (w_1 + w_2 + ... + w_T) / T,    w_t the weights after visit t

    kept lazily, so a visit that moves nothing costs nothing more. It ends when an epoch makes no mistake, or when the
    mistakes of an epoch have not become fewer for five epochs and the average moved by less than a twentieth in them.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"]
    >>> model = AveragedPerceptron(random_state=0).fit(X, y)
    >>> model.predict([[0.7], [-3.0]]).tolist()
    ['yes', 'no']

    References
    ----------
    Y. Freund, R. Schapire, "Large margin classification using the perceptron algorithm", Machine Learning 37 (1999).
    """

    keep = "average"

    def __init__(
        self,
        order: Order = "shuffle",
        eta0: float = 1.0,
        step: Schedule = "constant",
        criterion: Criterion = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = 5,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multi_class: MultiClass = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | Balanced | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        calibration: str | None = None,
        encode: bool = False,
    ) -> None:
        self.order = order
        self.eta0 = eta0
        self.step = step
        self.criterion = criterion
        self.tol = tol
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.max_seconds = max_seconds
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.multi_class = multi_class
        self.features = features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.calibration = calibration
        self.encode = encode
