"""The perceptron in the space of a kernel."""

from collections.abc import Callable, Mapping
from typing import Any

from ..parts.choices import Balanced, Keep, KernelName, MultiClass, Order
from .docstrings import documented
from .kernel import KernelClassifier


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
    gamma : float > 0, "scale", "auto" or None
        "scale" is 1 / (columns * variance of X), "auto" is 1 / columns. None is "scale" for the Gaussian, 1 for the
        polynomial kernel.
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
        kernel: KernelName | Callable[[Any, Any], Any] = "gaussian",
        gamma: float | str | None = None,
        degree: int = 2,
        coef0: float = 1.0,
        budget: int | None = None,
        cache_size: float = 1000,
        order: Order = "shuffle",
        keep: Keep = "last",
        tol: float = 0,
        max_iter: int = 1000,
        n_iter_no_change: int | None = None,
        max_seconds: float | None = None,
        fit_intercept: bool | None = None,
        intercept_scaling: float = 1.0,
        multi_class: MultiClass = "ovr",
        class_weight: Mapping[Any, float] | Balanced | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        calibration: str | None = None,
        encode: bool = False,
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
        self.calibration = calibration
        self.encode = encode
