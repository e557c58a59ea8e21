"""The questions that a page may ask, over HTTP (`server.py`) or in a notebook (`widget.py`)."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..foundation.errors import InputError
from ..foundation.version import __version__
from .lessons import lessons_content
from .presets import preset_points, presets_content
from .proof import prove
from .registry import registry_content, table_registry_content
from .run_request import MAX_CLASSES, MAX_POINTS, MAX_UPDATES, require_type, short_repr
from .traced_run import trace_run

Content = dict[str, Any]
QuestionHandler = Callable[[Any], Content]


def about(content: Mapping[str, Any], questions: Collection[str] = ()) -> Content:
    """What a page needs to build its controls; `data` tells whether the user gave data of their own."""
    return {
        "data": "data" in questions,
        "version": __version__,
        "learners": registry_content(),
        "data_learners": table_registry_content() if "data" in questions else [],
        "presets": presets_content(),
        "lessons": lessons_content(),
        "limits": {"points": MAX_POINTS, "classes": MAX_CLASSES, "updates": MAX_UPDATES},
    }


QUESTIONS: Mapping[str, QuestionHandler] = {
    "about": about,
    "preset": preset_points,
    "run": trace_run,
    "prove": prove,
}


def answer_question(kind: object, content: object, more: Mapping[str, QuestionHandler] | None = None) -> Content:
    """The answer to a question. Raises an InputError of one sentence if the request cannot be used.

    >>> answer_question("preset", {"preset": "xor"})["points"][0]
    [-2.0, -2.0, 0]
    >>> answer_question("when", {})
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.errors.InputError: The question must be one of about, preset, run, prove, not 'when'.
    """
    questions = {**QUESTIONS, **(more or {})}
    if not isinstance(kind, str) or kind not in questions:
        raise InputError(f"The question must be one of {', '.join(questions)}, not {short_repr(kind)}.")
    given = require_type(content, "The request", dict)
    return about(given, questions) if kind == "about" else questions[kind](given)
