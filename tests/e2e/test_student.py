"""What made newcomers stumble in the lessons, and must not again: hidden controls, lost places, tasks beyond a hand."""

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.lessons import LESSON_NAMES

from .conftest import start_lab
from .lab_page import place, state, wait_until_idle, wait_until_loaded
from .test_lessons import LESSONS, act, is_right, open_lesson, point_of  # noqa: F401 (a fixture)

LAPTOP = {"width": 1280, "height": 720}
PHONE = {"width": 390, "height": 844}
DRAGS = [
    (name, k)
    for name, lesson in LESSONS.items()
    for k, step in enumerate(lesson["steps"])
    if "Drag " in step["goal"]["task"] or "dragging" in step["goal"]["task"]
]
PARAMETERS = [
    (name, k, parameter)
    for name, lesson in LESSONS.items()
    for k, step in enumerate(lesson["steps"])
    for parameter in step["highlight"][:1]
    if parameter in {"eta0", "fit_intercept", "order", "keep", "C", "solver", "features"}
]
IN_SIGHT = """(one) => {
  const { top, bottom } = one.getBoundingClientRect();
  return top >= -1 && bottom <= innerHeight + 1;
}"""


def drag(page, start, end):
    page.mouse.move(*place(page, *start))
    page.mouse.down()
    page.mouse.move(*place(page, *end), steps=6)
    page.mouse.up()
    wait_until_idle(page)


def test_lesson_1_is_one_click_from_the_first_view(open_page, address):
    page = wait_until_loaded(open_page(address))
    page.get_by_role("button", name="New here? Start lesson 1").click()
    expect(page.locator(".lesson .progress")).to_have_text("Lesson 1 of 12, step 1 of 4")
    expect(page.locator(".invitation")).to_be_hidden()


def test_only_the_task_says_what_to_do(open_lesson):  # noqa: F811
    """Above the picture stood "Press Play" while the task was to take one step."""
    page = open_lesson("loop")
    assert "Play" not in page.locator(".caption").inner_text()
    shine = "getComputedStyle(document.querySelector('[data-play=play]')).boxShadow"
    assert page.evaluate(shine) == "none"
    page.locator("[data-lesson=close]").click()
    expect(page.locator(".caption")).to_contain_text("Press Play")
    assert page.evaluate(shine) != "none"


def test_what_is_not_explained_yet_is_not_drawn(open_lesson):  # noqa: F811
    page = open_lesson("loop")
    page.locator("[data-play=end]").click()
    wait_until_idle(page)
    assert not any(page.locator(f"[data-layer={name}]").is_checked() for name in ("theory", "band", "normal"))
    page.locator("[data-lesson=close]").click()
    assert all(page.locator(f"[data-layer={name}]").is_checked() for name in ("theory", "band", "normal"))
    page.locator("[data-control=lesson]").select_option("margin")
    wait_until_idle(page)
    assert page.locator("[data-layer=band]").is_checked()


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_the_next_step_begins_where_it_can_be_read(open_lesson, size):  # noqa: F811
    """After a control far below, the text of the next step was out of sight."""
    page = open_lesson("offset", 1, **size)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.locator("[data-lesson=next]").click()
    expect(page.locator(".lesson .progress")).to_contain_text("step 3 of 4")
    wait_until_idle(page)
    assert page.locator(".lesson h2").evaluate(IN_SIGHT)
    assert page.locator(".task").evaluate(IN_SIGHT)


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_on_a_phone_the_task_and_its_answer_are_always_in_sight(open_lesson, name):  # noqa: F811
    page = open_lesson(name, **PHONE)
    steps = LESSONS[name]["steps"]
    for k, step in enumerate(steps):
        expect(page.locator(".lesson .progress")).to_contain_text(f"step {k + 1} of {len(steps)}")
        wait_until_idle(page)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
        reminder = page.locator(".reminder")
        assert reminder.evaluate(IN_SIGHT)
        assert reminder.inner_text() == page.locator(".task p").inner_text()
        act(page, step["goal"]["solution"])
        page.locator("[data-lesson=check]").evaluate("(one) => one.click()")
        assert page.locator(".feedback").evaluate(IN_SIGHT)
        assert page.locator(".feedback").inner_text() != ""
        assert page.locator("[data-lesson=next]").evaluate(IN_SIGHT)
        page.locator("[data-lesson=next]").click()


