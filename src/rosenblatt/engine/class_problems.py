"""From class numbers to training problems: one for two classes or joint classes, else one for each class.

Rows that may have several labels come as truth values, a line a row and a column a label: each label is a problem.

This is the only place that decides which labels a problem has and which planes it trains.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ..foundation.labels import CODE
from ..foundation.types import Codes, Floats
from ..parts.recipe import Recipe

Signs = npt.NDArray[np.int8]


class ClassProblem(NamedTuple):
    """The labels of one problem and the planes it trains.

    Either `signs` are given, +1 for the class number `positive` and -1 for all others, or the `codes` of joint classes.
    """

    planes: slice
    positive: int | None
    signs: Signs | None
    codes: Codes | None

    @property
    def plane_count(self) -> int:
        return int(self.planes.stop - self.planes.start)

    def relabel(self, codes: Codes) -> "ClassProblem":
        """The same problem for other rows."""
        if self.positive is None:
            return self._replace(codes=codes)
        return self._replace(signs=signs_of(codes, self.positive))

    def every(self, step: int) -> "ClassProblem":
        """The same problem for every step-th row."""
        signs = None if self.signs is None else np.ascontiguousarray(self.signs[::step])
        codes = None if self.codes is None else np.ascontiguousarray(self.codes[::step])
        return self._replace(signs=signs, codes=codes)

    def native(self, rows: _core.Rows, weights: Floats | None, recipe: Recipe, threads: int) -> _core.Problem:
        """The problem as the core takes it."""
        return _core.Problem(rows, self.signs, self.codes, weights, recipe.native(), threads)


def class_problems(codes: npt.NDArray[Any], classes: int, joint: bool) -> Iterator[ClassProblem]:
    """The problems of so many classes. Labels are made one problem at a time, so that few are in memory.

    >>> [problem.signs.tolist() for problem in class_problems(np.array([0, 2, 1], np.int32), 3, joint=False)]
    [[1, -1, -1], [-1, -1, 1], [-1, 1, -1]]
    >>> [problem.signs.tolist() for problem in class_problems(np.array([[True, False], [True, True]]), 2, joint=False)]
    [[1, 1], [-1, 1]]
    """
    if codes.ndim == 2:
        for k in range(classes):
            yield ClassProblem(slice(k, k + 1), k, signs_of(codes[:, k], True), None)
    elif classes == 2 or (joint and classes > 2):
        yield whole_problem(codes, classes)
    else:
        for k in range(classes):
            yield ClassProblem(slice(k, k + 1), k, signs_of(codes, k), None)


def whole_problem(codes: Codes, classes: int) -> ClassProblem:
    """All classes as one problem: one plane for two classes, whose positive side is class 1, joint planes for more."""
    if classes == 2:
        return ClassProblem(slice(0, 1), 1, signs_of(codes, 1), None)
    return ClassProblem(slice(0, classes), None, None, codes)


def signs_of(codes: npt.NDArray[Any], positive: int) -> Signs:
    """+1 for rows of the class number `positive`, -1 for all others."""
    if codes.dtype is CODE and codes.flags.c_contiguous:
        return _core.signs_of(codes, positive)
    signs: Signs = 2 * (codes == positive).view(np.int8) - np.int8(1)
    return signs
