"""The voted perceptron of Freund and Schapire."""

from collections.abc import Mapping
from typing import Any

from ..engine.vote import Vote
from ..parts.choices import Balanced, Criterion, Order, Schedule
from ..parts.features import Features
from .docstrings import documented
from .linear import LinearClassifier


@documented
class VotedPerceptron(LinearClassifier):
    """The perceptron whose answer is the vote of all weights that it met.

    Moves as `Perceptron` does. The weights w_k after move k have c_k votes, one for each visit that they survive, the
    one that made them included::

        score(x) = sum_k c_k sign(w_k.x + b_k) / sum_k c_k,    where sign(0) = 1

    For several classes, each class has a vote against the rest. After one epoch over n random rows, the chance that the
    vote errs on a new row is at most 2 / (n + 2) times the expected mistakes of an epoch over n + 1 rows.

    The model keeps the rows that moved w, not the weights: a row is predicted by its products with these. So there is
    no `partial_fit`, and no `coef_`. `AveragedPerceptron` is one plane that mostly decides alike.

    Parameters
    ----------
    order : {"cyclic", "shuffle-once", "shuffle"}
        The order of the rows in each epoch: as given, one permutation, or a new permutation each time.
    warm_start : bool
        Start `fit` from the last weights of the previous fit. The vote begins anew.

    Attributes
    ----------
    coef_, intercept_ : none
        A vote is no plane.
    vote_ : Vote
        The rows that moved w and, for each of its `planes`, the moves: `row` is a line of these rows, `change` what is
        added along it, `survived` the votes of the weights before the first move and after each.
    status_ : Status
        Why training ended: a sentence, with its `reason` and the `mistakes` of the last weights.

    Examples
    --------
    >>> from rosenblatt import VotedPerceptron
    >>> X, y = [[3, 3], [4, 3], [1, 1]], [1, 1, -1]
    >>> model = VotedPerceptron(order="cyclic").fit(X, y)
    >>> model.predict([[5, 5], [0, 0]]).tolist()
    [1, -1]
    >>> model.vote_.planes[0].survived.tolist()
    [0, 2, 3, 3, 1, 2, 3, 4]
    >>> model.decision_function([[2, 2]]).round(3).tolist()
    [0.889]

    References
    ----------
    Y. Freund, R. Schapire, "Large margin classification using the perceptron algorithm", Machine Learning 37 (1999).
    """

    keep = "vote"
    multi_class = "ovr"
    returns_planes = False

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
        self.features = features
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.calibration = calibration
        self.encode = encode

    @property
    def vote_(self) -> Vote:
        vote = self._fitted("vote_").vote
        assert vote is not None
        return vote

    @property
    def partial_fit(self) -> Any:  # scikit-learn looks whether there is one
        raise AttributeError(
            "VotedPerceptron has no partial_fit, because its vote keeps every row that moved w: call fit with all "
            "rows, or use AveragedPerceptron."
        )
