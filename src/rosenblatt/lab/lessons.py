"""The lessons of the lab. A lesson is data: a JSON file of `static/lessons/` with texts, states, highlights and goals.

    {"title": .., "idea": .., "steps": [{"text": [..], "state": {..}, "highlight": [..], "goal": {..}}, ..]}

A word in brackets, [margin] or [margin|margins], is explained by the page's glossary. A state says what the page
shows: points or a preset, learner and parameters, the step ("end" for the last), the view, and whether the proof is
shown. What it leaves out is at its default. A step without a state goes on from what is shown. A goal has a task, needs
that the page's facts must meet (each with the word to say otherwise), what to say when it is met, and a solution.
"""

import json
from functools import cache
from typing import Any

from ..foundation.errors import InputError
from .run_request import short_repr
from .static_files import static_text

LESSON_NAMES = (
    *("loop", "mistakes", "margin", "offset", "novikoff", "orders"),
    *("pocket", "average", "hinge", "logistic", "xor", "risk"),
)
Content = dict[str, Any]


@cache
def lessons_content() -> list[Content]:
    """All lessons in their order, as JSON content.

    >>> [lesson["name"] for lesson in lessons_content()][:3], len(lessons_content())
    (['loop', 'mistakes', 'margin'], 12)
    """
    return [{"name": name, **json.loads(static_text(f"lessons/{name}.json"))} for name in LESSON_NAMES]


def require_lesson(name: str) -> str:
    """The name of a lesson, refused if there is none of this name.

    >>> require_lesson("nand")
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.errors.InputError: lesson must be one of loop, mistakes, margin, offset, novikoff, orders, \
pocket, average, hinge, logistic, xor, risk, not 'nand'.
    """
    if name not in LESSON_NAMES:
        raise InputError(f"lesson must be one of {', '.join(LESSON_NAMES)}, not {short_repr(name)}.")
    return name
