"""The weights that a fit starts from with `warm_start=True`: those of the fit before."""

from typing import Any

import numpy as np

from ..foundation.types import Floats, Labels
from ..parts.parameter_checks import check_bool
from .encoded_tables import refuse_encoding


def start_of(model: Any, columns: int, classes: Labels, label_form: str | None = None) -> tuple[Floats, Floats] | None:
    """The planes of the fit before; None for weights of 0. They must be those of the same columns and classes."""
    learned = model.__dict__.get("_learned")
    if not check_bool("warm_start", model.warm_start) or learned is None:
        return None
    refuse_encoding(model, "warm_start=True", "which needs the columns of the fit before")
    model._same_features("a warm start")
    same_classes = learned.label_form == label_form and np.array_equal(classes, model.classes_)
    if columns != model.n_features_in_ or not same_classes:
        raise ValueError(
            "warm_start needs the columns and classes of the model it starts from; set warm_start=False to begin anew."
        )
    return learned.coef, learned.intercept
