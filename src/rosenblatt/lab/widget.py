"""The lab in a notebook: `Lab()`, in Jupyter, VS Code and marimo. Needs the extra `notebook` (anywidget)."""

from typing import Any

import numpy as np

from ..errors import InputError
from .answers import Answer, answered
from .assets import module, text
from .packing import finite

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
    X, y : array or data frame of numbers, and labels; optional
        Your own data.
    model : a fitted classifier of this library, optional
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
    from ..labels import codes_of, encode
    from ..modelparts import Model
    from .insight import Rows
    from .yourdata import of_rows

    names = [str(name) for name in getattr(X, "columns", [])]
    numbers = np.asarray(X, dtype=np.float64)
    labels = np.asarray(y)
    if numbers.ndim != 2 or labels.shape != numbers.shape[:1]:
        raise ValueError(
            f"Lab takes X with rows and columns and one label a row, not {numbers.shape} and {labels.shape}."
        )
    if not np.isfinite(numbers).all():
        raise ValueError("Lab takes finite numbers: X has some that are not.")
    classes, codes = encode(labels) if model is None else (model.classes_, codes_of(labels, model.classes_))
    if codes is None:
        raise ValueError(f"y has labels that the model does not know: it knows {classes.tolist()}.")
    names = names or [f"column {k}" for k in range(numbers.shape[1])]
    rows = Rows(numbers, codes, names, [str(label) for label in classes.tolist()])
    if model is None:
        return of_rows(rows, "Your data")
    kept = Model(type(model).__name__, {}, model.classes_, None, model._learned)
    return of_rows(rows, f"{type(model).__name__} on your data", kept)
