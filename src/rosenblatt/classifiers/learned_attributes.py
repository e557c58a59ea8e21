"""What was learned, as scikit-learn's attributes."""

import numpy as np
import numpy.typing as npt

from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.types import Floats, History
from ..parts.stops import Status


class LearnedAttributes:
    """The attributes that end in an underscore. They are there after `fit` or `partial_fit`."""

    _learned: TrainingResult | Stream

    @property
    def coef_(self) -> Floats:
        return self._fitted("coef_").coef

    @property
    def intercept_(self) -> Floats:
        return self._fitted("intercept_").intercept

    @property
    def n_iter_(self) -> int:
        return self._fitted("n_iter_").n_iter

    @property
    def n_visits_(self) -> int:
        return self._fitted("n_visits_").n_visits

    @property
    def n_updates_(self) -> int:
        return self._fitted("n_updates_").n_updates

    @property
    def n_mistakes_(self) -> int:
        return self._fitted("n_mistakes_").n_mistakes

    @property
    def status_(self) -> Status:
        return self._fitted("status_").status

    @property
    def history_(self) -> History:
        return self._fitted("history_").history

    @property
    def trace_(self) -> History:
        trace = self._fitted("trace_").trace
        if trace is None:
            raise AttributeError("there is no trace_: call fit(X, y, trace=True) to keep one.")
        return trace

    @property
    def multi_class_(self) -> str:
        joint = getattr(self._fitted("multi_class_"), "joint", None)
        if joint is None:  # a model of an older version, which had no "auto"
            return str(getattr(self, "multi_class", "ovr"))
        return "joint" if joint else "ovr"

    def _fitted(self, name: str) -> TrainingResult | Stream:
        learned: TrainingResult | Stream | None = self.__dict__.get("_learned")
        if learned is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return learned


class StepsInArray:
    """`n_iter_` as scikit-learn's logistic regression has it: an array, of one number here."""

    @property
    def n_iter_(self) -> npt.NDArray[np.int32]:
        steps: int = super().n_iter_  # type: ignore[misc]  # of the classifier that this class is mixed into
        return np.array([steps], np.int32)
