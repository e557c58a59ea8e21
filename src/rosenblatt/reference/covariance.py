"""The covariance S of second-order learners: how well each weight is known."""

from dataclasses import dataclass

Row = list[float]


@dataclass
class Diagonal:
    """A variance for each weight: 1 / S_jj grows by x_j^2 / r.

    >>> S = Diagonal([1.0, 1.0])
    >>> S.learn([2.0, 0.0], 4.0, 1.0)
    >>> S.times([1.0, 1.0])
    [0.2, 1.0]
    """

    variances: Row

    def times(self, x: Row) -> Row:
        return [s * a for s, a in zip(self.variances, x, strict=True)]

    def learn(self, x: Row, variance: float, r: float) -> None:
        self.variances = [s / (1 + s * a * a / r) for s, a in zip(self.variances, x, strict=True)]


@dataclass
class Full:
    """A covariance matrix: its inverse grows by x x^T / r where the variance is x.Sx.

    >>> S = Full([[1.0, 0.0], [0.0, 1.0]])
    >>> S.learn([1.0, 1.0], 2.0, 1.0)
    >>> [round(s, 3) for s in S.times([3.0, 0.0])]
    [2.0, -1.0]
    """

    rows: list[Row]

    def times(self, x: Row) -> Row:
        return [sum(s * a for s, a in zip(row, x, strict=True)) for row in self.rows]

    def learn(self, x: Row, variance: float, r: float) -> None:
        along = self.times(x)
        self.rows = [
            [s - a * b / (variance + r) for s, b in zip(row, along, strict=True)]
            for row, a in zip(self.rows, along, strict=True)
        ]


def covariances(step: str, planes: int, size: int) -> list[Diagonal] | list[Full]:
    """One for each plane, the identity at first; none for a first-order step."""
    if step == "full":
        return [Full([[float(i == j) for j in range(size)] for i in range(size)]) for _ in range(planes)]
    return [Diagonal([1.0] * size) for _ in range(planes)] if step == "diagonal" else []
