"""The linear support vector machine."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Auto, Balanced, Criterion, Keep, MarginLoss, MultiClass, Order, Penalty, Schedule, Solver
from ..parts.features import Features
from .docstrings import documented
from .penalised import PenalisedClassifier


@documented
class LinearSVM(PenalisedClassifier):
    """The support vector machine: the widest margin that the penalty for rows inside it allows.

    With m = y (w.x + b), minimises::

        C sum_i s_i max(0, 1 - m_i) + 1/2 ||w||^2         ("hinge")
        C sum_i s_i max(0, 1 - m_i)^2 + 1/2 ||w||^2       ("squared-hinge")
        C sum_i s_i huber(m_i) + 1/2 ||w||^2              ("modified-huber")

    to a proven tolerance (`solver="optimum"`), or nearly, by gradient descent, plain or stochastic. huber(m) is the
    squared hinge where m >= -1 and -4 m below, so that far outliers count less. The offset is not penalised unless
    asked.

    `penalty="l1"` has ||w||_1 in the place of 1/2 ||w||^2: many weights are exactly 0, and `duality_gap_` proves how
    near to the optimum the others are. `penalty="elasticnet"` mixes both penalties.

    Parameters
    ----------
    loss : {"hinge", "squared-hinge", "modified-huber"}
        What a row inside the margin costs. "modified-huber" is trained by "gd" and "sgd".
    multi_class : {"auto", "ovr", "joint"}
        More than two classes: a plane for each, against the rest ("ovr"); or all together ("joint"), where the true
        class is to win by 1 against its best rival. "auto" is "joint", but "ovr" for the squared hinge with "optimum",
        which does not train it jointly, and for the hinge with an l1 penalty. Two classes need one plane.

    Examples
    --------
    >>> from rosenblatt import LinearSVM
    >>> model = LinearSVM(C=10.0).fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> model.coef_.round(3), model.intercept_.round(3)          # the margin reaches from 1 to 3
    (array([[1.]]), array([-2.]))
    >>> model.status_.converged
    True

    References
    ----------
    C. Cortes, V. Vapnik, "Support-vector networks", Machine Learning 20 (1995).
    """

    algorithm = "svm"

    def __init__(
        self,
        loss: MarginLoss = "hinge",
        C: float | Auto | None = None,
        alpha: float | None = None,
        penalty: Penalty | None = "l2",
        solver: Solver = "optimum",
        tol: float | None = None,
        max_iter: int | None = None,
        order: Order | None = None,
        step: Schedule | None = None,
        eta0: float | None = None,
        keep: Keep | None = None,
        criterion: Criterion | None = None,
        n_iter_no_change: int | None = None,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        penalize_intercept: bool = False,
        multi_class: MultiClass = "auto",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | Balanced | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        calibration: str | None = None,
        l1_ratio: float | None = None,
        encode: bool = False,
        bounds: Any = None,
    ) -> None:
        self.loss = loss
        self.C = C
        self.alpha = alpha
        self.penalty = penalty
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.order = order
        self.step = step
        self.eta0 = eta0
        self.keep = keep
        self.criterion = criterion
        self.n_iter_no_change = n_iter_no_change
        self.max_seconds = max_seconds
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.penalize_intercept = penalize_intercept
        self.multi_class = multi_class
        self.features = features
        self.class_weight = class_weight
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.calibration = calibration
        self.l1_ratio = l1_ratio
        self.encode = encode
        self.bounds = bounds
