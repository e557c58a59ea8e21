"""Passive-aggressive learning of Crammer et al."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Balanced, Criterion, Keep, MultiClass, Order, PassiveAggressiveStep
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class PassiveAggressive(LinearClassifier):
    """Passive where the margin is at least 1, otherwise the smallest step that makes it 1 (or as near as C allows).

    For a row with hinge loss l = max(0, 1 - y (w.x + b))::

        w <- w + tau y x,    tau = l / ||x||^2              ("pa")
                             tau = min(C, l / ||x||^2)      ("pa1")
                             tau = l / (||x||^2 + 1/(2C))   ("pa2")

    with ||x|| taken over the constant coordinate too. It ends when no row is misclassified, or when the mistakes of an
    epoch have not become fewer for five epochs.

    Parameters
    ----------
    C : float > 0
        How far one row may move w; not used by "pa".
    order : {"cyclic", "shuffle-once", "shuffle", "random-mistake"}
        Which row is visited next; `rosenblatt.parts.orders` has the rules.
    step : {"pa", "pa1", "pa2"}
        The rule for tau.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> model = PassiveAggressive(order="cyclic", fit_intercept=False, step="pa").fit([[2.0], [-4.0]], [1, 0])
    >>> model.coef_
    array([[0.5]])

    References
    ----------
    K. Crammer et al., "Online passive-aggressive algorithms", Journal of Machine Learning Research 7 (2006).
    """

    loss = "hinge"
    eta0 = 1.0

    def __init__(
        self,
        C: float = 1.0,
        order: Order = "shuffle",
        step: PassiveAggressiveStep = "pa1",
        keep: Keep = "last",
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
        self.C = C
        self.order = order
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
