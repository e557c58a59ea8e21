"""The page for everyone: by keyboard alone, by axe's rules, in both themes, for colour-blind readers."""

import numpy as np
import pytest

from .lab_page import pixels, state, use_preset, violations, wait_until_idle, wait_until_loaded


def test_by_keyboard_alone(page):
    """Tab leads to every control; a point is placed, moved and removed, and a run played, without a mouse."""
    canvas = page.locator("canvas.plane")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('plane')"):
            break
    else:
        pytest.fail("Tab never reaches the plane")
    page.keyboard.press("2")  # of the class
    for key in ["ArrowLeft"] * 4 + ["ArrowUp"] * 2:
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    wait_until_idle(page)
    assert state(page)["points"][-1] == [-2, 1, 1]
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    wait_until_idle(page)
    assert state(page)["points"][-1] == [-1.9, 1, 1]
    page.keyboard.press("Delete")
    wait_until_idle(page)
    assert len(state(page)["points"]) == 3
    page.keyboard.press("n")
    page.get_by_text("Point 1 of 3 ● at 3, 3.").wait_for()
    page.keyboard.press(",")
    wait_until_idle(page)
    assert page.locator("[data-name=step]").inner_text() == "6 / 7"
    page.locator("[data-control=preset]").focus()
    page.keyboard.press("o")  # "custom points" to "Overlapping blobs"; the menu keeps the focus
    wait_until_idle(page)
    assert page.evaluate("document.activeElement.dataset.control") == "preset"
    assert len(state(page)["points"]) == 80
    canvas.focus()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("Object.values(document.activeElement.dataset)[0]"))
    assert {"start", "back", "play", "forward", "end", "step", "speed", "svg", "csv", "python"} <= reached
    canvas.focus()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everyone_can_read_it(open_page, address, scheme, width):
    """All of axe's rules once at each width; contrast in both themes."""
    page = wait_until_loaded(open_page(address, width=width, scheme=scheme))
    use_preset(page, "overlap")
    wait_until_idle(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
    page.locator("[data-share=python]").click()
    assert violations(page, **({} if scheme == "light" else {"runOnly": ["color-contrast"]})) == []


def test_the_theme_can_be_changed_by_hand(page):
    paper = "getComputedStyle(document.querySelector('.rosenblatt-lab')).backgroundColor"
    before, picture = page.evaluate(paper), pixels(page)
    page.get_by_role("button", name="Dark or light").click()
    wait_until_idle(page)
    assert page.evaluate(paper) != before
    assert pixels(page) != picture
    assert page.get_by_text("Audited in exact arithmetic").is_visible()  # proofs outlive the theme


def linear(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels])


# Linear RGB as people without red or green cones see it (Viénot, Brettel and Mollon, 1999).
BLIND = {
    "protan": np.array([[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]]),
    "deutan": np.array([[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]]),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_of_classes_stay_apart_for_colour_blind_readers(open_page, address, scheme):
    page = wait_until_loaded(open_page(address, scheme=scheme))
    style = "getComputedStyle(document.querySelector('.rosenblatt-lab')).getPropertyValue('--class-%d').trim()"
    colours = [linear(page.evaluate(style % k)) for k in range(2)]
    for sight in BLIND.values():
        one, other = (np.clip(sight @ colour, 0, 1) ** (1 / 2.2) for colour in colours)
        assert np.linalg.norm(one - other) > 0.3


def test_the_chosen_theme_is_kept(open_page, address):
    page = wait_until_loaded(open_page(address, scheme="light"))
    page.get_by_role("button", name="Dark or light").click()
    page.reload()
    wait_until_loaded(page)
    assert page.locator(".rosenblatt-lab").get_attribute("data-theme") == "dark"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