@pytest.mark.parametrize(("name", "k", "parameter"), PARAMETERS)
def test_a_parameter_that_a_task_names_comes_first(open_lesson, name, k, parameter):  # noqa: F811
    """It was as far down as the tenth control, or folded away."""
    page = open_lesson(name, k, **LAPTOP)
    control = page.locator(f".recipe > .field [data-parameter={parameter}], .recipe > [data-parameter={parameter}]")
    expect(control).to_be_visible()
    first = page.locator(".recipe > .field:not(.wide) [data-parameter]").first
    assert first.get_attribute("data-parameter") == parameter
    below = page.locator(".lesson").evaluate("(card) => card.getBoundingClientRect().bottom")
    assert control.bounding_box()["y"] - below < 260


def test_a_parameter_of_another_learner_is_marked_when_it_comes(open_lesson):  # noqa: F811
    page = open_lesson("risk", 2)
    assert page.locator("[data-parameter=gamma]").count() == 0
    page.locator("[data-parameter=learner]").select_option("KernelPerceptron")
    expect(page.locator("[data-parameter=gamma].highlight")).to_be_visible()


def test_a_step_can_be_started_again(open_lesson):  # noqa: F811
    """ "Take back the points" named a button that was folded away; a step can also begin anew."""
    page = open_lesson("margin", 2)
    begin = state(page)["points"]
    page.mouse.click(*place(page, -4, 4))
    expect(page.locator(".feedback")).to_contain_text("take back the points")
    assert page.get_by_role("button", name="Undo").is_visible()
    page.get_by_role("button", name="Start again").click()
    expect(page.locator(".feedback")).to_have_text("")
    wait_until_idle(page)
    assert state(page)["points"] == begin


@pytest.mark.parametrize(("name", "k"), DRAGS)
def test_points_are_dragged_to_where_a_task_wants_them(open_lesson, name, k):  # noqa: F811
    """By hand, though a point in a row with others must lie there exactly: grid lines attract it."""
    page = open_lesson(name, k, **LAPTOP)
    page.locator("canvas.plane").scroll_into_view_if_needed()
    wanted = LESSONS[name]["steps"][k]["goal"]["solution"]["points"]
    for before, after in zip(state(page)["points"], wanted, strict=True):
        if point_of(before) != after:
            drag(page, before[:2], [after[0] + 0.04, after[1] - 0.04])  # a hand is not exact
    expect(is_right(page)).to_be_visible()


def test_the_drags_of_all_lessons_are_tried():
    assert len(DRAGS) == 7


@pytest.mark.parametrize("learner", ["Perceptron", "LinearSVM", "KernelPerceptron"])
def test_names_of_parameters_break_only_after_an_underscore(open_page, address, learner):
    page = wait_until_loaded(open_page(address))
    page.locator("[data-parameter=learner]").select_option(learner)
    wait_until_idle(page)
    page.get_by_text("More parameters").click()
    broken = page.evaluate(
        """() => [...document.querySelectorAll(".recipe label")].flatMap((label) => {
            const walker = document.createTreeWalker(label, NodeFilter.SHOW_TEXT);
            const parts = [];
            while (walker.nextNode()) parts.push(walker.currentNode);
            const lines = (part) => {
                const range = document.createRange();
                range.selectNodeContents(part);
                return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
            };
            return parts.filter((part) => lines(part) > 1).map(() => label.textContent);
        })"""
    )
    assert broken == []


def test_a_lesson_opens_over_data(browser, tmp_path):
    """Chosen in the menu, it was opened behind the view of the table."""
    path = tmp_path / "rows.csv"
    path.write_text("a,b,kind\n" + "".join(f"{i},{i % 3},{'yes' if i % 2 else 'no'}\n" for i in range(40)))
    running, address = start_lab(str(path), "--target", "kind")
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".data-title:visible")
    page.locator("[data-control=lesson]").select_option("xor")
    expect(page.locator(".lesson h2")).to_be_visible()
    expect(page.locator("[data-tab=points]")).to_have_attribute("aria-pressed", "true")
    context.close()
    running.terminate()
    running.communicate()
