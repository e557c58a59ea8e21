"""Multinomial logistic regression by its definition: the slow truth that summaries of several classes are held to."""

import warnings

import numpy as np
from scipy import stats
from scipy.optimize import brentq, minimize
from scipy.special import logsumexp

from rosenblatt import LogisticRegression, summary
from rosenblatt.classifiers.messages import SeparationWarning


def design(rows, columns, seed, classes=3, spread=1.0):
    """Normal rows and classes 0, 1, ... drawn from a softmax, all of which occur."""
    dice = np.random.default_rng(seed)
    X = dice.normal(size=(rows, columns))
    y = (spread * X @ dice.normal(size=(columns, classes)) + dice.gumbel(size=(rows, classes))).argmax(axis=1)
    y[:classes] = np.arange(classes)
    return X, y


def fitted(X, y, penalty=None, sample_weight=None, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        return LogisticRegression(penalty=penalty, **parameters).fit(X, y, sample_weight=sample_weight)


def summarised(X, y, penalty=None, sample_weight=None, fit_intercept=True, **options):
    return summary(fitted(X, y, penalty, sample_weight, fit_intercept=fit_intercept), X, y, sample_weight, **options)


class Multinomial:
    """Minus the log likelihood of coefficients relative to a base. In a block, the intercept comes first."""

    def __init__(self, X, y, base=0, jeffreys=False, fit_intercept=True):
        self.X = np.column_stack([np.ones((len(X), int(fit_intercept))), X])
        self.y, self.jeffreys, self.classes = np.asarray(y), jeffreys, int(np.max(y)) + 1
        self.others = [k for k in range(self.classes) if k != base]
        self.size = len(self.others) * self.X.shape[1]

    def log_probabilities(self, z):
        scores = np.zeros((len(self.X), self.classes))
        scores[:, self.others] = self.X @ z.reshape(len(self.others), -1).T
        return scores - logsumexp(scores, axis=1, keepdims=True)

    def loss(self, z):
        return -self.log_probabilities(z)[np.arange(len(self.y)), self.y].sum()

    def slope(self, z):
        """The gradient of the loss."""
        errors = np.exp(self.log_probabilities(z)) - np.eye(self.classes)[self.y]
        return (errors[:, self.others].T @ self.X).ravel()

    def information(self, z):
        """The sum over rows of the covariance of the classes, times x x^T for each pair of them."""
        p = np.exp(self.log_probabilities(z))[:, self.others]
        covariances = p[:, :, None] * np.eye(len(self.others)) - p[:, :, None] * p[:, None, :]
        return np.einsum("iab,ij,ik->ajbk", covariances, self.X, self.X).reshape(self.size, self.size)

    def objective(self, z):
        """The loss, and Jeffreys' penalty, which is relative to that of z = 0."""
        if not self.jeffreys:
            return self.loss(z)
        now, zero = (np.linalg.slogdet(self.information(each))[1] for each in (z, np.zeros(self.size)))
        return self.loss(z) + 0.5 * (zero - now)

    def minimum(self, held=(), start=None):
        """The least objective with the coordinates of a dict held at its values, and where it is."""
        z, held = np.zeros(self.size) if start is None else start.copy(), dict(held)
        z[list(held)] = list(held.values())
        free = [place for place in range(self.size) if place not in held]

        def whole(others):
            z[free] = others
            return z

        slope = None if self.jeffreys else lambda others: self.slope(whole(others))[free]
        found = minimize(
            lambda others: self.objective(whole(others)), z[free], jac=slope, method="BFGS", options={"gtol": 1e-9}
        )
        return found.fun, whole(found.x).copy()

    def end(self, place, inside, outside, level=0.95):
        """Where the profile of a coordinate crosses the quantile, by a bracket."""
        target = self.minimum()[0] + stats.chi2.ppf(level, 1) / 2
        return brentq(lambda value: self.minimum({place: value})[0] - target, inside, outside, xtol=1e-9)
