"""The lab in a notebook: `Lab()`, in Jupyter, VS Code and marimo. Needs the extra `notebook` (anywidget)."""

from typing import Any

import anywidget
import traitlets

from ..foundation.errors import InputError
from .lessons import require_lesson
from .notebook_data import notebook_questions
from .packed_arrays import replace_nonfinite
from .questions import answer_question
from .static_files import joined_module, page_styles

MIN_HEIGHT = 200


class Lab(anywidget.AnyWidget):
    """The lab as a widget: place points, choose a recipe, watch every update.

    With rows X and labels y it also shows what a linear classifier does with them: a fifth of the rows is held out as
    `fit` does, and measured. With a fitted `model` it shows what that model does with all rows.

    Parameters
    ----------
    X, y : array, data frame or sparse matrix, and labels; optional
        Your own data. Columns that are not numeric are encoded as `fit` does.
    model : a fitted classifier or the path of a model file; optional
        The model to look at: of this library, of scikit-learn, or a pipeline that ends in one, such as `fit` returns.
        Without X and y, a classifier of this library shows its weights.
    lesson : the name of a lesson to open, such as "xor"; optional
    height : int, optional
        The most pixels that the page takes in the notebook; it scrolls beyond. By default it takes what it needs.

    Examples
    --------
    >>> from rosenblatt import Lab
    >>> lab = Lab()
    >>> lab.ask("run", {"points": [[3, 3, 1], [1, 1, 0]]})["result"]["mistakes"]
    0
    """

    _esm = joined_module()
    state = traitlets.Unicode("").tag(sync=True)  # what the page shows, as in its address
    lesson = traitlets.Unicode(None, allow_none=True).tag(sync=True)  # the lesson that it opens with
    styles = traitlets.Unicode(page_styles()).tag(sync=True)  # for the page's shadow root
    height = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(
        self, X: Any = None, y: Any = None, model: Any = None, lesson: str | None = None, *, height: int | None = None
    ) -> None:
        super().__init__(lesson=None if lesson is None else require_lesson(lesson))
        if height is not None and height < MIN_HEIGHT:
            raise ValueError(f"height must be at least {MIN_HEIGHT} pixels, not {height}.")
        self.height = height
        self._questions = notebook_questions(X, y, model)
        self.on_msg(self._receive)

    def ask(self, kind: str, content: dict[str, Any]) -> dict[str, Any]:
        """The answer that the page would get to "run", "prove", "preset", "about"; with data, "data", "rows", "row"."""
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
