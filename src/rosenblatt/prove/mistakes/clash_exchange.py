"""Make a clash cheaper by exchanging one row at a time, in floats and without proof.

A clash is a vertex of sum lambda_i a_i = 0, sum lambda_i = 1, lambda >= 0. A linear program minimises sum z_i lambda_i
over the vertices, but what counts is the sum of the prices z_i of the rows of the vertex. If a row enters a vertex, the
ratio test of the simplex method says which row leaves. The exchange with the largest gain is made, until none has a
gain.
"""

import numpy as np

from ...foundation.types import Floats, Places
from ..time_limit import Clock

MAX_PRODUCTS = 4_000_000  # of numbers in a step, which then takes a few milliseconds
MAX_EXCHANGES = 60
MIN_STEP = 1e-9  # of a row that may leave
MIN_SHARE = 1e-9  # smaller multipliers are rounding errors
MAX_RESIDUAL = 1e-9  # of a row in the span of the clash


def exchange_rows(floats: Floats, clash: list[int], prices: Floats, clock: Clock) -> list[int]:
    """The rows of a clash whose prices add up to less, or of the same clash.

    >>> rows = np.array([[1.0], [-1.0], [2.0]])
    >>> exchange_rows(rows, [0, 1], np.array([1.0, 1.0, 0.5]), Clock(None))
    [2, 1]
    """
    tried, clash = _rows_to_try(prices, floats.shape[1]), list(clash)
    entering = _with_ones(floats[tried])
    for _ in range(MAX_EXCHANGES):
        basis = _with_ones(floats[clash])
        inverse = np.linalg.pinv(basis)
        shares, steps = inverse[:, -1], inverse @ entering
        ratios = np.where(steps > MIN_STEP, shares[:, None], np.inf) / np.maximum(steps, MIN_STEP)
        leaving = ratios.argmin(axis=0)
        gains = prices[clash][leaving] - prices[tried]
        gains[np.isin(tried, clash)] = 0.0
        if len(clash) < len(basis):
            gains[np.abs(basis @ steps - entering).max(axis=0) > MAX_RESIDUAL] = 0.0
        best = int(gains.argmax())
        if gains[best] <= 0.0 or not clock.seconds_left():
            break
        clash[leaving[best]] = int(tried[best])
    shares = np.linalg.pinv(_with_ones(floats[clash]))[:, -1]
    return [row for row, share in zip(clash, shares.tolist(), strict=True) if share > MIN_SHARE]


def _with_ones(rows: Floats) -> Floats:
    """The rows as columns, with a last coordinate of 1 for the sum of the multipliers."""
    return np.vstack([rows.T, np.ones(len(rows))])


def _rows_to_try(prices: Floats, columns: int) -> Places:
    """The cheapest rows, as many as a step can try."""
    most = MAX_PRODUCTS // (columns + 1) ** 2 + 1
    return np.arange(len(prices)) if len(prices) <= most else np.argpartition(prices, most)[:most]
