"""The whole state of a learner that began with a model, as a tree for `state_file`, and back.

It is taken right after the columns were renewed, or before the first row. Then nothing is counted of the rows since the
last renewal, so that the state is a model and a few numbers. A restored learner goes on with the same bits.
"""

import json
from dataclasses import replace
from operator import methodcaller
from typing import Any

import numpy as np

from ...foundation.errors import InputError
from ...model.header import from_header, to_header
from ...model.model import Model
from ...tables.encode.columns import NumberColumn
from ...tables.encode.columns.moments import Moments
from ...tables.read.text_lines import TextSource
from .continued_model import continue_model
from .online_learner import OnlineLearner
from .progressive_accuracy import ProgressiveAccuracy

Tree = dict[str, Any]
COUNTED = ("rows", "renewal_row", "columns_full")


def model_to_tree(model: Model) -> Tree:
    """A model as a tree: its header as text, and its tensors."""
    header, tensors = to_header(model)
    return {"header": json.dumps(header, allow_nan=False, default=methodcaller("item")), "tensors": tensors}


def model_from_tree(tree: Tree) -> Model:
    return from_header(json.loads(tree["header"]), tree["tensors"])


def learner_to_tree(learner: OnlineLearner) -> Tree:
    """The state of a learner whose columns were just renewed."""
    scores, met = learner.recent.arrays()
    return {
        "model": model_to_tree(replace(learner.model(), calibration=learner.calibration)),
        **{name: getattr(learner, name) for name in COUNTED},
        "columns_read": list(learner.source.names),
        "classes": list(learner.classes.numbers),
        "counts": list(learner.classes.counts),
        "known": learner.classes.known,
        "accuracy": learner.accuracy.to_tree(),
        "recent": {"scores": scores, "met": met},
        "columns": {name: _number_state(each.observed) for name, each in learner.monitor.monitored_numbers().items()},
    }


def learner_from_tree(tree: Tree, source: TextSource) -> OnlineLearner:
    """The learner. `source` reads its rows."""
    model = model_from_tree(tree["model"])
    learner = continue_model(model, source, ProgressiveAccuracy.from_tree(tree["accuracy"]))
    for name in COUNTED:
        setattr(learner, name, tree[name])
    learner.classes.restore(tree["classes"], tree["counts"])
    learner.classes.known = tree["known"]
    if learner.classes.labels.tolist() != model.classes.tolist():
        raise InputError("The classes of a saved learner are not those of its model.")
    learner.recent.restore(tree["recent"]["scores"], tree["recent"]["met"].astype(np.intp))
    for name, each in learner.monitor.monitored_numbers().items():
        _restore_number(each.observed, tree["columns"][name])
    return learner


def _number_state(column: NumberColumn) -> Tree:
    return {"moments": list(column._moments), "low": float(column.low), "high": float(column.high), "gaps": column.gaps}


def _restore_number(column: NumberColumn, tree: Tree) -> None:
    column._moments = Moments(*tree["moments"])
    column.low, column.high, column.gaps = tree["low"], tree["high"], tree["gaps"]
