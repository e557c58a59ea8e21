"""Every lesson, solved and failed by hand: with the controls of the page, not with its button for solutions."""

import json

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.lessons import LESSON_NAMES, lessons_content

from .conftest import start_lab
from .lab_page import place, state, violations, wait_until_idle, wait_until_loaded

LESSONS = {lesson["name"]: lesson for lesson in lessons_content()}


@pytest.fixture
def open_lesson(open_page, address):
    def page_of(name, step=0, **more):
        page = wait_until_loaded(open_page(f"{address}?lesson={name}/{step}", **more))
        expect(page.locator(".lesson")).to_be_visible()
        wait_until_idle(page)
        return page

    return page_of


def write_points(page, points):
    if not page.locator("[data-fold=points][open]").count():
        page.locator("[data-fold=points] > summary").click()
    if not page.get_by_role("textbox", name="Points as text").is_visible():
        page.get_by_text("Points as text", exact=True).click()
    page.get_by_role("textbox", name="Points as text").fill("\n".join(",".join(map(str, point)) for point in points))
    page.get_by_role("button", name="Use these points").click()
    wait_until_idle(page)


def choose(page, name, value):
    """Set one control of the recipe, opening what it is folded into."""
    control = page.locator(f".recipe [data-parameter={name}]")
    for fold in ("[data-fold=recipe]:not([open]) > summary", ".recipe details:not([open]) summary"):
        if not control.is_visible() and page.locator(fold).count():
            page.locator(fold).click()
    if isinstance(value, bool):
        control.set_checked(value)
    elif control.evaluate("({ tagName }) => tagName") == "SELECT":
        control.select_option(value)
    else:
        control.fill(str(value))
        control.press("Tab")
    wait_until_idle(page)


def choose_recipe(page, changes):
    if "learner" in changes:
        choose(page, "learner", changes["learner"])
    if "parameters" not in changes:
        return
    before, after = state(page)["parameters"], changes["parameters"]
    for name, value in after.items():
        if before.get(name) != value:
            choose(page, name, value)
    if before.get("fit_intercept") is False and "fit_intercept" not in after:
        choose(page, "fit_intercept", True)


def act(page, changes):
    """Do what a solution says, with the controls that a student has."""
    choose_recipe(page, changes)
    if "points" in changes:
        write_points(page, changes["points"])
    if "add" in changes:
        write_points(page, [*(point_of(one) for one in state(page)["points"]), changes["add"]])
    if changes.get("step") == "end":
        page.locator("[data-play=end]").click()
    elif "step" in changes:
        page.locator("[data-control=step]").fill(str(changes["step"]))
    if "view" in changes:
        page.locator(f"[data-view={changes['view']}]").click()
    wait_until_idle(page)


def point_of(point):
    return [*point[:2], int(point[2])]


def answer(page, value):
    page.locator("[data-lesson=answer]").fill(str(value))
    page.locator("[data-lesson=check]").click()


def is_right(page):
    return page.locator(".feedback.right")


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_lesson_is_solved_by_hand(open_lesson, name):
    page, steps = open_lesson(name), LESSONS[name]["steps"]
    for k, step in enumerate(steps):
        expect(page.locator(".lesson .progress")).to_contain_text(f"step {k + 1} of {len(steps)}")
        wait_until_idle(page)
        solution = step["goal"]["solution"]
        assert is_right(page).count() == 0, "a goal is not met from the start"
        act(page, solution)
        if "answer" in solution:
            answer(page, solution["answer"])
        expect(is_right(page)).to_be_visible()
        word = is_right(page).inner_text()
        assert "{" not in word
        assert "–" not in word  # the sign of a number that is not known
        if k + 1 < len(steps):
            page.locator("[data-lesson=next]").click()
    following = [*LESSON_NAMES, None][LESSON_NAMES.index(name) + 1]
    page.locator("[data-lesson=next]").click()
    expect(page.locator("[data-control=lesson]")).to_have_value(following or "")


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_lesson_says_what_is_missing(open_lesson, name):
    """Nothing done, or a wrong answer: each step says what is missing, and is not solved."""
    page, steps = open_lesson(name), LESSONS[name]["steps"]
    for k, step in enumerate(steps):
        goal = step["goal"]
        expect(page.locator(".lesson .progress")).to_contain_text(f"step {k + 1} of {len(steps)}")
        wait_until_idle(page)
        page.locator("[data-lesson=check]").click()
        words = [need["otherwise"] for need in goal["needs"]]
        expect(page.locator(".feedback")).not_to_have_text("")
        assert any(starts_alike(page.locator(".feedback").inner_text(), word) for word in words)
        if "answer" in goal["solution"]:
            act(page, goal["solution"])
            answer(page, goal["solution"]["answer"] + 7)
            expect(page.locator(".feedback")).to_contain_text(f"Not {signed(goal['solution']['answer'] + 7)}")
        assert is_right(page).count() == 0
        page.locator("[data-lesson=next]").click()


def starts_alike(text, template):
    return text.startswith(template.partition("{")[0])


def signed(value):
    return f"{value:g}".replace("-", "−")


