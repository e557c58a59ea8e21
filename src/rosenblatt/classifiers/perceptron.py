"""Rosenblatt's perceptron."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Balanced, Criterion, Keep, MultiClass, Order, Schedule
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron: where a row is on the wrong side, w moves towards it.

    At a mistake, y (w.x + b) <= 0::

        w <- w + eta y x,    b <- b + eta y

    until an epoch makes no mistake. On separable data it ends after at most (R / gamma)^2 mistakes (Novikoff), whatever
    the order. On overlapping data it would go on for ever: when the mistakes of an epoch have not become fewer for five
    epochs, it asks for a proof that no hyperplane is right everywhere, and ends with that proof, or else at `max_iter`;
    either way with a warning that says what to do.

    With a `margin`, w moves wherever y (w.x + b) <= margin, until an epoch moves nothing. Then there are at most
    (R^2 + 2 margin / eta) / gamma^2 updates, and the plane's margin is at least gamma / (2 + eta R^2 / margin).

    Parameters
    ----------
    n_iter_no_change : int >= 1 or None
        End after this many epochs without a better value of the criterion, but not before 10,000 visits (or 200
        epochs). None ends by the proof of overlap instead. A number asks for no proof: that of `max_iter` trains to
        the end.
    margin : float >= 0
        A row moves w unless its margin y (w.x + b) is larger than this. It goes with the orders that visit all rows.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="cyclic").fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1])
    >>> model.coef_, model.intercept_
    (array([[1., 1.]]), array([-3.]))
    >>> print(model.status_)
    no mistakes left after 6 epochs

    References
    ----------
    F. Rosenblatt, "The perceptron: a probabilistic model", Psychological Review 65 (1958).
    A. Novikoff, "On convergence proofs on perceptrons" (1962).
    W. Krauth, M. Mezard, "Learning algorithms with optimal stability in neural networks", J. Physics A 20 (1987).
    Y. Li et al., "The perceptron algorithm with uneven margins", ICML (2002).
    """

    def __init__(
        self,
        order: Order = "shuffle",
        eta0: float = 1.0,
        step: Schedule = "constant",
        keep: Keep = "last",
        criterion: Criterion = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = None,
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
        margin: float = 0.0,
    ) -> None:
        self.order = order
        self.eta0 = eta0
        self.step = step
        self.keep = keep
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
        self.margin = margin
