"""The questions that a page may ask, whichever way it asks: over HTTP (`server.py`) or in a notebook (`widget.py`)."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..foundation.errors import InputError
from ..foundation.version import __version__
from . import presets, registry
from .proof import prove
from .run_request import MOST_CLASSES, MOST_POINTS, MOST_UPDATES, part, shown
from .traced_run import run

Content = dict[str, Any]
Answer = Callable[[Any], Content]


def about(content: Mapping[str, Any], more: Collection[str] = ()) -> Content:
    """All that a page needs to draw its controls; `data` says whether there are data of the user's own."""
    return {
        "data": "data" in more,
        "version": __version__,
        "learners": registry.as_content(),
        "presets": presets.as_content(),
        "limits": {"points": MOST_POINTS, "classes": MOST_CLASSES, "updates": MOST_UPDATES},
    }


QUESTIONS: Mapping[str, Answer] = {"about": about, "preset": presets.points, "run": run, "prove": prove}


def answered(kind: object, content: object, more: Mapping[str, Answer] | None = None) -> Content:
    """The answer to a question; an InputError, one sentence, where there is none.

    >>> answered("preset", {"preset": "xor"})["points"][0]
    [-2.0, -2.0, 0]
    >>> answered("when", {})
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.errors.InputError: The lab can be asked about, preset, run, prove, not 'when'.
    """
    questions = {**QUESTIONS, **(more or {})}
    if not isinstance(kind, str) or kind not in questions:
        raise InputError(f"The lab can be asked {', '.join(questions)}, not {shown(kind)}.")
    given = part(content, "The request", dict)
    return about(given, questions) if kind == "about" else questions[kind](given)
