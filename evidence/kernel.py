"""KernelPerceptron against the test error of a support vector machine on digits."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt import KernelPerceptron

from .checks import Finding, fit_seconds

FILE = "mnist.parquet"
ROWS, TEST = 10_000, 10_000  # the first rows of the file, and the last
GAMMA, MAX_ERROR = 0.03, 0.024  # scikit-learn's SVC with C=10 and this gamma has a test error of 2.0%


def check_kernel(file: str, pixels: Any, y: np.ndarray) -> Iterator[Finding]:
    """Even against odd digits: averaged kernel perceptron, Gaussian kernel; `pixels` are in [0, 1]."""
    if file != FILE:
        return
    odd = y.astype(int) % 2
    X = np.ascontiguousarray(pixels, np.float32)
    model = KernelPerceptron(gamma=GAMMA, keep="average", random_state=0)
    seconds = fit_seconds(model, X[:ROWS], odd[:ROWS])
    error = float((model.predict(X[-TEST:]) != odd[-TEST:]).mean())
    result = f"test error {error:.2%}, {len(model.support_):,} support vectors, {model.status_}"
    yield Finding("KernelPerceptron", f"at most {MAX_ERROR:.1%}", result, seconds, error <= MAX_ERROR)
