"""Firth's bias reduction in plain Python: Jeffreys' penalty of a logistic regression of two or more classes.

Class 0 has the weights 0, each other class a plane. Row i with the constant 1 appended is x_i, its weight is s_i, and
p_ia is the probability of class a >= 1. The information A has a block sum_i s_i (p_ia [a = b] - p_ia p_ib) x_i x_i^T
for each pair of classes. The objective is the sum of the losses plus 1/2 log(det A(0) / det A(w)).
"""

from math import exp, log

from .weights import Row

Matrix = list[Row]


def jeffreys_objective(X: Matrix, y: list[int], planes: Matrix, weights: Row | None = None) -> float:
    """The objective of these planes, whose last number is the offset; `y` are the numbers of the classes.

    >>> round(jeffreys_objective([[1], [2], [3], [4]], [0, 0, 1, 1], [[1.30990297, -3.27475741]]), 9)
    1.671467982
    """
    weights = weights or [1.0] * len(X)
    loss = -sum(s * log(_chances(x, planes)[k]) for x, k, s in zip(X, y, weights, strict=True))
    zero = [[0.0] * len(plane) for plane in planes]
    return loss + 0.5 * (
        _log_determinant(_information(X, zero, weights)) - _log_determinant(_information(X, planes, weights))
    )


def modified_score(X: Matrix, y: list[int], planes: Matrix, weights: Row | None = None) -> Matrix:
    """The score that Firth sets to 0: minus the derivatives of the objective by the planes.

    >>> score = modified_score([[1], [2], [3], [4]], [0, 0, 1, 1], [[1.30990297, -3.27475741]])
    >>> max(abs(value) for plane in score for value in plane) < 1e-7
    True
    """
    weights, classes, d = weights or [1.0] * len(X), range(len(planes)), len(planes[0])
    inverse = _inverse(_information(X, planes, weights))
    score = [[0.0] * d for _ in classes]
    for x, k, s in zip(X, y, weights, strict=True):
        row, p = [*x, 1.0], _chances(x, planes)[1:]
        spread = [[_form(row, inverse, a * d, b * d) for b in classes] for a in classes]
        for c in classes:
            third = sum(_third_cumulant(p, a, b, c) * spread[a][b] for a in classes for b in classes)
            pull = s * ((k == c + 1) - p[c] + 0.5 * third)
            score[c] = [value + pull * number for value, number in zip(score[c], row, strict=True)]
    return score


def _third_cumulant(p: Row, a: int, b: int, c: int) -> float:
    """The derivative of p_a [a = b] - p_a p_b by the score of class c."""
    da, db = p[a] * ((a == c) - p[c]), p[b] * ((b == c) - p[c])
    return (a == b) * da - da * p[b] - p[a] * db


def _chances(x: Row, planes: Matrix) -> Row:
    """The probabilities of all classes, class 0 first."""
    scores = [0.0, *(sum(u * v for u, v in zip([*x, 1.0], plane, strict=True)) for plane in planes)]
    odds = [exp(score - max(scores)) for score in scores]
    return [each / sum(odds) for each in odds]


def _information(X: Matrix, planes: Matrix, weights: Row) -> Matrix:
    classes, d = range(len(planes)), len(planes[0])
    A = [[0.0] * (d * len(planes)) for _ in range(d * len(planes))]
    for x, s in zip(X, weights, strict=True):
        row, p = [*x, 1.0], _chances(x, planes)[1:]
        for a in classes:
            for b in classes:
                factor = s * (p[a] * (a == b) - p[a] * p[b])
                for i in range(d):
                    for j in range(d):
                        A[a * d + i][b * d + j] += factor * row[i] * row[j]
    return A


def _form(row: Row, matrix: Matrix, top: int, left: int) -> float:
    """row^T B row, where B is the block of the matrix that begins there."""
    return sum(u * v * matrix[top + i][left + j] for i, u in enumerate(row) for j, v in enumerate(row))


def _log_determinant(A: Matrix) -> float:
    return sum(log(pivot) for pivot in _eliminate(A, [[] for _ in A])[0])


def _inverse(A: Matrix) -> Matrix:
    return _eliminate(A, [[float(i == j) for j in range(len(A))] for i in range(len(A))])[1]


def _eliminate(A: Matrix, B: Matrix) -> tuple[Row, Matrix]:
    """The pivots of a positive definite A, and A^-1 B, by elimination (Gauss and Jordan)."""
    rows, pivots = [[*a, *b] for a, b in zip(A, B, strict=True)], []
    for k in range(len(A)):
        pivots.append(rows[k][k])
        rows[k] = [value / pivots[k] for value in rows[k]]
        for i in range(len(A)):
            if i != k:
                rows[i] = [u - rows[i][k] * v for u, v in zip(rows[i], rows[k], strict=True)]
    return pivots, [row[len(A) :] for row in rows]
