"""Points on the page: placed, dragged, deleted, written, drawn by chance, taken back and redone."""

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.presets import PRESETS, preset_points

from .lab_page import assert_shows_answer, place, state, use_preset, wait_until_idle


def test_points_are_placed_dragged_and_deleted(page):
    page.mouse.click(*place(page, -3, 2))
    wait_until_idle(page)
    assert state(page)["points"][-1] == pytest.approx([-3, 2, 1], abs=0.03)
    assert_shows_answer(page)
    page.locator("[title='class 0']").click()
    page.mouse.click(*place(page, -1, -3))
    wait_until_idle(page)
    assert state(page)["points"][-1] == pytest.approx([-1, -3, 0], abs=0.03)
    page.mouse.move(*place(page, -3, 2))
    page.mouse.down()
    page.mouse.move(*place(page, -2, -1), steps=8)
    page.mouse.up()
    wait_until_idle(page)
    assert state(page)["points"][3] == pytest.approx([-2, -1, 1], abs=0.03)
    assert_shows_answer(page)
    page.mouse.click(*place(page, -2, -1), button="right")
    wait_until_idle(page)
    assert len(state(page)["points"]) == 4
    page.locator("[title='erase points']").click()
    page.mouse.click(*place(page, -1, -3))
    wait_until_idle(page)
    assert state(page)["points"] == [[3, 3, 1], [4, 3, 1], [1, 1, 0]]
    assert_shows_answer(page)


def test_an_empty_plane_asks_for_points_in_a_sentence(page):
    page.get_by_role("button", name="Clear").click()
    page.get_by_text("Click anywhere to place a point.").wait_for()
    page.get_by_text("Place points of at least two classes").wait_for()
    page.mouse.click(*place(page, 1, 1))
    page.locator("[title='class 2']").click()
    page.mouse.click(*place(page, -1, -1))
    wait_until_idle(page)
    assert page.locator(".problem").is_hidden()
    assert_shows_answer(page)


def test_clearing_the_points_clears_the_run(page):
    """Neither a verdict, nor a neuron, nor code of points that have gone."""
    page.get_by_role("button", name="Clear").click()
    wait_until_idle(page)
    assert page.locator("[data-control=preset]").input_value() == ""
    assert page.locator("[data-kind]").is_hidden()
    assert page.locator("canvas.neuron").is_hidden()
    assert page.locator("[data-share=python]").is_disabled()
    page.get_by_role("button", name="Undo").click()
    assert_shows_answer(page)
    assert page.locator("[data-kind]").is_visible()
    assert page.locator("canvas.neuron").is_visible()


def test_changes_of_points_are_taken_back(page):
    three = state(page)["points"]
    page.mouse.click(*place(page, -3, 2))
    wait_until_idle(page)
    page.mouse.move(*place(page, -3, 2))
    page.mouse.down()
    page.mouse.move(*place(page, -2, -1), steps=8)
    page.mouse.up()
    wait_until_idle(page)
    use_preset(page, "axis")
    wait_until_idle(page)
    assert state(page)["dimension"] == 1
    page.locator("canvas.plane").focus()
    page.keyboard.press("Control+z")
    assert state(page)["points"][3] == pytest.approx([-2, -1, 1], abs=0.03)
    assert state(page)["dimension"] == 2
    page.keyboard.press("Control+z")  # a drag is one change
    assert state(page)["points"][3] == pytest.approx([-3, 2, 1], abs=0.03)
    page.keyboard.press("Control+z")
    assert state(page)["points"] == three
    assert page.locator("[data-control=preset]").input_value() == "three"
    assert page.locator("[data-control=undo]").is_disabled()
    assert_shows_answer(page)


def test_points_can_be_written(page):
    page.get_by_text("Points as text").click()
    text = page.get_by_role("textbox", name="Points as text")
    expect(text).to_have_value("x1,x2,class\n3,3,1\n4,3,1\n1,1,0\n")
    text.fill("0 0 0\n2, 2, 1\n")
    page.get_by_role("button", name="Use these points").click()
    wait_until_idle(page)
    assert state(page)["points"] == [[0, 0, 0], [2, 2, 1]]
    assert_shows_answer(page)
    text.fill("0 0\n")
    page.get_by_role("button", name="Use these points").click()
    page.get_by_text("Line 1 must be x1, x2, class, not “0 0”.").wait_for()
    text.fill("0 0 1\n0 1 7\n")
    page.get_by_role("button", name="Use these points").click()
    page.get_by_text("Line 2 has the class 7: classes are 0 to 3.").wait_for()
    text.fill("0.123456789 0 0\n1e-5 1 1\n")
    page.get_by_role("button", name="Use these points").click()
    wait_until_idle(page)
    assert state(page)["points"] == [[0.123456789, 0, 0], [1e-5, 1, 1]]  # an address rounds nothing
    assert_shows_answer(page)


def test_presets(page):
    for name in PRESETS:
        use_preset(page, name)
        wanted = preset_points({"preset": name})
        assert state(page)["points"] == wanted["points"]
        assert state(page)["dimension"] == wanted["dimension"]
        assert_shows_answer(page)


def test_the_margin_of_blobs_is_chosen(page):
    use_preset(page, "gap")
    wait_until_idle(page)
    slider = page.locator("[data-control=margin]")
    slider.fill("1.5")
    slider.dispatch_event("change")
    wait_until_idle(page)
    assert float(page.locator("[data-margin]").get_attribute("data-margin")) == pytest.approx(1.5, abs=0.02)
    before = state(page)["points"]
    page.get_by_role("button", name="Draw new points").click()
    wait_until_idle(page)
    assert state(page)["points"] != before
    assert_shows_answer(page)


def test_what_was_undone_can_be_redone(page):
    before = state(page)["points"]
    page.locator("canvas.plane").click(position={"x": 60, "y": 60})
    placed = state(page)["points"]
    assert len(placed) == len(before) + 1
    assert page.locator("[data-control=redo]").is_disabled()
    page.locator("[data-control=undo]").click()
    assert state(page)["points"] == before
    page.locator("[data-control=redo]").click()
    assert state(page)["points"] == placed
    page.keyboard.press("Control+z")
    assert state(page)["points"] == before
    page.keyboard.press("Control+Shift+z")
    assert state(page)["points"] == placed


def test_only_presets_of_chance_offer_other_points(page):
    assert page.locator("[data-control=draw]").count() == 0
    page.locator("[data-control=preset]").select_option("gap")
    wait_until_idle(page)
    assert page.locator("[data-control=draw]").count() == 1
