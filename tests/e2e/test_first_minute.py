"""What a newcomer meets: a question before its answer, one thing to press, words that explain themselves, no jumps."""

import pytest
from playwright.sync_api import expect

import rosenblatt
from rosenblatt.lab.presets import preset_points
from rosenblatt.lab.questions import answer_question

from .lab_page import use_preset, violations, wait_until_idle, wait_until_loaded

SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value)))
    .observe({ type: "layout-shift" });
  document.querySelector("[data-play=play]").click();
}"""


@pytest.fixture
def page(open_page, address):
    return wait_until_loaded(open_page(address))


def test_it_opens_with_the_question_and_not_with_the_answer(page):
    assert page.locator("[data-name=step]").inner_text() == "0 / 7"
    assert page.locator(".caption").inner_text().startswith("Press Play.")
    assert page.locator("[data-kind]").is_hidden()
    assert page.locator(".outcome").is_hidden()
    assert not page.locator("[data-layer=theory]").is_checked()
    sizes = {one.get_attribute("data-play"): one.bounding_box() for one in page.locator("button[data-play]").all()}
    area = {name: box["width"] * box["height"] for name, box in sizes.items()}
    assert area.pop("play") > 2 * max(area.values())
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-name=step]")).to_have_text("7 / 7")
    expect(page.locator("[data-kind=complete]")).to_be_visible()
    expect(page.locator(".outcome")).to_have_text("Ended: no mistakes left after 6 epochs.")
    assert page.locator("[data-layer=theory]").is_checked()
    page.locator("[data-play=back]").click()  # what was seen once stays
    wait_until_idle(page)
    assert page.locator("[data-kind=complete]").is_visible()
    assert page.locator(".outcome").is_hidden()  # the result is that of the end


def test_the_proof_is_shown_to_whoever_asks(page):
    page.get_by_role("button", name="Show the proof now").click()
    wait_until_idle(page)
    assert page.locator("[data-kind=complete]").is_visible()
    assert page.locator("[data-layer=theory]").is_checked()
    assert page.locator("[data-name=step]").inner_text() == "0 / 7"
    page.locator("[data-control=preset]").select_option("xor")  # other points are a new question
    wait_until_idle(page)
    assert page.locator("[data-kind]").is_hidden()


def test_warnings_stand_with_the_result(page):
    use_preset(page, "overlap")
    points = preset_points({"preset": "overlap"})
    (note,) = answer_question("run", {**points, "parameters": {"order": "cyclic"}})["result"]["notes"]
    advice = page.locator(".notes").inner_text()
    assert "PocketPerceptron returns the best weights it finds" in advice
    assert note.endswith(advice)
    assert page.locator(".caption").inner_text().startswith("The run ended with 33 of 80 points")


def test_nobody_is_told_to_improve_what_is_proved_to_be_the_best(page):
    page.locator("[data-parameter=learner]").select_option("PocketPerceptron")
    use_preset(page, "overlap")
    page.get_by_text("fewer than 9 mistakes on these points. The one that is returned makes no more.").wait_for()
    assert page.locator(".notes").inner_text() == ""


def test_what_the_learner_chose_is_shown_in_numbers(page):
    page.locator("[data-parameter=learner]").select_option("KernelPerceptron")
    wait_until_idle(page)
    X, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, 0]
    gamma = rosenblatt.KernelPerceptron().fit(X, y).training_problem(X, y).kernel.gamma
    assert page.locator("[data-parameter=gamma]").get_attribute("placeholder") == f"automatic: {gamma:g}"
    page.locator("[data-parameter=learner]").select_option("LinearSVM")
    wait_until_idle(page)
    assert page.locator("[data-parameter=order] option").first.inner_text() == "automatic: shuffle"


def test_words_are_explained_by_pointer_and_by_keyboard(page):
    tooltip, word = page.locator(".tooltip"), page.locator("[data-term=margin]").first
    word.hover()
    expect(tooltip).to_contain_text("How far a point is on the right side of the line.")
    assert word.get_attribute("aria-describedby") == tooltip.get_attribute("id")
    page.mouse.move(0, 0)
    expect(tooltip).to_be_hidden()
    word.focus()
    expect(tooltip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tooltip).to_be_hidden()
    page.get_by_role("button", name="What is order?").focus()
    expect(tooltip).to_contain_text("shuffle:")
    assert violations(page) == []


def test_words_are_explained_by_touch(open_page, address):
    page = wait_until_loaded(open_page(address, width=390, height=844, has_touch=True, is_mobile=True))
    page.locator("[data-term=offset]").tap()
    expect(page.locator(".tooltip")).to_contain_text("moves the line away from the origin")
    box = page.locator(".tooltip").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.locator(".caption").tap()
    expect(page.locator(".tooltip")).to_be_hidden()


def test_the_glossary_lists_every_word(page):
    page.get_by_role("button", name="Glossary").click()
    listed = page.locator("dialog.glossary dt").all_inner_texts()
    words = page.evaluate("[...document.querySelectorAll('[data-term]')].map(({ dataset }) => dataset.term)")
    assert set(words) <= set(listed)
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert page.locator("dialog.glossary").is_hidden()


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("preset", ["three", "xor", "gap"])
def test_nothing_jumps_while_it_plays(open_page, address, preset, width):
    """Chromium's own measure of layout shifts, over the whole run and its end."""
    page = wait_until_loaded(open_page(address, width=width))
    page.locator("[data-control=preset]").select_option(preset)
    page.locator("[data-control=speed]").select_option("30")
    wait_until_idle(page)
    page.evaluate("scrollTo(0, 0)")
    page.evaluate(SHIFTS)
    updates = page.locator("[data-control=step]").get_attribute("max")
    expect(page.locator("[data-name=step]")).to_have_text(f"{updates} / {updates}")
    expect(page.locator("[data-kind]")).to_be_visible()
    wait_until_idle(page)
    assert sum(page.evaluate("window.shifts")) < 0.02


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1600, 1280, 390])
def test_everyone_can_read_the_first_view(open_page, address, scheme, width):
    page = wait_until_loaded(open_page(address, width=width, scheme=scheme))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    assert violations(page, **({} if scheme == "light" else {"runOnly": ["color-contrast"]})) == []


def test_a_fold_can_be_opened_before_the_first_frame_of_a_run(open_page, address):
    page = open_page(address)
    page.add_init_script("window.requestAnimationFrame = () => 0")  # as on a busy machine, which draws late
    page.reload()
    expect(page.locator(".verdict > *").first).to_be_attached()
    fold = page.locator("[data-fold=novikoff]")
    heard = "(fold) => new Promise((seen) => fold.addEventListener('toggle', () => setTimeout(seen)))"
    fold.evaluate(f"(fold) => {{ const heard = ({heard})(fold); fold.open = true; return heard; }}")
