"""What was learned, as scikit-learn's attributes, and what can be asked of it."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from ..distributed.dask_rows import in_memory
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.label_sets import LISTS, rows_named_alike
from ..foundation.types import Floats, History, Labels
from ..parts.features import IDENTITY, Features
from ..parts.stops import Status
from .calibration.calibration import Calibration


class LearnedAttributes:
    """The attributes that end in an underscore. They are there after `fit` or `partial_fit`."""

    n_features_in_: int
    _learned: TrainingResult | Stream
    _features: Features

    def _adopt(
        self,
        learned: TrainingResult | Stream,
        classes: Labels,
        columns: int,
        names: Any,
        features: Features = IDENTITY,
        calibration: Calibration | None = None,
        encoder: Any = None,
    ) -> None:
        """The one place where a model changes, in one step: other threads see the old model or the new one.

        With an encoder the columns that users know are those of its table.
        """
        if encoder is not None:
            columns, names = encoder.n_features_in_, vars(encoder).get("feature_names_in_")
        if names is None:
            self.__dict__.pop("feature_names_in_", None)
        new: dict[str, Any] = {"_learned": learned, "_calibration": calibration, "_features": features}
        new |= {"classes_": classes, "n_features_in_": columns, "_encoder": encoder}
        self.__dict__.update(new if names is None else {**new, "feature_names_in_": names})

    @property
    def coef_(self) -> Floats:
        return self._plane("coef_").coef

    @property
    def intercept_(self) -> Floats:
        return self._plane("intercept_").intercept

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
        if self.multilabel_:
            return "ovr"
        joint = getattr(self._fitted("multi_class_"), "joint", None)
        if joint is None:  # a model of an older version, which had no "auto"
            return str(getattr(self, "multi_class", "ovr"))
        return "joint" if joint else "ovr"

    @property
    def multilabel_(self) -> bool:
        return self._fitted("multilabel_").label_form is not None

    def _plane(self, name: str) -> TrainingResult | Stream:
        """What was learned, if it is one plane a class."""
        learned = self._fitted(name)
        if learned.vote is not None:
            raise AttributeError(
                f"{type(self).__name__} has no {name}, because it is the vote of many planes: see vote_, or choose "
                "AveragedPerceptron."
            )
        return learned

    def _fitted(self, name: str) -> TrainingResult | Stream:
        learned: TrainingResult | Stream | None = self.__dict__.get("_learned")
        if learned is None:
            raise AttributeError(f"{type(self).__name__} has no {name} before fit.")
        return learned

    def distance_from_best(self, X: Any, y: Any, time_limit: float | None = 10.0) -> Any:
        """How many more mistakes this model makes on some rows than the best hyperplane, with a proof.

        `minimum_mistakes` bounds what any hyperplane can do; its `time_limit` is given in seconds. The answer has
        `mistakes` of the model, `best`, and the difference: `at_most`, `at_least`. Weights of rows are not looked at:
        every mistake counts as one. With three classes or more, each against the rest: a dict of one answer for each.

        >>> from rosenblatt import PocketPerceptron
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
        >>> print(PocketPerceptron(random_state=0).fit(X, y).distance_from_best(X, y))
        1 mistake in 4 rows: no hyperplane makes fewer
        """
        from ..prove.mistakes.distance_from_best import distance_from_best

        return distance_from_best(self, X, y, time_limit)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows whose class is predicted correctly, by their weights if there are any.

        Where rows may have several labels, all labels of a row must be predicted correctly, and no other. Collections
        of Dask are computed: one label a row comes to this machine.
        """
        from sklearn.metrics import accuracy_score

        predicted = in_memory(self.predict(X))  # type: ignore[attr-defined]  # of the classifier
        if self._learned.label_form == LISTS:
            y, predicted = np.ones(len(predicted)), rows_named_alike(y, predicted)
        return float(accuracy_score(in_memory(y), predicted, sample_weight=in_memory(sample_weight)))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """The names of the columns of `coef_`: those of X, or the terms that `features` makes.

        Columns without names are called x1, x2, and so on; `input_features` gives them others.
        """
        check_is_fitted(self)
        encoder = self.__dict__.get("_encoder")
        if encoder is not None:
            encoded = encoder.get_feature_names_out(input_features)
            return np.array(self._features.named(len(encoded), encoded.tolist()), dtype=object)
        names = self.__dict__.get("feature_names_in_") if input_features is None else input_features
        if names is not None and len(names) != self.n_features_in_:
            raise ValueError(f"input_features must have {self.n_features_in_} names, not {len(names)}.")
        return np.array(self._features.named(self.n_features_in_, names), dtype=object)


class StepsInArray:
    """`n_iter_` as scikit-learn's logistic regression has it: an array, of one number here."""

    @property
    def n_iter_(self) -> npt.NDArray[np.int32]:
        steps: int = super().n_iter_  # type: ignore[misc]  # of the classifier that this class is mixed into
        return np.array([steps], np.int32)
