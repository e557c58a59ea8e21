"""The elastic net in plain Python: the objective, and the weights that short steps along the gradient reach.

    C sum_i s_i loss_i + r ||w||_1 + (1 - r) / 2 ||w||^2

After each step along the gradient of the smooth part every weight moves towards 0 by r times the step, and stays at 0
where that is less far: proximal gradient descent. The last number of a plane is its offset, which is free.
"""

from math import exp, log1p

from .weights import Row

STEPS = 20000


def elastic_net_objective(
    X: list[Row], y: list[int], plane: Row, C: float, r: float, loss: str = "logistic", weights: Row | None = None
) -> float:
    """The objective of a plane, for labels y of -1 and 1.

    >>> round(elastic_net_objective([[1.0], [3.0]], [-1, 1], [2.0, -4.0], C=1.0, r=0.5), 6)
    2.253856
    """
    weights = weights or [1.0] * len(X)
    losses = sum(s * _loss(loss, _margin(x, label, plane)) for x, label, s in zip(X, y, weights, strict=True))
    w = plane[:-1]
    return C * losses + r * sum(map(abs, w)) + (1 - r) / 2 * sum(value * value for value in w)


def elastic_net_plane(
    X: list[Row],
    y: list[int],
    C: float,
    r: float,
    loss: str = "logistic",
    weights: Row | None = None,
) -> Row:
    """The plane after many steps from 0.

    >>> plane = elastic_net_plane([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [-1, -1, 1, 1], C=1.0, r=1.0)
    >>> round(plane[0], 3), plane[1]
    (0.908, 0.0)
    """
    weights = weights or [1.0] * len(X)
    most = {"logistic": 0.25, "squared-hinge": 2.0}[loss]
    size = 1 / (C * most * sum(s * (1 + sum(v * v for v in x)) for x, s in zip(X, weights, strict=True)) + 1)
    plane = [0.0] * (len(X[0]) + 1)
    for _ in range(STEPS):
        gradient = [(1 - r) * value for value in plane[:-1]] + [0.0]
        for x, label, s in zip(X, y, weights, strict=True):
            push = C * s * label * _push(loss, _margin(x, label, plane))
            for j, value in enumerate([*x, 1.0]):
                gradient[j] -= push * value
        plane = [value - size * slope for value, slope in zip(plane, gradient, strict=True)]
        plane[:-1] = [_towards_zero(value, size * r) for value in plane[:-1]]
    return plane


def _margin(x: Row, label: int, plane: Row) -> float:
    return label * (sum(v * w for v, w in zip(x, plane[:-1], strict=True)) + plane[-1])


def _loss(loss: str, m: float) -> float:
    if loss == "squared-hinge":
        return max(0.0, 1 - m) ** 2
    return log1p(exp(-abs(m))) + max(0.0, -m)


def _push(loss: str, m: float) -> float:
    if loss == "squared-hinge":
        return 2 * max(0.0, 1 - m)
    return 1 / (1 + exp(m)) if m < 700 else 0.0


def _towards_zero(value: float, by: float) -> float:
    return value - by if value > by else value + by if value < -by else 0.0
