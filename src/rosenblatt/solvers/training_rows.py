"""Labelled rows to train on to the optimum, wherever they are: in memory, or in blocks that other processes hold."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from ..engine.class_problems import ClassProblem
from ..foundation.types import Floats
from .objective import Objective
from .optimum import Optimum

Planes = tuple[Floats, Floats]  # coef and intercept


class TrainingRows(ABC):
    """Rows whose classes are numbered 0 .. classes-1, as training to the optimum sees them."""

    classes: int

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def columns(self) -> int:
        """The number of columns."""

    @abstractmethod
    def problems(self, joint: bool) -> Iterator[ClassProblem]:
        """The problems to solve: one for two classes or joint classes, else one for each class."""

    @abstractmethod
    def find_optimum(self, problem: ClassProblem, objective: Objective, **options: Any) -> Optimum:
        """The optimum of one problem. The options are those of `optimum.find_optimum`."""

    @abstractmethod
    def class_shares(self) -> Floats:
        """The share of each class in the weight of all rows."""

    @abstractmethod
    def count_mistakes(self, planes: Planes) -> int:
        """How many rows these planes misclassify."""

    @abstractmethod
    def objective_value(self, objective: Objective, joint: bool, planes: Planes) -> float:
        """The objective of these planes."""
