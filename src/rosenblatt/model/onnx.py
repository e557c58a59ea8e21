"""Export models to ONNX, in float64 throughout, so that scores are the same.

A classifier has one input, X. A model of a table has one input a column, each of shape (rows, 1): numbers as float64,
NaN where they are missing; categories as text, "" where they are missing. What a category adds to the scores is looked
up.
"""

from typing import Any

import numpy as np

from ..classifiers.calibration.platt import PlattCalibration
from ..foundation.errors import InputError
from ..foundation.extras import needs_extra
from ..tables.encode.columns import CategoryColumn, IndexedColumns, NumberColumn
from ..tables.read.delimited import MISSING_VALUES
from .explanation import refuse_lifted
from .model import Model

OPSET, ML_OPSET, IR = 17, 3, 8


def to_onnx(model: Any) -> Any:
    """A classifier, or a pipeline of a `TableEncoder` and a classifier, as an ONNX model.

    Outputs are `label`, `scores` (one column for two classes) and, for logistic regression and scores calibrated by
    Platt's scaling, `probabilities`; isotonic regression has no counterpart in ONNX, and its probabilities are left
    out. Texts and dates have none either and are refused. Needs the package onnx: `pip install "rosenblatt[onnx]"`.

    Parameters
    ----------
    model : a fitted classifier of rosenblatt, or what `fit` or `load` returns

    Returns
    -------
    onnx.ModelProto
        Its `SerializeToString()` is the content of an .onnx file.
    """
    from .file import model_of

    return Graph(model if isinstance(model, Model) else model_of(model, "to_onnx")).model()


