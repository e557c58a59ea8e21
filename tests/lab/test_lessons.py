"""Lessons are data of one shape: every text, state, highlight and goal is one that the page can use."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.foundation.errors import InputError
from rosenblatt.lab.lessons import LESSON_NAMES, lessons_content, require_lesson
from rosenblatt.lab.presets import PRESETS
from rosenblatt.lab.registry import classifier_entries
from rosenblatt.lab.static_files import static_text

LESSONS = {lesson["name"]: lesson for lesson in lessons_content()}
STEPS = [(name, k) for name, lesson in LESSONS.items() for k in range(len(lesson["steps"]))]
STATE_KEYS = {
    *("points", "preset", "margin", "seed", "dimension", "learner", "parameters"),
    *("step", "view", "proof", "hidden"),
}
COMPARISONS = set(re.findall(r"^  (\w+): \(value", static_text("lesson_goals.js"), re.MULTILINE))
FACTS = set(re.findall(r"\w+", static_text("lesson_facts.js"))) | {"answer", "moved", "flipped", "added", "removed"}
PLACES = set(re.findall(r"(\w+): \"[.\[]", static_text("highlights.js")))
GLOSSARY = set(re.findall(r'^  "([^"]+)": "', static_text("glossary.js"), re.MULTILINE))


def step_of(name, k):
    return LESSONS[name]["steps"][k]


def texts_of(step):
    goal = step.get("goal", {})
    return [*step["text"], *(goal[key] for key in ("task", "right") if key in goal)]


def check_state(state):
    assert ("points" in state) != ("preset" in state), "a state has points, or a preset"
    assert all(len(point) == 3 for point in state.get("points", ()))
    assert state.get("preset", "gap") in PRESETS
    check_recipe(state)


def check_recipe(state):
    entry = classifier_entries()[state.get("learner", "Perceptron")]
    for name, value in state.get("parameters", {}).items():
        known = entry.parameters[name]
        assert known.kind != "choice" or value in known.options, (name, value)


def test_there_is_one_for_each_idea():
    assert len(LESSONS) == 12
    found = {path.name for path in (files("rosenblatt.lab") / "static" / "lessons").iterdir()}
    assert found == {f"{name}.json" for name in LESSON_NAMES}
    assert len({lesson["title"] for lesson in LESSONS.values()}) == 12


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_lesson_has_a_title_an_idea_and_three_to_six_steps(name):
    lesson = LESSONS[name]
    assert set(lesson) == {"name", "title", "idea", "steps"}
    assert re.fullmatch(r"[A-Zw].*\.", lesson["idea"])
    assert 3 <= len(lesson["steps"]) <= 6
    assert "state" in lesson["steps"][0]


@pytest.mark.parametrize(("name", "k"), STEPS)
def test_a_step_has_text_state_highlight_and_goal(name, k):
    step = step_of(name, k)
    assert set(step) <= {"text", "state", "highlight", "goal"}
    assert sum(len(text) for text in step["text"]) < 420, "a step is short"
    for text in texts_of(step):
        assert re.search(r"[.?]$", text), text
        assert {word.partition("|")[0] for word in re.findall(r"\[([^\]]+)\]", text)} <= GLOSSARY, text
    if "state" in step:
        assert set(step["state"]) <= STATE_KEYS
        check_state(step["state"])
    learners = classifier_entries().values()
    parameters = {"learner"}.union(*(entry.parameters for entry in learners))
    assert set(step["highlight"]) <= PLACES | parameters


@pytest.mark.parametrize(("name", "k"), STEPS)
def test_a_goal_has_needs_with_words_and_a_solution(name, k):
    goal = step_of(name, k)["goal"]
    assert set(goal) == {"task", "needs", "right", "solution"} | ({"ask"} & set(goal))
    assert ("ask" in goal) == ("answer" in goal["solution"])
    assert set(goal["solution"]) <= STATE_KEYS | {"answer", "add"}
    assert goal["needs"]
    for need in goal["needs"]:
        (comparison,) = set(need) - {"fact", "otherwise", "tolerance"}
        assert comparison in COMPARISONS
        known = need["fact"].partition("@")[0]
        assert known in FACTS or any(known in entry.parameters for entry in classifier_entries().values())
        assert re.fullmatch(r"[A-Z{].*[.?]", need["otherwise"])
    recipe = {**step_of(name, k).get("state", {}), **goal["solution"]}
    check_recipe(recipe)


def test_the_term_of_vapnik_and_chervonenkis_is_the_librarys():
    (need,) = [need for need in step_of("risk", 3)["goal"]["needs"] if "equals" in need]
    assert need["equals"] == pytest.approx(rosenblatt.vc_bound(0.1, 80, 3, 0.05).confidence, abs=5e-5)
    assert rosenblatt.vc_bound(0.1, 80, 15, 0.05).confidence == pytest.approx(0.83, abs=0.005)


def test_a_lesson_that_does_not_exist_is_refused():
    assert require_lesson("xor") == "xor"
    with pytest.raises(InputError, match="lesson must be one of loop, "):
        rosenblatt.Lab(lesson="nand")


def test_the_guide_lists_every_lesson():
    guide = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "lab.md").read_text()
    listed = re.findall(r"^\| `(\w+)` \| (.*) \|$", guide, re.MULTILINE)
    assert listed == [(name, lesson["idea"]) for name, lesson in LESSONS.items()]
