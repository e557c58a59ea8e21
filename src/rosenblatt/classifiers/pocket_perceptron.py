"""Gallant's pocket algorithm."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Balanced, Criterion, MultiClass, Order, Schedule
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class PocketPerceptron(LinearClassifier):
    """The perceptron that keeps the best weights it met: for data that no plane separates.

    Rows are drawn at random and move w as in `Perceptron`; when a run of right answers is longer than that of the
    last ones checked, all rows are checked, and fewer mistakes replace the pocket (Gallant's ratchet; the bar falls by
    half with every epoch). With `order="batch"` it is the algorithm that moves by all misclassified rows at once. Its
    mistakes never rise. It ends when the share of mistakes is at most `tol`, when nothing better turned up for
    `n_iter_no_change` epochs, or at `max_iter` or `max_seconds`.

    Parameters
    ----------
    order : {"cyclic", "shuffle-once", "shuffle", "random-mistake", "batch"}
        Which row is visited next; `rosenblatt.parts.orders` has the rules.

    Examples
    --------
    >>> from rosenblatt import PocketPerceptron
    >>> model = PocketPerceptron(random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])     # XOR
    >>> model.status_.mistakes
    1

    References
    ----------
    S. Gallant, "Perceptron-based learning algorithms", IEEE Transactions on Neural Networks 1 (1990).
    """

    keep = "best"

    def __init__(
        self,
        order: Order = "random-mistake",
        eta0: float = 1.0,
        step: Schedule = "constant",
        criterion: Criterion = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = 100,
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
