"""Bounded weights in plain Python: short steps along the gradient, each followed by a projection into the bounds."""

from .elastic_net import STEPS, _margin, _push
from .weights import Row


def bounded_plane(X: list[Row], y: list[int], C: float, low: float, high: float, loss: str = "logistic") -> Row:
    """The plane with C sum_i loss_i + 1/2 ||w||^2 least and low <= w_j <= high, after many steps. Its offset is last.

    >>> rows, labels = [[0.0, 1.0], [1.0, 0.0], [2.0, -1.0], [3.0, 0.0]], [-1, -1, 1, 1]
    >>> [round(value, 3) + 0.0 for value in bounded_plane(rows, labels, C=1.0, low=0.0, high=10.0)]
    [0.958, 0.0, -1.437]
    """
    most = {"logistic": 0.25, "squared-hinge": 2.0}[loss]
    size = 1 / (C * most * sum(1 + sum(v * v for v in x) for x in X) + 1)
    plane = [min(max(0.0, low), high) for _ in X[0]] + [0.0]
    for _ in range(STEPS):
        gradient = [*plane[:-1], 0.0]
        for x, label in zip(X, y, strict=True):
            push = C * label * _push(loss, _margin(x, label, plane))
            gradient = [slope - push * value for slope, value in zip(gradient, [*x, 1.0], strict=True)]
        plane = [value - size * slope for value, slope in zip(plane, gradient, strict=True)]
        plane[:-1] = [min(max(value, low), high) for value in plane[:-1]]
    return plane
