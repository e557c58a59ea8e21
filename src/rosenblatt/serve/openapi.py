"""The OpenAPI description of the service, with the columns of its model."""

from typing import Any

from ..foundation.version import __version__
from ..tables.read.batches import NUMBER
from .row_formats import ARROW, FORMATS, JSON
from .row_schema import RowSchema

Schema = dict[str, Any]
ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
LEARNED = {
    "type": "object",
    "properties": {
        "record": {"type": "integer", "description": "The record of the log that holds the rows."},
        "learned": {"type": "integer"},
        "repeated": {"type": "boolean", "description": "Whether an earlier request was the same."},
    },
}
FEEDBACK = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "label": {"type": ["string", "number", "boolean"]}},
    "required": ["id", "label"],
}
KEY = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "minLength": 1, "maxLength": 200}}
NAME = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}


def openapi(schema: RowSchema) -> Schema:
    """The description of all paths."""
    row, labelled = _row(schema, False), _row(schema, True)
    flags = [
        _flag("probabilities", "Give the probability of each class."),
        _flag("remember", "Give ids for /feedback."),
    ]
    top = {"name": "top", "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 1000}}
    anything = {"type": "object"}
    paths = {
        "/predict": _post("Predict the class of rows.", _rows_body(row), parameters=flags),
        "/explain": _post("Say what each column adds to a decision.", _rows_body(row), parameters=[top]),
        "/learn": _post("Learn rows with their classes.", _rows_body(labelled), LEARNED, [KEY]),
        "/feedback": _post("Give the classes of earlier predictions.", _rows_body(FEEDBACK), LEARNED),
        "/": _get("A page with the figures of the service.", "text/html"),
        "/status": _get("The figures of the service."),
        "/model": _get("The present model as a file.", "application/octet-stream"),
        "/metrics": _get("Figures in the text format of Prometheus.", "text/plain"),
        "/openapi.json": _get("This description."),
        "/health": _get("Whether the service keeps up."),
        "/admin/reload": _post("Take the model file again."),
        "/admin/versions": {
            **_get("The models to which the service can go back."),
            **_post("Keep the present model."),
        },
        "/admin/rollback": _post("Go on from a kept model.", _json_body({**anything, "required": ["version"]})),
        "/v2/health/live": _get("Whether the service runs."),
        "/v2/health/ready": _get("Whether the service keeps up."),
        "/v2/models/{name}": _get("What the model takes and gives.", parameters=[NAME]),
        "/v2/models/{name}/ready": _get("Whether the model is served.", parameters=[NAME]),
        "/v2/models/{name}/infer": _post("Predict by tensors.", _json_body(anything), parameters=[NAME]),
    }
    about = {"title": "rosenblatt serve", "version": __version__}
    tokens = {"token": {"type": "http", "scheme": "bearer"}}
    return {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"securitySchemes": tokens}}


def _row(schema: RowSchema, truth: bool) -> Schema:
    kinds = {
        name: ["number", "null"] if kind == NUMBER else ["string", "null"] for name, kind in schema.columns.items()
    }
    required = list(kinds)
    properties: Schema = {name: {"type": kind} for name, kind in kinds.items()}
    if truth and schema.target is not None:
        properties[schema.target] = {"type": ["string", "number", "boolean"]}
        required.append(schema.target)
    return {"type": "object", "properties": properties, "required": required}


def _rows_body(row: Schema) -> Schema:
    content: Schema = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FORMATS if kind != ARROW}
    content[ARROW] = {"schema": {"type": "string", "format": "binary"}}
    content[JSON] = {"schema": {"oneOf": [row, {"type": "array", "items": row, "minItems": 1}]}}
    return {"required": True, "content": content}


def _json_body(schema: Schema) -> Schema:
    return {"required": True, "content": {JSON: {"schema": schema}}}


def _flag(name: str, text: str) -> Schema:
    return {"name": name, "in": "query", "description": text, "schema": {"type": "boolean"}}


def _get(summary: str, kind: str = JSON, parameters: list[Schema] | None = None) -> Schema:
    return {"get": _operation(summary, {"description": "The answer.", "content": {kind: {}}}, parameters)}


def _post(
    summary: str, body: Schema | None = None, answer: Schema | None = None, parameters: list[Schema] | None = None
) -> Schema:
    found = {"description": "The answer.", "content": {JSON: {} if answer is None else {"schema": answer}}}
    operation = _operation(summary, found, parameters)
    return {"post": operation if body is None else {**operation, "requestBody": body}}


def _operation(summary: str, answer: Schema, parameters: list[Schema] | None) -> Schema:
    refused = {"description": "Refused, with one sentence.", "content": {JSON: {"schema": ERROR}}}
    responses = {"200": answer, "4XX": refused, "503": refused}
    return {"summary": summary, "responses": responses, **({"parameters": parameters} if parameters else {})}