class Graph:
    """Builds an ONNX graph from nodes and constants; a value is identified by its name."""

    def __init__(self, model: Model) -> None:
        refuse_lifted(model, "ONNX")
        with needs_extra("onnx", "an ONNX file"):
            import onnx
        self._onnx = onnx
        self._model = model
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []

    def model(self) -> Any:
        """The complete ONNX model."""
        outputs = self._outputs(self._scores())
        graph = self._onnx.helper.make_graph(self._nodes, "rosenblatt", self._inputs, outputs, self._constants)
        versions = [("", OPSET), ("ai.onnx.ml", ML_OPSET)]
        made = self._onnx.helper.make_model(
            graph,
            opset_imports=[self._onnx.helper.make_opsetid(*version) for version in versions],
            ir_version=IR,
            producer_name="rosenblatt",
        )
        self._onnx.checker.check_model(made)
        return made

    # Inputs

    def _scores(self) -> str:
        coef = self._model.learned.coef
        if self._model.encoder is None:
            added = self._op("MatMul", self._input("X", "DOUBLE", coef.shape[1]), self._constant(coef.T))
        else:
            added = self._table_scores(coef)
        return self._op("Add", added, self._constant(self._model.learned.intercept), name="scores")

    def _table_scores(self, coef: Any) -> str:
        encoder, first, total = self._model.encoder, 0, ""
        assert encoder is not None
        for name, part in encoder.column_encoders.items():
            weights = coef[:, first : first + part.width].T
            first += part.width
            if type(part) is NumberColumn:
                added = self._number(name, part, weights, rounded=encoder.sparse)
            elif isinstance(part, CategoryColumn):
                added = self._category(name, part, weights)
            elif isinstance(part, IndexedColumns):
                added = self._op("MatMul", self._input(name, "DOUBLE", part.width), self._constant(weights))
            else:
                raise InputError(f"ONNX has no counterpart for column {name!r}, a {part.kind}: export to JSON instead.")
            total = self._op("Add", total, added) if total else added
        return total

    def _number(self, name: str, part: NumberColumn, weights: Any, rounded: bool) -> str:
        given = self._input(name, "DOUBLE", 1)
        centred = self._op("Sub", given, self._constant(np.array([part.centre])))
        scaled = self._op("Div", centred, self._constant(np.array([part.scale])))
        if rounded:  # sparse rows hold float32
            scaled = self._op("Cast", self._op("Cast", scaled, to=self._type("FLOAT")), to=self._type("DOUBLE"))
        gap = self._op("IsNaN", given)
        filled = self._op("Where", gap, self._constant(np.array([0.0])), scaled)
        added = self._op("MatMul", filled, self._constant(weights[:1]))
        if not part.gaps:
            return added
        missing = self._op("MatMul", self._op("Cast", gap, to=self._type("DOUBLE")), self._constant(weights[1:]))
        return self._op("Add", added, missing)

    def _category(self, name: str, part: CategoryColumn, weights: Any) -> str:
        """Look up what each value adds: its weights, those of "other", or nothing."""
        rows = np.vstack([weights, np.zeros((1, weights.shape[1]))])
        places = part.places()
        numbers = dict.fromkeys(MISSING_VALUES, places.gap) | dict(zip(part.values, places.values, strict=True))
        number = self._op(
            "LabelEncoder",
            self._input(name, "STRING", 1),
            domain="ai.onnx.ml",
            keys_strings=list(numbers),
            values_int64s=[place % len(rows) for place in numbers.values()],
            default_int64=places.other % len(rows),
        )
        added = self._op("Gather", self._constant(rows), number, axis=0)  # (rows, 1, planes)
        return self._op("Squeeze", added, self._constant(np.array([1])))

    # Outputs

    def _outputs(self, scores: str) -> list[Any]:
        model, planes = self._model, self._model.learned.coef.shape[0]
        if model.learned.label_form is not None:
            return self._outputs_of_labels(scores)
        if planes == 1:
            positive = self._op("GreaterOrEqual", scores, self._constant(np.array([0.0])))
            chosen = self._op(
                "Squeeze", self._op("Cast", positive, to=self._type("INT64")), self._constant(np.array([1]))
            )
        else:
            chosen = self._op("ArgMax", scores, axis=1, keepdims=0)
        classes = model.classes.astype(object) if model.classes.dtype.kind in "UO" else model.classes
        self._op("Gather", self._constant(classes), chosen, name="label")
        kind = self._onnx.helper.np_dtype_to_tensor_dtype(
            np.dtype(object if classes.dtype == object else classes.dtype)
        )
        outputs = [self._output("label", kind, 1), self._output("scores", self._type("DOUBLE"), 2)]
        platt = model.calibration if isinstance(model.calibration, PlattCalibration) else None
        if platt is not None:
            scores = self._op("Mul", scores, self._constant(np.array([platt.slope])))
            scores = self._op("Add", scores, self._constant(platt.offsets))
        if platt is not None or model.class_name == "LogisticRegression":
            joint = platt is not None or model.joint
            self._probabilities(scores, planes, joint)
            outputs.append(self._output("probabilities", self._type("DOUBLE"), 2))
        return outputs

    def _outputs_of_labels(self, scores: str) -> list[Any]:
        """A matrix of 0 and 1, one column a label, whatever form the labels were given in."""
        has = self._op("GreaterOrEqual", scores, self._constant(np.array([0.0])))
        self._op("Cast", has, to=self._type("INT64"), name="label")
        outputs = [self._output("label", self._type("INT64"), 2), self._output("scores", self._type("DOUBLE"), 2)]
        each = getattr(self._model.calibration, "each", ())
        if each and all(isinstance(one, PlattCalibration) for one in each):
            scores = self._op("Mul", scores, self._constant(np.array([one.slope for one in each])))
            scores = self._op("Add", scores, self._constant(np.concatenate([one.offsets for one in each])))
        elif self._model.class_name != "LogisticRegression":
            return outputs
        self._op("Sigmoid", scores, name="probabilities")
        return [*outputs, self._output("probabilities", self._type("DOUBLE"), 2)]

    def _probabilities(self, scores: str, planes: int, joint: bool) -> None:
        if planes == 1:
            both = [self._op("Sigmoid", self._op("Neg", scores)), self._op("Sigmoid", scores)]
            self._op("Concat", *both, axis=1, name="probabilities")
        elif joint:
            self._op("Softmax", scores, axis=1, name="probabilities")
        else:
            each = self._op("Sigmoid", scores)
            self._op("Div", each, self._op("ReduceSum", each, self._constant(np.array([1]))), name="probabilities")

    # Building

    def _op(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        name = name or f"value{len(self._nodes)}"
        self._nodes.append(self._onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def _constant(self, values: Any) -> str:
        name = f"constant{len(self._constants)}"
        if values.dtype == object:
            texts: Any = [str(value).encode() for value in values]
            tensor = self._onnx.helper.make_tensor(name, self._type("STRING"), values.shape, texts)
        else:
            tensor = self._onnx.numpy_helper.from_array(np.ascontiguousarray(values), name)
        self._constants.append(tensor)
        return name

    def _input(self, name: str, kind: str, width: int) -> str:
        made = self._onnx.helper.make_tensor_value_info(name, self._type(kind), ["rows", width])
        self._inputs.append(made)
        return name

    def _output(self, name: str, kind: int, dimensions: int) -> Any:
        return self._onnx.helper.make_tensor_value_info(name, kind, ["rows", None][:dimensions])

    def _type(self, name: str) -> int:
        return int(getattr(self._onnx.TensorProto, name))
