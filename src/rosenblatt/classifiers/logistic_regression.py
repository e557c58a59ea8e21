"""Logistic regression."""

from collections.abc import Mapping
from typing import Any

from ..parts.choices import Auto, Balanced, Criterion, Keep, LogisticPenalty, MultiClass, Order, Schedule, Solver
from ..parts.features import Features
from .docstrings import documented
from .learned_attributes import StepsInArray
from .penalised import PenalisedClassifier
from .probabilities import Probabilities


@documented
class LogisticRegression(StepsInArray, Probabilities, PenalisedClassifier):  # type: ignore[misc]
    """Logistic regression: classes with their probabilities.

    With m = y (w.x + b), minimises::

        C sum_i s_i log(1 + exp(-m_i)) + 1/2 ||w||^2

    to a proven tolerance (`solver="optimum"`), or nearly, by gradient descent, plain or stochastic. The offset is not
    penalised unless asked. Without a penalty there is no optimum where a plane separates the classes, if only in part:
    training then ends with a warning and `status_.reason` "separated", once the weights make no mistake if none need be
    made: more steps would only make them grow.

    `penalty="l1"` minimises C sum_i s_i log(1 + exp(-m_i)) + ||w||_1 instead: many weights are exactly 0, and
    `duality_gap_` proves how near to the optimum the others are. `penalty="elasticnet"` mixes both penalties.

    `penalty="jeffreys"` is Firth's bias reduction: it minimises sum_i s_i log(1 + exp(-m_i)) +
    1/2 log(det A(0) / det A(w)) with the Fisher information A(w) = sum_i s_i p_i (1 - p_i) x_i x_i^T, constant
    included. Its optimum is finite even for separated classes, and nearly unbiased. Several classes are trained
    together, with the information of softmax, unless `multi_class="ovr"`; `coef_` then adds up to 0 over the classes.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", "jeffreys"} or None
        1/2 ||w||^2; ||w||_1, which makes many weights exactly 0; a mixture of both; Firth's bias reduction, which has
        no strength to choose; or no penalty. All but "l2" and None need "optimum".
    multi_class : {"auto", "ovr", "joint"}
        More than two classes: a plane for each, against the rest ("ovr"); or all together ("joint": softmax), by
        "optimum". "auto" is "joint" for "optimum" and "ovr" for "gd" and "sgd". Two classes need one plane.

    Attributes
    ----------
    n_iter_, n_visits_, n_updates_, n_mistakes_ : int
        Epochs or steps (an array of one number, as in scikit-learn; of several planes the most); dot products of a row
        with w; updates of w; visits with margin <= 0 ("optimum": mistakes of the last weights).

    Examples
    --------
    >>> from rosenblatt import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict_proba([[1.5], [4.0]]).round(3)
    array([[0.5  , 0.5  ],
           [0.084, 0.916]])

    The l1 norm leaves only the columns that help:

    >>> model = LogisticRegression(penalty="l1").fit([[0, 5], [1, 3], [2, 4], [3, 4]], ["no", "no", "yes", "yes"])
    >>> model.coef_.round(3), model.duality_gap_ < 1e-8
    (array([[0.908, 0.   ]]), True)

    Separated classes have a finite estimate with Jeffreys' penalty, and `gradient_norm_`, the norm of the modified
    score as a share of that at w = 0, proves how near it is:

    >>> model = LogisticRegression(penalty="jeffreys").fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.coef_.round(3), model.gradient_norm_ < 1e-10
    (array([[1.31]]), True)

    Three classes together, as R's `brmultinom` estimates them; weights relative to the first class are differences:

    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], ["a", "a", "b", "b", "c", "c"]
    >>> model = LogisticRegression(penalty="jeffreys").fit(X, y)
    >>> (model.coef_ - model.coef_[0]).round(3).tolist(), model.gradient_norm_ < 1e-10
    ([[0.0], [0.913], [1.827]], True)

    References
    ----------
    D. R. Cox, "The regression analysis of binary sequences", Journal of the Royal Statistical Society B 20 (1958).

    D. Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80 (1993).
    """

    loss = "logistic"
    algorithm = "logistic"

    def __init__(
        self,
        C: float | Auto | None = None,
        alpha: float | None = None,
        penalty: LogisticPenalty | None = "l2",
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
        l1_ratio: float | None = None,
        encode: bool = False,
        bounds: Any = None,
    ) -> None:
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
        self.l1_ratio = l1_ratio
        self.encode = encode
        self.bounds = bounds
