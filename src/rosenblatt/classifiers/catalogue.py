"""The named family. A classifier is a constructor that picks parts; the loop is the same for all (`engine.py`)."""

from collections.abc import Callable, Mapping
from typing import Any

from ..parts.features import Features
from .docstrings import documented
from .kernel import KernelClassifier
from .linear import LinearClassifier
from .penalised import PenalisedClassifier
from .probabilities import Probabilities


@documented
class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron: where a row is on the wrong side, w moves towards it.

    At a mistake, y (w.x + b) <= 0::

        w <- w + eta y x,    b <- b + eta y

    until an epoch makes no mistake. On separable data it ends after at most (R / gamma)^2 mistakes (Novikoff), whatever
    the order; on overlapping data it would go on for ever, so `max_iter` ends it, with a warning that says what to do.

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
    """

    def __init__(
        self,
        order: str = "shuffle",
        eta0: float = 1.0,
        step: str = "constant",
        keep: str = "last",
        criterion: str = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = None,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multi_class: str = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        order: str = "shuffle",
        eta0: float = 1.0,
        step: str = "constant",
        criterion: str = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = 5,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multi_class: str = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        order: str = "random-mistake",
        eta0: float = 1.0,
        step: str = "constant",
        criterion: str = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = 100,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multi_class: str = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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
        order: str = "shuffle",
        step: str = "pa1",
        keep: str = "last",
        criterion: str = "mistakes",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = 5,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        multi_class: str = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | str | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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


@documented
class LinearSVM(PenalisedClassifier):
    """The support vector machine: the widest margin that the penalty for rows inside it allows.

    With m = y (w.x + b), minimises::

        C sum_i s_i max(0, 1 - m_i) + 1/2 ||w||^2         ("hinge")
        C sum_i s_i max(0, 1 - m_i)^2 + 1/2 ||w||^2       ("squared-hinge")

    to a proven tolerance (`solver="optimum"`), or nearly, by gradient descent, plain or stochastic. The offset is not
    penalised unless asked.

    Parameters
    ----------
    loss : {"hinge", "squared-hinge"}
        What a row inside the margin costs.
    multi_class : {"ovr", "joint"}
        More than two classes: a plane for each, against the rest; or all together, by "sgd" or "gd", where the true
        class is to win by 1. Two classes need one plane.

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

    losses = ("hinge", "squared-hinge")

    def __init__(
        self,
        loss: str = "hinge",
        C: float | None = None,
        alpha: float | None = None,
        penalty: str | None = "l2",
        solver: str = "optimum",
        tol: float | None = None,
        max_iter: int | None = None,
        order: str | None = None,
        step: str | None = None,
        eta0: float | None = None,
        keep: str | None = None,
        criterion: str | None = None,
        n_iter_no_change: int | None = None,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        penalize_intercept: bool = False,
        multi_class: str = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | str | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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


@documented
class LogisticRegression(Probabilities, PenalisedClassifier):
    """Logistic regression: classes with their probabilities.

    With m = y (w.x + b), minimises::

        C sum_i s_i log(1 + exp(-m_i)) + 1/2 ||w||^2

    to a proven tolerance (`solver="optimum"`), or nearly, by gradient descent, plain or stochastic. The offset is not
    penalised unless asked. Without a penalty there is no optimum where a plane separates the classes, if only in part:
    training then ends with a warning and `status_.reason` "separated", once the weights make no mistake if none need be
    made: more steps would only make them grow.

    Parameters
    ----------
    multi_class : {"ovr", "joint"}
        More than two classes: a plane for each, against the rest; or all together (softmax), by "optimum". Two classes
        need one plane.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict_proba([[1.5], [4.0]]).round(3)
    array([[0.5  , 0.5  ],
           [0.084, 0.916]])

    References
    ----------
    D. R. Cox, "The regression analysis of binary sequences", Journal of the Royal Statistical Society B 20 (1958).
    """

    loss = "logistic"
    losses = ("logistic",)

    def __init__(
        self,
        C: float | None = None,
        alpha: float | None = None,
        penalty: str | None = "l2",
        solver: str = "optimum",
        tol: float | None = None,
        max_iter: int | None = None,
        order: str | None = None,
        step: str | None = None,
        eta0: float | None = None,
        keep: str | None = None,
        criterion: str | None = None,
        n_iter_no_change: int | None = None,
        max_seconds: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        penalize_intercept: bool = False,
        multi_class: str = "ovr",
        features: str | Features = "identity",
        class_weight: Mapping[Any, float] | str | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
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


@documented
class KernelPerceptron(KernelClassifier):
    """The perceptron in the space of a kernel: curved boundaries by the same rule.

    With w = sum_j alpha_j phi(x_j), which is never written down, a row is scored and, at a mistake, moves its alpha::

        f(x) = sum_j alpha_j K(x_j, x) + b,    alpha_i <- alpha_i + y_i,    b <- b + y_i

    With the linear kernel it makes the mistakes of `Perceptron`, one by one. Rows with an alpha other than 0 are the
    support; prediction reads them alone. K is kept as float32; products of rows are summed in the type of X.

    Parameters
    ----------
    kernel : {"gaussian", "polynomial", "linear", "precomputed"} or callable
        exp(-gamma ||a - b||^2); (gamma a.b + coef0)^degree; a.b; X itself, which then holds K of all rows with all
        (`predict` takes K of new rows with those of `fit`); or a function of two matrices that returns K of their rows,
        symmetric, dense or sparse as X is.
    gamma : float > 0 or None
        None is 1 / (columns * variance of X) for the Gaussian, 1 for the polynomial kernel.
    degree : int >= 1
        Of the polynomial kernel.
    coef0 : float
        Of the polynomial kernel.
    budget : int >= 1 or None
        Rows of the support at most, for each plane. Beyond it one of them goes, drawn at random; never the one just
        added. Not with `keep="average"`, which remembers all rows, nor with `order="batch"`.
    cache_size : float >= 0
        Megabytes for rows of the kernel matrix, 4 bytes a number. Rows that find no room are made whenever they are
        visited, which gives the same bits and takes longer.
    fit_intercept : bool or None
        Learn an offset b, the weight of one more coordinate with the constant value `intercept_scaling`. None is False
        for the Gaussian and the polynomial kernel with a coef0, whose spaces have a constant or nearly, else True.

    Attributes
    ----------
    coef_, intercept_ : arrays
        There is no `coef_`; one offset for two classes, one a class for more.
    dual_coef_ : array of shape (planes, rows of the support)
        The alphas, signs included.
    support_ : array
        The numbers of the support's rows in the X of `fit`.
    support_vectors_ : array or sparse matrix
        Those rows.
    gamma_ : float
        The gamma in use.

    Examples
    --------
    >>> from rosenblatt import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]                 # XOR
    >>> model = KernelPerceptron(kernel="polynomial", degree=2, order="cyclic").fit(X, y)
    >>> model.predict(X).tolist(), model.status_.reason
    ([0, 1, 1, 0], 'mistakes')

    References
    ----------
    M. Aizerman, E. Braverman, L. Rozonoer, "Theoretical foundations of the potential function method in pattern
    recognition learning", Automation and Remote Control 25 (1964).
    Y. Freund, R. Schapire, "Large margin classification using the perceptron algorithm", Machine Learning 37 (1999).
    G. Cavallanti, N. Cesa-Bianchi, C. Gentile, "Tracking the best hyperplane with a simple budget perceptron", Machine
    Learning 69 (2007).
    """

    def __init__(
        self,
        kernel: str | Callable[[Any, Any], Any] = "gaussian",
        gamma: float | None = None,
        degree: int = 2,
        coef0: float = 1.0,
        budget: int | None = None,
        cache_size: float = 1000,
        order: str = "shuffle",
        keep: str = "last",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = None,
        max_seconds: float | None = None,
        fit_intercept: bool | None = None,
        intercept_scaling: float = 1.0,
        multi_class: str = "ovr",
        class_weight: Mapping[Any, float] | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.budget = budget
        self.cache_size = cache_size
        self.order = order
        self.keep = keep
        self.tol = tol
        self.max_iter = max_iter
        self.n_iter_no_change = n_iter_no_change
        self.max_seconds = max_seconds
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
