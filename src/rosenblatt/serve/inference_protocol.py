"""The Open Inference Protocol, version 2: each input tensor is a column, each output one of label and score."""

from typing import Any

from ..foundation.errors import InputError
from ..tables.read.batches import NUMBER
from .published_model import PublishedModel
from .row_formats import Rows, read_value

DATATYPES = (
    *("BOOL", "BYTES", "FP16", "FP32", "FP64", "INT8", "INT16", "INT32", "INT64"),
    *("UINT8", "UINT16", "UINT32", "UINT64"),
)


def metadata(name: str, published: PublishedModel) -> dict[str, Any]:
    """What the model takes and gives."""
    columns = published.schema.columns.items()
    planes = published.model.learned.coef.shape[0]
    score = {"name": "score", "datatype": "FP64", "shape": [-1] if planes == 1 else [-1, planes]}
    return {
        "name": name,
        "versions": [str(published.record)],
        "platform": "rosenblatt",
        "inputs": [
            {"name": column, "datatype": "FP64" if kind == NUMBER else "BYTES", "shape": [-1]}
            for column, kind in columns
        ],
        "outputs": [{"name": "label", "datatype": "BYTES", "shape": [-1]}, score],
    }


def read_request(body: bytes) -> tuple[Any, Rows]:
    """The content of an inference request, and its rows."""
    content = read_value(body, "The request")
    return content, input_rows(content)


def input_rows(content: Any) -> Rows:
    """The rows of an inference request."""
    inputs = content.get("inputs") if isinstance(content, dict) else None
    if not isinstance(inputs, list) or not inputs:
        raise InputError('The request must have "inputs", a list of tensors: one for each column.')
    columns = dict(_column(tensor) for tensor in inputs)
    if len({len(values) for values in columns.values()}) != 1 or len(columns) != len(inputs):
        raise InputError("Each input must have another name and the same number of rows.")
    if not all(columns.values()):
        raise InputError("The request has no rows: give one or more.")
    return Rows([dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)])


def _column(tensor: Any) -> tuple[str, list[Any]]:
    """The name and values of a tensor of shape [n] or [n, 1]."""
    if not isinstance(tensor, dict) or not isinstance(tensor.get("name"), str):
        raise InputError("Each input must be an object with name, shape, datatype and data.")
    name, shape, data = tensor["name"], tensor.get("shape"), tensor.get("data")
    if tensor.get("datatype") not in DATATYPES or not isinstance(data, list) or not isinstance(shape, list):
        raise InputError(f"The input {name!r} must have a shape, a datatype of the protocol, and data as a list.")
    if all(isinstance(value, list) and len(value) == 1 for value in data):
        data = [value[0] for value in data]
    if shape not in ([len(data)], [len(data), 1]):
        raise InputError(f"The input {name!r} must have the shape [{len(data)}] of its data.")
    return name, data


def outputs(name: str, content: Any, columns: dict[str, list[Any]], published: PublishedModel) -> dict[str, Any]:
    """The answer to an inference request."""
    scores = columns["score"] if "score" in columns else columns["scores"]
    shape = [len(scores)] if "score" in columns else [len(scores), len(scores[0])]
    data = scores if "score" in columns else [value for row in scores for value in row]
    labels = [str(label) for label in columns["label"]]
    answer = {
        "model_name": name,
        "model_version": str(published.record),
        "outputs": [
            {"name": "label", "datatype": "BYTES", "shape": [len(labels)], "data": labels},
            {"name": "score", "datatype": "FP64", "shape": shape, "data": data},
        ],
    }
    return {**answer, "id": content["id"]} if isinstance(content.get("id"), str) else answer
