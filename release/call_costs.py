"""What one call into the core costs, to compare builds of the module: `python release/call_costs.py`."""

import time
from collections.abc import Callable

import numpy as np

from rosenblatt import Perceptron, _core

REPEATS = 15


def least_microseconds(call: Callable[[], object], calls: int) -> float:
    """Processor time of one call, the least of fifteen means."""
    means = []
    for _ in range(REPEATS):
        began = time.process_time()
        for _ in range(calls):
            call()
        means.append((time.process_time() - began) / calls)
    return min(means) * 1e6


def main() -> None:
    """Print the times."""
    X = np.random.default_rng(0).normal(size=(400, 20))
    y = (X[:, 0] > 0).astype(int)
    fitted, online = Perceptron().fit(X, y), Perceptron().partial_fit(X, y, classes=[0, 1])
    print(_core.__file__)
    print(f"predict, one row      {least_microseconds(lambda: fitted.predict(X[:1]), 300):.1f} us")
    print(f"partial_fit, one row  {least_microseconds(lambda: online.partial_fit(X[:1], y[:1]), 300):.1f} us")
    print(f"an empty call         {least_microseconds(_core.target, 3000):.3f} us")


if __name__ == "__main__":
    main()
