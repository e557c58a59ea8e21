"""A trained model as a value: its classifier, weights, classes and encoder, and how it scores rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from ..classifiers.calibration.calibration import Calibration
from ..engine.result import TrainingResult
from ..engine.stream import Stream
from ..foundation.errors import InputError
from ..foundation.threads import thread_count
from ..foundation.types import Floats
from ..parts.features import Features, as_features
from ..parts.kernels import PRECOMPUTED

if TYPE_CHECKING:
    from ..tables.encode.encoded_rows import EncodedRows
    from ..tables.encode.encoder import Encoder
    from ..tables.read.batches import Batch
    from .pipeline_steps import Steps


@dataclass(frozen=True)
class Model:
    """A classifier's class name, parameters and weights, its classes, and the names of its columns.

    `about` is any JSON about its training; a model of a table keeps the name of the target there. Such a model also has
    the `encoder` that turns tables into rows. A `calibration` turns scores into probabilities.
    """

    class_name: str
    parameters: Mapping[str, Any]
    classes: npt.NDArray[Any]
    columns: list[str] | None
    learned: TrainingResult | Stream
    about: Mapping[str, Any] = field(default_factory=dict)
    inputs: int | None = None  # columns of a row; None if each has one weight
    encoder: "Encoder | None" = None
    steps: "Steps | None" = None  # of a scikit-learn pipeline, before the classifier
    calibration: Calibration | None = None  # of a classifier whose scores are no log odds

    @property
    def features(self) -> Features:
        """The features that rows are lifted to before they are scored."""
        return as_features(self.parameters.get("features", "identity"))

    @property
    def joint(self) -> bool:
        """Whether several classes were trained together. Models of older versions say it only by a parameter."""
        joint = self.learned.joint
        return self.parameters.get("multi_class", "ovr") == "joint" if joint is None else joint

    @property
    def plane_labels(self) -> list[Any]:
        """The class or label whose side each plane is positive on: of two classes the second."""
        labels: list[Any] = self.classes.tolist()
        return labels[1:] if len(labels) == 2 and self.learned.label_form is None else labels

    @property
    def row_columns(self) -> int:
        """The number of columns of a row, before features are applied."""
        return int(self.learned.coef.shape[1]) if self.inputs is None else self.inputs

    def scores(self, rows: _core.Rows, threads: int = 1) -> Floats:
        """w.x + b for each row: one column for two classes, else one for each class or label."""
        rows = self.features.lifted(rows)
        if self.learned.vote is not None:
            return self.learned.vote.scores(rows, threads)[0]
        return _core.scores(rows, self.learned.coef, self.learned.intercept, threads)[0]

    def scores_of(self, table: "EncodedRows", threads: int = 1) -> Floats:
        """The scores of encoded rows; a kernel model scores them by its support, if it keeps any."""
        support: Any = getattr(self.learned, "support", None)
        if support is None or support.kernel.name == PRECOMPUTED:
            return self.scores(table.rows(), threads)
        scores: Floats = support.scores(table.matrix(), self.learned.coef, self.learned.intercept, threads)
        return scores

    def table_scores(self, batch: "Batch") -> Floats:
        """The scores of a batch of a table."""
        assert self.encoder is not None
        return self.scores_of(self.encoder.encode(batch), thread_count(None))

    def refuse_several_labels(self) -> None:
        """Refuse a model that gives a row several labels, where a table has one target."""
        if self.learned.label_form is not None:
            raise InputError(
                f"this {self.class_name} has learned several labels a row, and a table has one target: load it in "
                "Python and call its predict."
            )

    def decide(self, scores: Floats) -> npt.NDArray[np.intp]:
        """The number of the class that each score decides for; of two classes, 0 decides for the second."""
        self.refuse_several_labels()
        return (scores[:, 0] >= 0).astype(np.intp) if len(self.classes) == 2 else scores.argmax(axis=1)
