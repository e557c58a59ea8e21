"""The picture on the page: layers, views, lifted and one-dimensional spaces, and the files that it is saved as."""

import numpy as np
import pytest

import rosenblatt
from rosenblatt.lab.packed_arrays import unpack_array

from .lab_page import (
    assert_shows_answer,
    download,
    expected_answer,
    number,
    pixels,
    place,
    state,
    use_preset,
    wait_until_idle,
)


def test_layers_and_views_change_the_picture(page):
    use_preset(page, "gap")
    wait_until_idle(page)
    for layer in page.locator("[data-layer]").all():
        before = pixels(page)
        layer.click()
        wait_until_idle(page)
        assert pixels(page) != before, layer.get_attribute("data-layer")
        layer.click()
    page.get_by_role("button", name="Lift in 3-D").click()
    wait_until_idle(page)
    before = pixels(page)
    page.mouse.move(*place(page, 0, 0))
    page.mouse.down()
    page.mouse.move(*place(page, 2, 1), steps=5)
    page.mouse.up()
    wait_until_idle(page)
    turned = pixels(page)
    assert turned != before
    page.locator("canvas.plane").press("ArrowLeft")
    wait_until_idle(page)
    assert pixels(page) != turned
    assert len(state(page)["points"]) == 60  # turning places nothing


@pytest.mark.parametrize("learner", ["Perceptron", "KernelPerceptron"])
def test_curved_recipes(page, learner):
    page.locator("[data-parameter=learner]").select_option(learner)
    if learner == "Perceptron":
        page.locator("[data-parameter=features]").select_option("polynomial-2")
    for preset in ("axis", "classes", "circles"):
        use_preset(page, preset)
        assert assert_shows_answer(page)["lift"] is not None
        before = pixels(page)
        page.locator("[data-layer=regions]").click()
        wait_until_idle(page)
        assert pixels(page) != before
    assert page.locator("[data-kind]").get_attribute("data-kind") == "complete"
    page.get_by_role("button", name="Lift in 3-D").click()
    wait_until_idle(page)
    before = pixels(page)
    page.locator("canvas.plane").press("ArrowUp")
    wait_until_idle(page)
    assert pixels(page) != before


def test_what_is_returned_is_drawn_where_it_is_not_the_last(page, tmp_path):
    use_preset(page, "overlap")
    wait_until_idle(page)
    assert ">returned</text>" not in download(page, "svg", tmp_path).read_text()
    page.locator("[data-parameter=keep]").select_option("average")
    wait_until_idle(page)
    assert ">returned</text>" in download(page, "svg", tmp_path).read_text()


def test_one_dimension(page, tmp_path):
    page.get_by_label("one dimension").check()
    wait_until_idle(page)
    assert len(number(page, "w")) == 1
    assert_shows_answer(page)
    page.get_by_text("A border on the axis separates the classes").wait_for()
    for layer in ("theory", "band"):
        before = pixels(page)
        page.locator(f"[data-layer={layer}]").click()
        wait_until_idle(page)
        assert pixels(page) != before, layer
    page.get_by_role("button", name="Lift in 3-D").click()
    wait_until_idle(page)
    assert "(w, b)" in download(page, "svg", tmp_path).read_text()


@pytest.mark.parametrize("preset", ["classes", "circles", "axis"])
def test_the_margin_of_a_kernel_is_that_of_its_space(page, preset):
    """How near the nearest point comes to the boundary, in the kernel's space: min y f(x) / ||w||."""
    page.locator("[data-parameter=learner]").select_option("KernelPerceptron")
    use_preset(page, preset)
    found = state(page)
    points = np.array(found["points"])
    X, y = points[:, : found["dimension"]], points[:, 2].astype(int)
    model = rosenblatt.KernelPerceptron(max_iter=100, random_state=0).fit(X, y, trace=True)
    if preset == "classes":
        assert number(page, "margin") is None
    else:
        signs = np.where(y == 1, 1, -1)
        assert number(page, "margin") == pytest.approx(
            (signs * model.decision_function(X)).min() / model.trace_["norm"][-1]
        )
        assert (
            page.locator("[data-bound]")
            .inner_text()
            .startswith(f"{len(model.trace_['row'])} mistakes so far, of at most")
        )


def test_the_lift_of_several_classes_says_whose_plane_it_shows(page, tmp_path):
    use_preset(page, "classes")
    wait_until_idle(page)
    assert page.locator(".layers").is_visible()
    page.get_by_role("button", name="Lift in 3-D").click()
    wait_until_idle(page)
    assert page.locator(".layers").is_hidden()  # they are layers of the plane
    moved = expected_answer(page)["trace"]["class"]
    sign = "■●▲"[unpack_array(moved)[-1]]
    assert f"the plane of {sign} against the rest" in download(page, "svg", tmp_path).read_text()


def test_files_of_what_is_seen(page, tmp_path):
    assert download(page, "csv", tmp_path).read_text() == "x1,x2,class\n3,3,1\n4,3,1\n1,1,0\n"
    assert download(page, "png", tmp_path).read_bytes().startswith(b"\x89PNG")
    svg = download(page, "svg", tmp_path).read_text()
    assert svg.startswith("<svg")
    assert svg.count("<circle") >= 2
    assert ">w</text>" in svg
    other = page.context.new_page()
    other.goto((tmp_path / "lab.svg").as_uri())  # a browser reads it without complaint
    assert other.locator("svg").count() == 1


def test_a_picture_is_saved_at_twice_its_size(page):
    with page.expect_download() as download:
        page.locator("[data-share=png]").click()
    data = download.value.path().read_bytes()
    width = page.evaluate("document.querySelector('canvas.plane').clientWidth")
    assert int.from_bytes(data[16:20], "big") == 2 * width


# Hides the page for as long as its next frame takes, in which its theme changes; sizes are the same before and after.
HIDE_FOR_A_FRAME = """async () => {
  const root = document.querySelector(".rosenblatt-lab");
  root.style.display = "none";
  root.dataset.theme = "dark";
  await new Promise(requestAnimationFrame);
  root.style.display = "";
}"""


def test_a_page_that_was_hidden_for_a_moment_is_drawn_again(page):
    """JupyterLab hides a notebook while its theme changes; the picture stayed empty."""
    page.evaluate(HIDE_FOR_A_FRAME)
    wait_until_idle(page)
    assert page.evaluate("document.querySelector('canvas.plane').width") > 0