def test_a_wrong_change_gets_a_word_at_once(open_lesson):
    """Without asking: the word holds the numbers of the certificate."""
    page = open_lesson("novikoff", 2)
    write_points(page, [[3, 3, 1], [4, 3, 1], [1.1, 1.1, 0]])
    expect(page.locator(".feedback")).to_contain_text("it was 117. Move the ■ towards the ●.")
    write_points(page, [[3, 3, 1], [4, 3, 1], [3.5, 3, 0]])
    expect(page.locator(".feedback")).to_contain_text("Now no line separates the classes")
    write_points(page, [[3, 3, 1], [4, 3, 1], [2, 2, 0]])
    expect(is_right(page)).to_contain_text("from 117 to 702")


def test_a_click_flips_a_class(open_lesson):
    """Choose ■, click the ● in the middle: the classes are inseparable, which is proved."""
    page = open_lesson("pocket")
    page.locator("[title='class 0']").click()
    page.mouse.click(*place(page, 1.5, 2))
    wait_until_idle(page)
    expect(page.locator(".feedback")).to_contain_text("Still separable")
    page.get_by_role("button", name="Undo").click()
    page.mouse.click(*place(page, 2.8, 2.3))
    wait_until_idle(page)
    expect(is_right(page)).to_be_visible()
    assert state(page)["points"][3] == [2.8, 2.3, 0]


def test_a_picked_up_point_changes_its_class_by_a_key(open_lesson):
    page = open_lesson("pocket")
    page.locator("canvas.plane").focus()
    for key in ("n", "n", "n", "n", "Enter", "1", "Enter"):
        page.keyboard.press(key)
    expect(is_right(page)).to_be_visible()


def test_a_solution_is_shown_to_whoever_asks(open_lesson):
    page = open_lesson("xor", 3)
    page.get_by_role("button", name="Show a solution").click()
    expect(is_right(page)).to_be_visible()
    assert page.locator("[data-parameter=features]").input_value() == "polynomial-2"


def test_the_menu_opens_lessons_and_the_address_remembers_them(open_page, address):
    page = wait_until_loaded(open_page(address))
    page.locator("[data-control=lesson]").select_option("xor")
    page.locator("[data-lesson=next]").click()
    expect(page.locator(".lesson .progress")).to_have_text("Lesson 11 of 12, step 2 of 6")
    assert state(page)["lesson"] == "xor/1"
    other = wait_until_loaded(open_page(page.url))
    expect(other.locator(".lesson .progress")).to_have_text("Lesson 11 of 12, step 2 of 6")
    other.get_by_role("button", name="Leave lesson").click()
    expect(other.locator(".lesson")).to_be_hidden()
    assert state(other)["lesson"] is None
    assert other.locator("[data-parameter=learner]").is_visible()


def test_the_command_opens_a_lesson(browser):
    running, address = start_lab("--lesson", "xor")
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    expect(page.locator(".lesson h2")).to_have_text(LESSONS["xor"]["title"])
    context.close()
    running.terminate()
    running.communicate()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1600, 1280, 390])
def test_everyone_can_read_a_lesson(open_lesson, scheme, width):
    page = open_lesson("novikoff", 2, width=width, scheme=scheme)
    write_points(page, [[3, 3, 1], [4, 3, 1], [2, 2, 0]])
    expect(is_right(page)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert violations(page, **({} if scheme == "light" else {"runOnly": ["color-contrast"]})) == []


def test_goals_use_the_numbers_of_the_core(open_lesson):
    page = open_lesson("novikoff", 1)
    assert json.loads(page.locator("[data-bound]").get_attribute("data-bound")) == pytest.approx(117)


def test_a_step_is_busy_until_its_points_are_there(open_page, address):
    page, held = wait_until_loaded(open_page(address)), []
    page.route("**/ask/preset", lambda route: held.append(route))
    page.locator("[data-control=lesson]").select_option("orders")  # whose first step begins with a preset
    expect(page.locator(".lesson")).to_be_visible()
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert page.locator(".rosenblatt-lab").get_attribute("data-busy") == "true"
    page.wait_for_timeout(300)  # longer than a state waits to be saved
    assert page.locator(".rosenblatt-lab").get_attribute("data-busy") == "true"
    held.pop().continue_()
    wait_until_idle(page)
    assert len(state(page)["points"]) > 4


def test_points_written_at_once_are_kept(open_page, address):
    """The text is filled before the fold is open, not by an event that may come after somebody has written."""
    page = wait_until_loaded(open_page(address))
    written = page.evaluate(
        """() => new Promise((done) => {
            const folds = [...document.querySelectorAll("details")];
            const fold = folds.find((one) => one.textContent.startsWith("Points as text"));
            const text = fold.querySelector("textarea");
            fold.addEventListener("toggle", () => setTimeout(() => done(text.value)));
            fold.querySelector("summary").click();
            const filled = text.value;
            text.value = `${filled} written`;
        })"""
    )
    assert written.endswith(" written")
    assert written.count(",") > 3  # and it was filled with the points
