"""The lab in a notebook: `Lab()`, in Jupyter, VS Code and marimo. Needs the extra `notebook` (anywidget)."""

from typing import Any

import anywidget
import numpy as np
import traitlets

from ..foundation.errors import InputError
from ..foundation.matrices import refuse_numpy_matrix
from ..tables.read.batches import Batch
from .packed_arrays import replace_nonfinite
from .questions import QuestionHandler, answer_question
from .static_files import joined_module, page_styles
from .table_rows import TableRows, encoded_table_rows, numeric_rows


class Lab(anywidget.AnyWidget):
    """The lab as a widget: place points, choose a recipe, watch every update.

    With rows X and labels y it also shows what a linear classifier does with them; with a fitted `model` of this
    library, what that model does.

    Parameters
    ----------
    X, y : array or data frame, and labels; optional
        Your own data. Columns that are not numeric are encoded as `fit` does.
    model : a fitted classifier of this library, or what `fit` returned; optional
        The model to show with X and y.

    Examples
    --------
    >>> from rosenblatt import Lab
    >>> lab = Lab()
    >>> lab.ask("run", {"points": [[3, 3, 1], [1, 1, 0]]})["result"]["mistakes"]
    0
    """

    _esm = joined_module()
    _css = page_styles()
    state = traitlets.Unicode("").tag(sync=True)  # what the page shows, as in its address

    def __init__(self, X: Any = None, y: Any = None, model: Any = None) -> None:
        super().__init__()
        self._questions: dict[str, QuestionHandler] = {} if X is None else {"data": _data_handler(X, y, model)}
        self.on_msg(self._receive)

    def ask(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        """The answer that the page would get to "run", "prove", "preset", "about" or "data"."""
        return answer_question(kind, content, self._questions)

    def _receive(self, widget: Any, message: Any, buffers: Any) -> None:
        """Answer a numbered question of the page."""
        if not isinstance(message, dict) or "id" not in message:
            return
        try:
            answer = replace_nonfinite(self.ask(message.get("kind", ""), message.get("content", {})))
            self.send({"id": message["id"], "answer": answer})
        except InputError as error:
            self.send({"id": message["id"], "error": str(error)})
        except Exception:
            self.send({"id": message["id"], "error": "The lab failed at this request; please report what you did."})
            raise


def _data_handler(X: Any, y: Any, model: Any) -> QuestionHandler:
    from ..foundation.labels import codes_of, encode
    from ..model.model import Model
    from .user_data import rows_handler

    refuse_numpy_matrix(X)
    encoder, model = _split_pipeline(model)
    labels = np.asarray(y)
    classes, codes = encode(labels) if model is None else (model.classes_, codes_of(labels, model.classes_))
    if codes is None:
        raise ValueError(f"y has labels that the model does not know: it knows {classes.tolist()}.")
    names = [str(label) for label in classes.tolist()]
    table = encoder is not None or (model is None and not _is_numeric(X))
    rows = _encoded_table(X, codes, names, encoder) if table else _numeric_table(X, codes, names)
    if model is None:
        return rows_handler(rows, "Your data")
    saved = Model(type(model).__name__, {}, model.classes_, None, model._learned)
    if saved.learned.coef.shape[1] != len(rows.columns):
        raise ValueError(
            f"Lab shows models with one weight for each column: this one makes {saved.learned.coef.shape[1]} "
            f"weights of {len(rows.columns)} columns."
        )
    return rows_handler(rows, f"{saved.class_name} on your data", saved)


def _split_pipeline(model: Any) -> tuple[Any, Any]:
    """The encoder and the classifier of the pipeline that `fit` returned; other models have no encoder."""
    steps = [step for _, step in getattr(model, "steps", [])]
    return (steps[0].encoder_, steps[-1]) if len(steps) == 2 and hasattr(steps[0], "encoder_") else (None, model)


def _is_numeric(X: Any) -> bool:
    try:
        np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _numeric_table(X: Any, codes: Any, classes: list[str]) -> TableRows:
    names = [str(name) for name in getattr(X, "columns", [])]
    numbers = np.asarray(X, dtype=np.float64)
    if numbers.ndim != 2 or len(codes) != len(numbers):
        raise ValueError(
            f"Lab takes X with rows and columns and one label a row, not {numbers.shape} and {codes.shape}."
        )
    if not np.isfinite(numbers).all():
        raise ValueError("Lab takes finite numbers: X has values that are not finite.")
    return numeric_rows(numbers, codes, names or [f"column {k}" for k in range(numbers.shape[1])], classes)


def _encoded_table(X: Any, codes: Any, classes: list[str], encoder: Any) -> TableRows:
    """A table with columns that are not numeric, encoded as `fit` does, or by the given encoder."""
    from ..tables.read.in_memory import as_table
    from ..tables.table_encoder import TableEncoder

    table = as_table(X)
    if table.num_rows != len(codes):
        raise ValueError(f"Lab takes one label a row, not {len(codes):,} for {table.num_rows:,} rows.")
    made = TableEncoder()
    if encoder is None:
        numbers = made.fit_transform(X)
    else:
        made._adopt(encoder, list(table.column_names))
        numbers = made.transform(X)
    return encoded_table_rows([Batch(table, "X", lambda row: f"row {row}")], made.encoder_, numbers, codes, classes)
