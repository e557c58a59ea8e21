"""One interface to SciPy's frozen distributions of one column or several."""

from typing import Any

import numpy as np
from scipy.special import ndtr

from ..foundation.types import Floats


class Distribution:
    """p(x | k) of one class."""

    def __init__(self, frozen: Any) -> None:
        if not (callable(getattr(frozen, "rvs", None)) and callable(getattr(frozen, "logpdf", None))):
            raise TypeError(
                f"A distribution must be frozen and continuous, such as scipy.stats.norm(0, 1), not {frozen!r}."
            )
        self.frozen = frozen
        self.columns = int(np.size(frozen.rvs(random_state=0)))

    def draw(self, n: int, random: np.random.RandomState) -> Floats:
        return np.asarray(self.frozen.rvs(size=n, random_state=random), dtype=np.float64).reshape(n, self.columns)

    def log_density(self, X: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(self.frozen.logpdf(X[:, 0] if self.columns == 1 else X)).reshape(len(X))

    @property
    def gaussian(self) -> tuple[Floats, Floats] | None:
        """Mean and covariance; None if it is not Gaussian."""
        if type(self.frozen).__name__ == "multivariate_normal_frozen":
            size = self.columns
            return np.reshape(self.frozen.mean, size), np.reshape(self.frozen.cov, (size, size))
        if getattr(getattr(self.frozen, "dist", None), "name", None) == "norm":
            return np.reshape(self.frozen.mean(), 1), np.reshape(self.frozen.var(), (1, 1))
        return None

    @property
    def is_projectable(self) -> bool:
        """Whether `probability_above` has a formula."""
        return self.gaussian is not None or (self.columns == 1 and callable(getattr(self.frozen, "cdf", None)))

    def probability_above(self, w: Floats, b: float) -> float:
        """P(w.x + b >= 0)."""
        if not w.any():
            return float(b >= 0)
        if self.gaussian is not None:
            mean, covariance = self.gaussian
            return float(ndtr((w @ mean + b) / np.sqrt(w @ covariance @ w)))
        below = float(self.frozen.cdf(-b / w[0]))
        return 1 - below if w[0] > 0 else below
