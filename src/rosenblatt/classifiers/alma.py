"""The approximate large margin algorithm of Gentile."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Balanced, Criterion, Keep, MultiClass, Order
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class ALMA(LinearClassifier):
    """The approximate large margin algorithm: a perceptron that approaches the widest margin, one row at a time.

    With rows of length 1, x / ||x||, update k is made where y (w.x + b) <= m sqrt(8 / k) / (1 - m), m = `margin`::

        w <- w + sqrt(2 / k) y x,    b <- b + sqrt(2 / k) y,    (w, b) <- (w, b) / max(1, ||(w, b)||)

    with ||x|| and ||(w, b)|| taken over the constant coordinate too. On separable data it ends after at most
    2 (2 / (1 - m) - 1)^2 / gamma^2 + 8 / (1 - m) - 4 updates, with at least the share m of gamma, the widest margin of
    these rows. On other data it ends when the updates of an epoch have not become fewer for five epochs.

    Parameters
    ----------
    margin : float, at least 0 and below 1
        The share of the widest margin to reach: 1 - alpha in Gentile's article. Larger shares need more updates.
    class_weight : dict, "balanced" or None
        Factors by class that multiply the steps of the rows. `fit` takes all weights as shares of the largest.
    order : {"cyclic", "shuffle-once", "shuffle"}
        Which row is visited next; `rosenblatt.parts.orders` has the rules.
    criterion : {"mistakes", "weights"}
        The quantity compared with `tol` after each epoch: the share of rows within the margin, or the relative change
        of w.

    Examples
    --------
    >>> from rosenblatt import ALMA
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"]
    >>> model = ALMA(margin=0.9, random_state=0).fit(X, y)
    >>> model.predict([[0.7], [-3.0]]).tolist()
    ['yes', 'no']

    References
    ----------
    C. Gentile, "A new approximate maximal margin classification algorithm", Journal of Machine Learning Research 2
    (2001).
    """

    step = "alma"
    eta0 = 2**0.5

    def __init__(
        self,
        margin: float = 0.5,
        order: Order = "shuffle",
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
        self.margin = margin
        self.order = order
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
