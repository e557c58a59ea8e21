"""Adaptive regularization of weights, by Crammer, Kulesza and Dredze."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Balanced, Covariance, Criterion, Keep, MultiClass, Order
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class AROW(LinearClassifier):
    """Adaptive regularization of weights: each weight has a variance, and moves less the better it is known.

    Where the margin m = y (w.x + b) is below 1, with S = I at first::

        w <- w + tau y Sx,    tau = (1 - m) / (x.Sx + r),    r = 1 / (2 C)

        1 / S_jj <- 1 / S_jj + x_j^2 / r                     ("diagonal")
        S <- S - Sx (Sx)^T / (x.Sx + r)                      ("full")

    with the constant coordinate as one more column. One pass is often enough, so it suits streams. With several joint
    classes each plane has its own S. It ends when no row is misclassified, or when the mistakes of an epoch have not
    become fewer for five epochs.

    Parameters
    ----------
    C : float > 0
        How far one row may move w: 1 / (2 C) is the r of the articles. A sample weight multiplies it.
    order : {"cyclic", "shuffle-once", "shuffle", "random-mistake"}
        Which row is visited next; `rosenblatt.parts.orders` has the rules.
    step : {"diagonal", "full"}
        A variance for each weight, or a covariance matrix of all of them, which costs the square of the columns at each
        update and takes at most 4,096 columns.

    Examples
    --------
    >>> from rosenblatt import AROW
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"]
    >>> model = AROW(random_state=0).fit(X, y)
    >>> model.predict([[0.7], [-3.0]]).tolist()
    ['yes', 'no']

    References
    ----------
    K. Crammer, A. Kulesza, M. Dredze, "Adaptive regularization of weight vectors", Advances in Neural Information
    Processing Systems 22 (2009).
    """

    loss = "hinge"
    eta0 = 1.0

    def __init__(
        self,
        C: float = 0.5,
        order: Order = "shuffle",
        step: Covariance = "diagonal",
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
