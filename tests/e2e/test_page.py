"""A run on the page: its steps, its recipe, its speed. Every number that it shows is compared with the core's."""

import numpy as np
from playwright.sync_api import expect

import rosenblatt
from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.registry import classifier_entries

from .lab_page import assert_shows_answer, number, state, use_preset, wait_until_idle

# The first look


THREE = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0])


def test_the_three_points_of_the_notes(page):
    model = rosenblatt.Perceptron(order="cyclic").fit(*THREE, trace=True)
    assert number(page, "w") == model.coef_[0].tolist() == [1.0, 1.0]
    assert number(page, "b") == model.intercept_[0] == -3.0
    assert page.locator("[data-name=step]").inner_text() == "7 / 7"
    assert float(page.locator("[data-bound]").get_attribute("data-bound")) == rosenblatt.mistake_bound(*THREE).bound
    assert float(page.locator("[data-margin]").get_attribute("data-margin")) == rosenblatt.max_margin(*THREE).margin
    page.get_by_text("both inequalities of the proof hold").wait_for()
    assert_shows_answer(page)


def test_the_rule_is_written_with_its_numbers(page):
    page.locator("[data-play=start]").click()
    page.locator("[data-play=forward]").click()
    wait_until_idle(page)
    assert "w = (0, 0) + 1 · (3, 3) = (3, 3),  b = 0 + 1 = 1" in page.locator(".rule").text_content()
    page.locator("[data-play=forward]").click()
    wait_until_idle(page)
    assert "w = (3, 3) − 1 · (1, 1) = (2, 2),  b = 1 − 1 = 0" in page.locator(".rule").text_content()
    assert "a mistake" in page.locator(".rule").text_content()
    page.locator("[data-play=end]").click()  # w = (1, 1), b = -3: the line is at (1.5, 1.5), the point (1, 1) behind it
    wait_until_idle(page)
    assert "w and the point are 180° apart" in page.locator(".rule").text_content()


def test_every_step_can_be_reached_in_every_way(page):
    page.locator("[data-play=start]").click()
    assert number(page, "w") == [0, 0]
    page.locator("[data-play=forward]").click()
    assert_shows_answer(page)
    page.locator("[data-play=back]").click()
    assert number(page, "w") == [0, 0]
    page.locator("[data-play=end]").click()
    assert_shows_answer(page)
    page.locator("[data-control=step]").fill("3")
    assert number(page, "w") == [1, 1]
    assert_shows_answer(page)
    page.locator("[data-play=start]").click()
    page.locator("[data-control=speed]").select_option("30")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-name=step]")).to_have_text("7 / 7")
    page.get_by_role("button", name="Play").wait_for()  # it has paused by itself
    assert_shows_answer(page)


# The recipe


def test_every_control_of_every_learner(page):
    """Each is set to another value, and the run on the page is the one that was asked for, or an error is shown."""
    used = set()
    for learner in classifier_entries().values():
        page.locator("[data-parameter=learner]").select_option(learner.name)
        assert_shows_answer(page)
        if page.locator(".recipe details:not([open])").count():
            page.locator(".recipe summary").click()
        for parameter in learner.parameters.values():
            control = page.locator(f".recipe [data-parameter={parameter.name}]")
            help_button = page.get_by_role("button", name=f"What is {parameter.name}?", exact=True)
            assert help_button.get_attribute("data-help").startswith(parameter.help)
            if parameter.name in used:
                continue
            used.add(parameter.name)
            other = change_control(control, parameter)
            assert state(page)["parameters"][parameter.name] == other, parameter.name
            reset_control(control, parameter)
        assert_shows_answer(page)


def change_control(control, parameter):
    """Set a control to something else, and say what."""
    if parameter.kind == "switch":
        control.click()
        return not parameter.default
    if parameter.kind == "choice":
        other = next((name for name in parameter.options if name != parameter.default), "")
        control.select_option(other)
        return other or None
    value = {"random_state": 3, "max_iter": 7, "n_iter_no_change": 9, "degree": 3, "budget": 4}.get(parameter.name, 0.5)
    value = 2 if parameter.kind == "whole" and isinstance(value, float) else value
    control.fill(str(value))
    control.press("Tab")
    return value


def reset_control(control, parameter):
    if parameter.kind == "switch":
        control.click()
    elif parameter.kind == "choice":
        control.select_option("" if parameter.default is None else parameter.default)
    else:
        control.fill("" if parameter.default is None else str(parameter.default))
        control.press("Tab")


def test_parts_that_do_not_go_together_are_told(page):
    page.locator("[data-parameter=order]").select_option("working-set")
    page.locator("[data-parameter=keep]").select_option("best")
    page.get_by_text("order='working-set' does not go with keep='best'").wait_for()
    page.locator("[data-parameter=keep]").select_option("last")
    wait_until_idle(page)
    assert page.locator(".problem").is_hidden()


# Speed


PLAY = """async () => {
  const shown = document.querySelector("[data-name=step]");
  const seen = new Set();
  document.querySelector("[data-play=play]").click();
  const began = performance.now();
  while (shown.textContent !== "2,000 / 2,000" && performance.now() - began < 120000) {
    await new Promise(requestAnimationFrame);
    seen.add(shown.textContent);
  }
  return seen.size / ((performance.now() - began) / 1000);
}"""


def test_two_thousand_updates_play_to_the_end(page):
    use_preset(page, "spirals")
    wait_until_idle(page)
    page.locator("[data-control=speed]").select_option("1000")
    page.locator("[data-play=start]").click()
    wait_until_idle(page)
    assert page.evaluate(PLAY) > 0
    assert page.locator("[data-name=step]").inner_text() == "2,000 / 2,000"
    assert_numbers_are_of_the_last_update_shown(page)


def assert_numbers_are_of_the_last_update_shown(page):
    """The run went on: numbers belong to the line that is drawn, and the result says that it is of a later moment."""
    answer, points = assert_shows_answer(page), np.array(state(page)["points"])
    weights = unpack_array(answer["path"])[-1, 0]
    signs = np.where(points[:, 2] == 1, 1, -1)
    assert number(page, "misclassified") == np.sum(signs * (points[:, :2] @ weights[:-1] + weights[-1]) <= 0)
    outcome = page.locator(".outcome").inner_text()
    later = f"The run went on to {answer['result']['updates']:,} updates"
    assert outcome.startswith(f"The page shows the first 2,000 updates. {later}")


# Safety


def test_another_page_cannot_ask(address, browser):
    """A page of another origin gets nothing from the lab, though it runs in the same browser."""
    context = browser.new_context()
    other = context.new_page()
    other.goto("about:blank")
    found = other.evaluate(
        """async (address) => {
          const headers = { "content-type": "application/json" };
          try {
            return await (await fetch(address + "ask/about", { method: "POST", headers, body: "{}" })).text();
          } catch {
            return "refused";
          }
        }""",
        address,
    )
    context.close()
    assert found == "refused"


def test_a_lab_that_has_gone_is_told_in_a_sentence(page):
    page.route("**/ask/*", lambda route: route.abort())
    page.evaluate("console.error = () => {}")
    page.locator("[data-parameter=eta0]").fill("0.5")
    page.locator("[data-parameter=eta0]").press("Tab")
    page.get_by_text("The lab does not answer: is `rosenblatt lab` still running?").wait_for()


def test_a_score_of_zero_is_a_mistake(page):
    """Before the first update all weights are 0, and every point counts as misclassified: the neuron says the same."""
    page.locator("[data-play=start]").click()
    assert number(page, "misclassified") == 3
    assert "undecided: a mistake" in page.locator("canvas.neuron").get_attribute("aria-label")
