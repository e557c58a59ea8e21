"""Data whose distribution p(x, k) is known, so that the true risk of a classifier can be computed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state

from ..foundation.matrices import as_floats
from ..foundation.notebook_html import ShownInNotebooks, curves_picture, share_picture
from ..foundation.types import Floats, Labels
from ..parts.features import IDENTITY, features_of
from .bayes import BayesRule
from .distributions import Distribution
from .empirical_risk import count_losses, empirical_risk
from .loss_matrix import loss_array
from .vc import vc_bound, vc_dimension


@dataclass(frozen=True)
class TrueRisk(ShownInNotebooks):
    """A risk under a known distribution: exact, or estimated from `draws` rows with the standard error `error`."""

    risk: float
    error: float = 0.0
    draws: int = 0

    def __float__(self) -> float:
        return self.risk

    def __str__(self) -> str:
        how = f"+- {self.error:.2g}, from {self.draws:,} draws" if self.draws else "exactly"
        return f"{self.risk:.6g} {how}"

    def _picture(self) -> str:
        return share_picture(min(self.risk, 1.0), "The true risk")


class RiskRow(NamedTuple):
    """One line of a `risk_table`."""

    n: int
    training: float
    held_out: float
    true: float
    bound: float


class RiskTable(ShownInNotebooks, list[RiskRow]):
    """Training risk, held-out risk, true risk and bound for several numbers of rows; `best` is the Bayes risk."""

    def __init__(self, rows: Iterable[RiskRow], best: float) -> None:
        super().__init__(rows)
        self.best = best

    def __str__(self) -> str:
        lines = [
            f"{'rows':>8}{'training':>10}{'held out':>10}{'true':>10}{'VC bound':>10}   Bayes risk {self.best:.4f}"
        ]
        for row in self:
            bound = "none" if row.bound == inf else f"{row.bound:.4f}"
            line = f"{row.n:>8}{row.training:>10.4f}{row.held_out:>10.4f}{row.true:>10.4f}{bound:>10}"
            lines.append(line if row.bound < 1 else f"{line}   says nothing")
        return "\n".join(lines)

    def _picture(self) -> str:
        return curves_picture([[row.true for row in self], [row.training for row in self]], "True and training risk")


class KnownDistribution(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classes with known distributions of x and known shares: p(x, k) = p(k) p(x | k).

    It draws rows, and computes the true risk of any classifier. `predict_proba` returns the true probabilities and
    `predict` the Bayes decisions. As an estimator it is always fitted.

    Parameters
    ----------
    distributions : {class: distribution}, frozen ones of SciPy: `norm(0, 1)`, `multivariate_normal(mean, cov)`, ...
    priors : the share of each class, in the order of `distributions`. None: equal shares.

    >>> from scipy.stats import norm
    >>> from rosenblatt import LogisticRegression
    >>> known = KnownDistribution({"low": norm(-1, 1), "high": norm(1, 1)})
    >>> print(known.bayes_risk())
    0.158655 exactly
    >>> X, y = known.draw(100, random_state=0)
    >>> model = LogisticRegression().fit(X, y)
    >>> print(known.true_risk(model))
    0.160254 exactly
    """

    def __init__(self, distributions: Mapping[Any, Any], priors: Any = None) -> None:
        self.distributions = distributions
        self.priors = priors

    @property
    def classes_(self) -> Labels:
        return np.array(sorted(self.distributions))

    @property
    def n_features_in_(self) -> int:
        return self._class_distributions()[0][1].columns

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any = None, y: Any = None) -> "KnownDistribution":
        """Do nothing, because the distribution is known."""
        return self

    def _class_distributions(self) -> list[tuple[float, Distribution]]:
        """The share and the distribution of each class, in the order of `classes_`."""
        names = list(self.distributions)
        shares = np.full(len(names), 1 / max(len(names), 1)) if self.priors is None else np.asarray(self.priors, float)
        if len(names) < 2:
            raise ValueError(f"distributions must have at least two classes, not {names}.")
        if shares.shape != (len(names),) or not (shares > 0).all() or abs(shares.sum() - 1) > 1e-9:
            raise ValueError(f"priors must be {len(names)} shares above 0 that sum to one, not {self.priors!r}.")
        parts = {
            name: (float(s), Distribution(self.distributions[name])) for name, s in zip(names, shares, strict=True)
        }
        if len({part.columns for _, part in parts.values()}) > 1:
            raise ValueError(f"The distributions of {names} must have as many columns as each other.")
        return [parts[name] for name in sorted(names)]

    def draw(self, n: int, random_state: Any = None) -> tuple[Floats, Labels]:
        """n independent rows and their classes."""
        random = check_random_state(random_state)
        parts = self._class_distributions()
        codes = random.choice(len(parts), size=n, p=[share for share, _ in parts])
        X = np.empty((n, parts[0][1].columns))
        for k, (_, part) in enumerate(parts):
            X[codes == k] = part.draw(int((codes == k).sum()), random)
        return X, self.classes_[codes]

    def predict_proba(self, X: Any) -> Floats:
        """p(k | x). Rows without density under any class are refused."""
        X = as_floats(X)
        if X.ndim != 2 or X.shape[1] != self.n_features_in_:
            raise ValueError(f"X must be rows of {self.n_features_in_} columns, not an array of shape {X.shape}.")
        logs = np.column_stack([np.log(share) + part.log_density(X) for share, part in self._class_distributions()])
        highest = logs.max(axis=1, keepdims=True)
        if not np.isfinite(highest).all():
            row = int(np.flatnonzero(~np.isfinite(highest[:, 0]))[0])
            raise ValueError(f"Row {row} of X cannot be drawn: no class has any density there.")
        joint = np.exp(logs - highest)
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Labels:
        """The most probable class."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def bayes_rule(self, loss_matrix: Any = None) -> BayesRule:
        """The classifier of least risk."""
        return BayesRule(self, loss_matrix, prefit=True)

    def bayes_risk(self, loss_matrix: Any = None, *, draws: int = 1_000_000, random_state: Any = 0) -> TrueRisk:
        """The least risk of any classifier. Exact if the classes are Gaussian with one covariance."""
        plane = self._bayes_plane(loss_matrix)
        if plane is not None:
            return TrueRisk(self._risk_of_plane(*plane, loss_array(loss_matrix, self.classes_)))
        return self.true_risk(self.bayes_rule(loss_matrix), loss_matrix, draws=draws, random_state=random_state)

    def true_risk(
        self, model: Any, loss_matrix: Any = None, *, draws: int = 1_000_000, random_state: Any = 0
    ) -> TrueRisk:
        """The risk of a fitted classifier: the mean loss of its decisions over p(x, k).

        Exact for linear classifiers (those with `coef_` and `intercept_`) of two classes that are Gaussian, or have
        any distribution on one column. For others it is estimated on `draws` rows, equally many from each class.
        """
        losses = loss_array(loss_matrix, self.classes_)
        plane = _linear_plane(model, self.classes_)
        if plane is not None and all(part.is_projectable for _, part in self._class_distributions()):
            return TrueRisk(self._risk_of_plane(*plane, losses))
        return self._sampled_risk(model, loss_matrix, draws, check_random_state(random_state))

    def _risk_of_plane(self, w: Floats, b: float, losses: Floats) -> float:
        """The risk of deciding for the second class where w.x + b >= 0."""
        risk = 0.0
        for k, (share, part) in enumerate(self._class_distributions()):
            above = part.probability_above(w, b)
            risk += share * float(above * losses[1, k] + (1 - above) * losses[0, k])
        return risk

    def _sampled_risk(self, model: Any, loss_matrix: Any, draws: int, random: Any) -> TrueRisk:
        parts, classes = self._class_distributions(), self.classes_
        each = max(draws // len(parts), 2)
        risk = variance = 0.0
        for label, (share, part) in zip(classes, parts, strict=True):
            decided = model.predict(part.draw(each, random))
            losses, counts = count_losses(np.full(each, label), decided, loss_matrix, classes)
            mean = float((losses * counts).sum() / each)
            risk += share * mean
            variance += share**2 * float(((losses - mean) ** 2 * counts).sum()) / each / (each - 1)
        return TrueRisk(risk, sqrt(variance), each * len(parts))

    def _bayes_plane(self, loss_matrix: Any) -> tuple[Floats, float] | None:
        """w and b of the Bayes rule of two Gaussian classes with one covariance, without "reject"; else None."""
        parts, losses = self._class_distributions(), loss_array(loss_matrix, self.classes_)
        shapes = [shape for _, part in parts if (shape := part.gaussian) is not None]
        if losses.shape != (2, 2) or len(shapes) < 2:
            return None
        (low, covariance), (high, other) = shapes
        stakes = losses[1, 0] - losses[0, 0], losses[0, 1] - losses[1, 1]
        if not np.array_equal(covariance, other) or min(stakes) <= 0:
            return None
        w: Floats = np.linalg.solve(covariance, high - low).astype(np.float64)
        odds = np.log(parts[1][0] * stakes[1]) - np.log(parts[0][0] * stakes[0])
        return w, float(odds - w @ (low + high) / 2)

    def risk_table(
        self,
        estimator: Any,
        sizes: Iterable[int],
        *,
        eta: float = 0.05,
        vc_dim: int | None = None,
        random_state: Any = 0,
    ) -> RiskTable:
        """For each n, train on n rows: the training risk, the risk on n other rows, the true risk, and its VC bound.

        For two classes and the 0-1 loss. `vc_dim` is the VC dimension of the class of classifiers; None stands for
        hyperplanes with an offset. There is no bound if n is smaller.

        >>> from scipy.stats import norm
        >>> from rosenblatt import LogisticRegression
        >>> known = KnownDistribution({0: norm(-1, 1), 1: norm(1, 1)})
        >>> print(known.risk_table(LogisticRegression(), [20, 200, 2000]))
            rows  training  held out      true  VC bound   Bayes risk 0.1587
              20    0.1500    0.0500    0.2040    0.9366
             200    0.1400    0.1250    0.1626    0.4314
            2000    0.1470    0.1580    0.1592    0.2509
        """
        if len(self.classes_) != 2:
            raise ValueError(f"The inequality is for two classes, not {len(self.classes_)}.")
        random, h = check_random_state(random_state), vc_dim or vc_dimension(self.n_features_in_)
        rows = []
        for n in sizes:
            X, y = self.draw(n, random)
            X_new, y_new = self.draw(n, random)
            model = clone(estimator).fit(X, y)
            training = empirical_risk(y, model.predict(X))
            bound = vc_bound(training, n, h, eta).bound if n >= h else inf
            held_out = empirical_risk(y_new, model.predict(X_new))
            rows.append(RiskRow(n, training, held_out, float(self.true_risk(model)), bound))
        return RiskTable(rows, float(self.bayes_risk()))


def _linear_plane(model: Any, classes: Labels) -> tuple[Floats, float] | None:
    """w and b of a linear classifier of these two classes, positive for the second; else None."""
    w, b = getattr(model, "coef_", None), getattr(model, "intercept_", None)
    if w is None or b is None or len(classes) != 2 or np.shape(w)[:1] != (1,) or np.size(b) != 1:
        return None
    if features_of(model) != IDENTITY:
        return None  # a plane in another space
    if np.array_equal(model.classes_, classes):
        return np.asarray(w, dtype=np.float64)[0], float(np.ravel(b)[0])
    theirs, ours = np.asarray(model.classes_).tolist(), classes.tolist()
    raise ValueError(f"The classifier knows the classes {theirs}, and the rows have {ours}.")
