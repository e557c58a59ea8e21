"""The lab in a notebook: `Lab()`, in Jupyter, VS Code and marimo. Needs the extra `notebook` (anywidget)."""

from typing import Any

import numpy as np

from ..foundation.errors import InputError
from ..tables.read.batches import Batch
from .assets import module, text
from .packed_arrays import finite
from .questions import Answer, answered
from .table_rows import Rows, rows_of_numbers, rows_of_table

try:
    import anywidget
    import traitlets
except ImportError:  # pragma: no cover
    raise ImportError("Lab needs anywidget: pip install 'rosenblatt[notebook]'.") from None


class Lab(anywidget.AnyWidget):
    """The lab as a widget: place points, choose a recipe, watch every update.

    With rows X and labels y it also shows what a linear classifier does with them; with a fitted `model` of this
    library, what that one does.

    Parameters
    ----------
    X, y : array or data frame, and labels; optional
        Your own data. Columns that hold no numbers are encoded as `fit` does.
    model : a fitted classifier of this library, or what `fit` returned; optional
        To be looked at with X and y.

    Examples
    --------
    >>> from rosenblatt import Lab
    >>> lab = Lab()
    >>> lab.ask("run", {"points": [[3, 3, 1], [1, 1, 0]]})["result"]["mistakes"]
    0
    """

    _esm = module()
    _css = text("lab.css")
    state = traitlets.Unicode("").tag(sync=True)  # what is seen, as in the address of the page

    def __init__(self, X: Any = None, y: Any = None, model: Any = None) -> None:
        super().__init__()
        self._questions: dict[str, Answer] = {} if X is None else {"data": _about_rows(X, y, model)}
        self.on_msg(self._heard)

    def ask(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        """What the page would be told: "run", "prove", "preset", "about" or "data"."""
        return answered(kind, content, self._questions)

    def _heard(self, widget: Any, message: Any, buffers: Any) -> None:
        """Answer a question of the page, by its number."""
        if not isinstance(message, dict) or "id" not in message:
            return
        try:
            answer = finite(self.ask(message.get("kind", ""), message.get("content", {})))
            self.send({"id": message["id"], "answer": answer})
        except InputError as error:
            self.send({"id": message["id"], "error": str(error)})
        except Exception:
            self.send({"id": message["id"], "error": "The lab failed at this request; please report what you did."})
            raise


def _about_rows(X: Any, y: Any, model: Any) -> Answer:
    from ..foundation.labels import codes_of, encode
    from ..model.model import Model
    from .user_data import of_rows

    encoder, model = _taken_apart(model)
    labels = np.asarray(y)
    classes, codes = encode(labels) if model is None else (model.classes_, codes_of(labels, model.classes_))
    if codes is None:
        raise ValueError(f"y has labels that the model does not know: it knows {classes.tolist()}.")
    names = [str(label) for label in classes.tolist()]
    table = encoder is not None or (model is None and not _holds_numbers(X))
    rows = _encoded(X, codes, names, encoder) if table else _numbers(X, codes, names)
    if model is None:
        return of_rows(rows, "Your data")
    kept = Model(type(model).__name__, {}, model.classes_, None, model._learned)
    if kept.learned.coef.shape[1] != len(rows.columns):
        raise ValueError(
            f"Lab shows models that weigh columns, as they are: this one makes {kept.learned.coef.shape[1]} weights of "
            f"{len(rows.columns)} columns."
        )
    return of_rows(rows, f"{kept.class_name} on your data", kept)


def _taken_apart(model: Any) -> tuple[Any, Any]:
    """The encoder and the classifier of what `fit` returned; other models have no encoder."""
    steps = [step for _, step in getattr(model, "steps", [])]
    return (steps[0].encoder_, steps[-1]) if len(steps) == 2 and hasattr(steps[0], "encoder_") else (None, model)


def _holds_numbers(X: Any) -> bool:
    try:
        np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _numbers(X: Any, codes: Any, classes: list[str]) -> Rows:
    names = [str(name) for name in getattr(X, "columns", [])]
    numbers = np.asarray(X, dtype=np.float64)
    if numbers.ndim != 2 or len(codes) != len(numbers):
        raise ValueError(
            f"Lab takes X with rows and columns and one label a row, not {numbers.shape} and {codes.shape}."
        )
    if not np.isfinite(numbers).all():
        raise ValueError("Lab takes finite numbers: X has some that are not.")
    return rows_of_numbers(numbers, codes, names or [f"column {k}" for k in range(numbers.shape[1])], classes)


def _encoded(X: Any, codes: Any, classes: list[str], encoder: Any) -> Rows:
    """A table of other columns than numbers: encoded as `fit` does, or as it did."""
    from ..tables.table_encoder import TableEncoder, as_table

    table = as_table(X)
    if table.num_rows != len(codes):
        raise ValueError(f"Lab takes one label a row, not {len(codes):,} for {table.num_rows:,} rows.")
    made = TableEncoder()
    if encoder is None:
        numbers = made.fit_transform(X)
    else:
        made._adopt(encoder, list(table.column_names))
        numbers = made.transform(X)
    return rows_of_table([Batch(table, "X", lambda row: f"row {row}")], made.encoder_, numbers, codes, classes)
