"""Recorded answers for a page without a server: the runs of the presets, and those that a lesson leads to.

A lesson's step leads to its own state, to its solution, and to the other choices of a parameter that it points at.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from ..foundation.errors import InputError
from .lessons import lessons_content
from .presets import PRESETS
from .questions import answer_question
from .registry import classifier_entries

Content = dict[str, Any]
# What a state is where a lesson does not say otherwise; LESSON_STATE of lesson_state.js.
DEFAULT_STATE: Content = {"learner": "Perceptron", "parameters": {"order": "cyclic"}, "dimension": 2}
REACH = [10.0, 5.6]  # wide enough for every screen
LIFTED_PRESETS = ("xor", "circles")  # they are also recorded with a lift
SHORT_PRESETS = ("three", "gap", "xor", "classes", "axis")  # for a page of one lesson
RECORDED_NUMBERS: dict[str, tuple[float, ...]] = {"eta0": (0.1, 0.5, 2), "C": (0.01, 0.1, 10, 100), "gamma": ()}
RECORDED_FEATURES = ("identity", "polynomial-2")  # others are too large for a file


class Recorder:
    """The questions of a page and their answers, each asked once."""

    def __init__(self) -> None:
        self.answers: list[Content] = []
        self._asked: set[str] = set()

    def ask(self, kind: str, content: Content) -> Content:
        """The answer to a question, which is recorded."""
        answer = answer_question(kind, content)
        key = repr((kind, sorted(content.items(), key=lambda item: item[0])))
        if key not in self._asked:
            self._asked.add(key)
            self.answers.append({"kind": kind, "content": content, "answer": answer})
        return answer

    def record_run(self, state: Content) -> None:
        """Record the run and the proofs of a state; one that the classifier refuses is left out."""
        content = {key: state[key] for key in ("points", "dimension", "learner", "parameters")} | {"reach": REACH}
        try:
            self.ask("run", content)
        except InputError:
            return
        self.ask("prove", content)

    def record_preset(self, name: str, margin: float | None = None, seed: int = 0) -> Content:
        """The points of a preset, with the question recorded as the page asks it."""
        return self.ask("preset", {"preset": name, "margin": margin, "seed": seed})


def record_presets(recorder: Recorder, names: Sequence[str]) -> None:
    """Record the perceptron on presets, lifted too where a lift is the point."""
    for name in names:
        state = {**DEFAULT_STATE, **recorder.record_preset(name)}
        recorder.record_run(state)
        if name in LIFTED_PRESETS:
            recorder.record_run({**state, "parameters": {**state["parameters"], "features": "polynomial-2"}})


def record_lesson(recorder: Recorder, name: str) -> None:
    """Record every state that the steps of a lesson lead to."""
    (lesson,) = (lesson for lesson in lessons_content() if lesson["name"] == name)
    state: Content = {}
    for step in lesson["steps"]:
        state = _whole_state(recorder, step["state"]) if "state" in step else state
        solved = _solved_state(state, step["goal"]["solution"])
        for one in (state, solved, *_other_choices(state, step["highlight"])):
            recorder.record_run(one)


def _whole_state(recorder: Recorder, given: Content) -> Content:
    points = (
        {"points": given["points"]}
        if "points" in given
        else recorder.record_preset(given["preset"], given.get("margin"))
    )
    return {**DEFAULT_STATE, **points, **{key: given[key] for key in ("learner", "parameters") if key in given}}


def _solved_state(state: Content, solution: Content) -> Content:
    added = {"points": [*state["points"], solution["add"]]} if "add" in solution else {}
    return {**state, **added, **{key: solution[key] for key in ("points", "learner", "parameters") if key in solution}}


def _other_choices(state: Content, highlight: Sequence[str]) -> Iterator[Content]:
    """The states that a change of one highlighted parameter leads to."""
    parameters = classifier_entries()[state["learner"]].parameters
    for name in set(highlight) & set(parameters):
        known = parameters[name]
        listed = RECORDED_FEATURES if name == "features" else tuple(known.options)
        values: tuple[Any, ...] = (False, True) if known.kind == "switch" else listed or RECORDED_NUMBERS.get(name, ())
        for value in values:
            yield {**state, "parameters": {**state["parameters"], name: value}}


def preset_names(lesson: str | None) -> Sequence[str]:
    """The presets of a page: all of them, or with one lesson those whose runs are short."""
    return tuple(PRESETS) if lesson is None else SHORT_PRESETS
