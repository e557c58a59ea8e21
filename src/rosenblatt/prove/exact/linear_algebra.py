"""Exact linear algebra with integers and fractions of any size, by flint.

Vectors are lists of Python integers. Signs of margins and linear dependence do not change when a row is multiplied by
a positive number, so every row can be an integer vector without a common factor.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat, fmpz_mat, nmod_mat

from ..time_limit import Clock

IntVector = list[int]
PRIME = 2_147_483_647  # 2^31 - 1


class PositiveDependence(NamedTuple):
    """Rows with positive multipliers such that the multiplied rows sum to 0."""

    rows: list[int]
    multipliers: list[Fraction]


def primitive_vector(values: Sequence[int | Fraction]) -> IntVector:
    """The shortest integer vector in the same direction.

    >>> primitive_vector([Fraction(1, 2), Fraction(-3, 4), 0])
    [2, -3, 0]
    """
    common = lcm(*(value.denominator for value in values))
    whole = [int(value * common) for value in values]
    factor = gcd(*whole)
    return [value // factor for value in whole] if factor > 1 else whole


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """
    >>> dot([1, 2, 3], [4, 5, 6])
    32
    """
    return sum(a * b for a, b in zip(left, right, strict=True) if a and b)


def weighted_sum(factors: Sequence[Fraction], rows: Sequence[IntVector]) -> IntVector:
    """An integer multiple of sum factors_i rows_i.

    >>> weighted_sum([Fraction(1, 2), Fraction(1, 3)], [[2, 0], [3, 6]])
    [12, 12]
    """
    if not rows:
        return []
    common = lcm(*(factor.denominator for factor in factors))
    [total] = matrix_product([[int(factor * common) for factor in factors]], rows)
    return total


def matrix_product(rows: Sequence[IntVector], matrix: Sequence[IntVector]) -> list[IntVector]:
    """
    >>> matrix_product([[1, 2]], [[3, 4], [5, 6]])
    [[13, 16]]
    """
    return [[int(value) for value in row] for row in (fmpz_mat(rows) * fmpz_mat(matrix)).tolist()]


def to_fraction(value: Any) -> Fraction:
    """Convert a number of flint to a fraction of Python."""
    value = fmpq(value)
    return Fraction(int(value.p), int(value.q))


def null_space(rows: Sequence[IntVector], columns: int) -> list[IntVector]:
    """A basis of all w with row.w = 0 for every row.

    >>> null_space([[1, 2, 3]], 3)
    [[2, -1, 0], [3, 0, -1]]
    >>> null_space([], 2)
    [[1, 0], [0, 1]]
    """
    if not rows:
        return [[int(i == j) for j in range(columns)] for i in range(columns)]
    matrix, count = fmpz_mat(rows).nullspace()
    vectors = matrix.transpose().tolist()[: int(count)]
    return [primitive_vector([int(value) for value in vector]) for vector in vectors]


def rank(rows: Sequence[IntVector]) -> int:
    """
    >>> rank([[1, 2], [2, 4]]), rank([])
    (1, 0)
    """
    return int(fmpz_mat(rows).rank())


def solve_combination(vectors: Sequence[IntVector], target: IntVector) -> list[Fraction] | None:
    """Numbers c with sum c_j vectors_j = target, 0 outside a basis of the vectors; None if there are none.

    >>> solve_combination([[1, 0], [2, 0], [0, 4]], [3, 2])
    [Fraction(3, 1), Fraction(0, 1), Fraction(1, 2)]
    >>> solve_combination([[1, 0]], [0, 1]) is None
    True
    """
    basis = independent_rows(vectors)
    parts = solve_independent([vectors[place] for place in basis], target)
    if parts is None:
        return _solve_by_elimination(vectors, target)
    answer = [Fraction(0)] * len(vectors)
    for place, part in zip(basis, parts, strict=True):
        answer[place] = part
    return answer


def _solve_by_elimination(vectors: Sequence[IntVector], target: IntVector) -> list[Fraction] | None:
    """Solve by exact elimination: slower than modulo a prime, but it proves that there is no solution."""
    count = len(vectors)
    matrix, found = fmpq_mat(fmpz_mat([*vectors, target]).transpose()).rref()
    answer = [Fraction(0)] * count
    for row in range(int(found)):
        pivot = next(column for column in range(count + 1) if matrix[row, column] != 0)
        if pivot == count:
            return None
        answer[pivot] = to_fraction(matrix[row, count])
    return answer


def independent_rows(rows: Sequence[IntVector]) -> list[int]:
    """Rows that are independent modulo a large prime, and hence independent; in rare cases not as many as possible.

    >>> independent_rows([[1, 2], [2, 4], [0, 3]])
    [0, 2]
    """
    return _pivots(fmpz_mat(rows).transpose())


def solve_independent(vectors: Sequence[IntVector], target: IntVector) -> list[Fraction] | None:
    """Solve sum c_j vectors_j = target for independent vectors; None if there is no solution.

    >>> solve_independent([[1, 0, 1], [0, 2, 2]], [3, 1, 4])
    [Fraction(3, 1), Fraction(1, 2)]
    >>> solve_independent([[1, 0, 1], [0, 2, 2]], [3, 1, 5]) is None
    True
    """
    if not vectors:
        return None if any(target) else []
    places = _pivots(fmpz_mat(vectors))
    if len(places) < len(vectors):
        return None
    square = fmpz_mat([[vector[place] for vector in vectors] for place in places])
    parts = [to_fraction(part) for part in square.solve(fmpz_mat([[target[place]] for place in places])).entries()]
    common = lcm(*(part.denominator for part in parts))
    return parts if weighted_sum(parts, vectors) == [common * value for value in target] else None


def in_span(vectors: Sequence[IntVector], targets: Sequence[IntVector]) -> list[bool]:
    """Whether each target is a combination of the vectors. True is proved; False may also mean an unlucky prime.

    >>> in_span([[1, 0, 1], [0, 2, 2], [1, 2, 3]], [[3, 1, 4], [3, 1, 5]])
    [True, False]
    """
    if not targets or not vectors:
        return [not any(target) for target in targets]
    basis = [vectors[place] for place in independent_rows(vectors)]
    places = _pivots(fmpz_mat(basis))
    square = fmpz_mat([[vector[place] for vector in basis] for place in places])
    parts: Any = square.solve(fmpz_mat([[target[place] for target in targets] for place in places]))
    whole, common = parts.transpose().numer_denom()
    sums = (whole * fmpz_mat(basis)).tolist()
    return [
        all(value == common * wanted for value, wanted in zip(total, target, strict=True))
        for total, target in zip(sums, targets, strict=True)
    ]


def orthogonal_completion(basis: Sequence[IntVector], w: IntVector) -> IntVector | None:
    """A multiple above 0 of a vector that is orthogonal to independent vectors and equals w outside their pivots.

    >>> orthogonal_completion([[2, 1, 1]], [5, 1, 2])
    [-3, 2, 4]
    >>> orthogonal_completion([[1, 0], [0, 1]], [5, 2]) is None
    True
    """
    if not basis:
        return w
    places = _pivots(fmpz_mat(basis))
    if len(places) < len(basis):
        return None
    free = list(w)
    for place in places:
        free[place] = 0
    square = fmpz_mat([[vector[place] for place in places] for vector in basis])
    parts = square.solve(fmpz_mat([[-dot(vector, free)] for vector in basis])).entries()
    answer: list[int | Fraction] = list(free)
    for place, part in zip(places, parts, strict=True):
        answer[place] = to_fraction(part)
    return primitive_vector(answer) if any(answer) else None


def _pivots(matrix: Any) -> list[int]:
    """The pivot columns of an integer matrix modulo a prime."""
    reduced, found = nmod_mat(matrix, PRIME).rref()
    pivots, column = [], 0
    for row in range(found):
        while int(reduced[row, column]) == 0:
            column += 1
        pivots.append(column)
    return pivots


def find_dependence(rows: Sequence[IntVector], wanted: Sequence[int]) -> PositiveDependence | None:
    """The positive dependence of the wanted rows, if it is their only dependence; otherwise None.

    >>> find_dependence([[1, 0], [0, 1], [-2, -1]], [0, 1, 2])
    PositiveDependence(rows=[0, 1, 2], multipliers=[Fraction(2, 1), Fraction(1, 1), Fraction(1, 1)])
    >>> find_dependence([[1, 0], [0, 1], [2, 1]], [0, 1, 2]) is None
    True
    """
    if not wanted:
        return None
    matrix, count = fmpz_mat([rows[row] for row in wanted]).transpose().nullspace()
    if int(count) != 1:
        return None
    numbers = [int(matrix[i, 0]) for i in range(len(wanted))]
    if max(numbers) <= 0:
        numbers = [-number for number in numbers]
    if min(numbers) < 0:
        return None
    pairs = [(row, Fraction(number)) for row, number in zip(wanted, numbers, strict=True) if number]
    return PositiveDependence([row for row, _ in pairs], [number for _, number in pairs])


def solve_gordan_exactly(rows: Sequence[IntVector], clock: Clock) -> IntVector | PositiveDependence:
    """Gordan's alternative in exact arithmetic: w with row.w > 0 for every row, or a positive dependence of rows.

    The first phase of the simplex method looks for multipliers >= 0 with sum 1 such that the multiplied rows sum to 0.
    If there are none, its prices are w. The row with the largest reduced cost enters the basis. Ties of the leaving row
    are broken lexicographically, so that no basis repeats and the method ends.

    >>> solve_gordan_exactly([[1, 0], [1, 1]], Clock(None))
    [1, 0]
    >>> solve_gordan_exactly([[1], [-2]], Clock(None))
    PositiveDependence(rows=[0, 1], multipliers=[Fraction(1, 4), Fraction(1, 8)])
    """
    columns = independent_columns(rows)
    sizes = [1 << max(abs(value) for value in row).bit_length() for row in rows]
    scaled = [
        [fmpq(row[column], size) for column in columns] + [fmpq(1)] for row, size in zip(rows, sizes, strict=True)
    ]
    answer = _run_first_phase(fmpq_mat(scaled), clock)
    if isinstance(answer, PositiveDependence):
        return PositiveDependence(answer.rows, [m / sizes[row] for row, m in zip(*answer, strict=True)])
    w = [Fraction(0)] * len(rows[0])
    for column, price in zip(columns, answer, strict=True):
        w[column] = -price
    return primitive_vector(w)


def independent_columns(rows: Sequence[IntVector]) -> list[int]:
    """Columns that span all columns. A w can be 0 in the others.

    >>> independent_columns([[1, 2, 0], [1, 2, 1]])
    [0, 2]
    """
    matrix, _, found = fmpz_mat(rows).rref()
    width = len(rows[0])
    return [next(column for column in range(width) if matrix[row, column] != 0) for row in range(int(found))]


def _run_first_phase(matrix: Any, clock: Clock) -> list[Fraction] | PositiveDependence:
    """Prices, without the price of the sum, or a positive dependence. Artificial rows of the basis are below 0."""
    size = matrix.ncols()
    basis = [row - size for row in range(size)]
    inverse = fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    while True:
        clock.check()
        if not any(inverse[place, size - 1] != 0 for place in range(size) if basis[place] < 0):
            return _dependence_of_basis(basis, inverse)
        prices = fmpq_mat([[int(number < 0) for number in basis]]) * inverse
        reduced = (matrix * prices.transpose()).entries()
        entering = max(range(len(reduced)), key=reduced.__getitem__)
        if reduced[entering] <= 0:
            return [to_fraction(prices[0, column]) for column in range(size - 1)]
        step = inverse * fmpq_mat([[matrix[entering, column]] for column in range(size)])
        place = _choose_leaving(inverse, step)
        inverse = _pivot(inverse, step, place)
        basis[place] = entering


def _choose_leaving(inverse: Any, step: Any) -> int:
    """The place of the first basic number that falls to 0. Ties go to the lexicographically least row."""
    last = inverse.ncols() - 1
    falling = [place for place in range(last + 1) if step[place, 0] > 0]
    for column in (last, *range(last)):
        ratios = [inverse[place, column] / step[place, 0] for place in falling]
        least = min(ratios)
        falling = [place for place, ratio in zip(falling, ratios, strict=True) if ratio == least]
    return falling[0]


def _pivot(inverse: Any, step: Any, place: int) -> Any:
    size = inverse.nrows()
    change = fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    for row in range(size):
        change[row, place] = 1 / step[place, 0] if row == place else -step[row, 0] / step[place, 0]
    return change * inverse


def _dependence_of_basis(basis: list[int], inverse: Any) -> PositiveDependence:
    last = len(basis) - 1
    found = sorted((row, to_fraction(inverse[place, last])) for place, row in enumerate(basis) if row >= 0)
    kept = [(row, number) for row, number in found if number]
    return PositiveDependence([row for row, _ in kept], [number for _, number in kept])
