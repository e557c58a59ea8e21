"""The page as a person uses it. Every number that it shows is compared with the core's."""

import base64
import json
import urllib.parse
import zlib

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import rosenblatt
from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.presets import PRESETS, preset_points
from rosenblatt.lab.questions import answer_question
from rosenblatt.lab.registry import classifier_entries

THREE = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0])


def wait_until_idle(page):
    """Wait until the page has adopted the newest answer."""
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")


def wait_until_loaded(page):
    page.wait_for_selector("[data-name=w]")
    wait_until_idle(page)
    return page


def number(page, name):
    wait_until_idle(page)
    return json.loads(page.locator(f"[data-name={name}]").get_attribute("data-value"))


def link_state(link):
    """What the end of a link says: of a preset or deflated."""
    if link.startswith("z="):
        return json.loads(zlib.decompress(base64.urlsafe_b64decode(link[2:] + "==="), wbits=-15))
    fields = dict(urllib.parse.parse_qsl(link))
    values = {name: json_or_text(text) for name, text in fields.items()}
    parameters = {name[2:]: value for name, value in values.items() if name.startswith("p.")}
    return {name: value for name, value in values.items() if not name.startswith("p.")} | {"parameters": parameters}


def json_or_text(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def state(page):
    """What the address says, with the points of a preset."""
    wait_until_idle(page)
    found = {
        "dimension": 2,
        "step": 0,
        "lesson": None,
        "speed": None,
        "view": "plane",
        **link_state(page.url.partition("#")[2]),
    }
    if "preset" in found:
        found["points"] = preset_points(
            {name: found.get(name, 0 if name == "seed" else None) for name in ("preset", "margin", "seed")}
        )["points"]
    else:
        found["points"] = [
            [float(value) for value in point.split(",")] for point in found["points"].split(";") if point
        ]
    return found


def expected_answer(page):
    """The answer that the page should be showing."""
    found = state(page)
    points = [[x, y, int(label)] for x, y, label in found["points"]]
    return answer_question(
        "run", {**{key: found[key] for key in ("dimension", "learner", "parameters")}, "points": points}
    )


def assert_shows_answer(page):
    """Every number at the present step is that of the core for the same request."""
    answer, step = expected_answer(page), state(page)["step"]
    path, trace = unpack_array(answer["path"]), answer["trace"]
    moved = unpack_array(trace["class"])[step - 1] if step and len(path[0]) > 1 and not answer["step"]["joint"] else 0
    if step and answer["step"]["joint"]:
        moved = answer["classes"].index(int(state(page)["points"][unpack_array(trace["row"])[step - 1]][2]))
    assert number(page, "w") == path[step, moved, :-1].tolist()
    assert number(page, "b") == path[step, moved, -1]
    assert page.locator("[data-name=step]").inner_text() == f"{step:,} / {len(path) - 1:,}"
    assert page.locator("[data-kind]").first.get_attribute("data-kind") == answer["theory"]["verdicts"][0]["kind"]
    bound = answer["theory"].get("bound")
    if bound and bound["bound"] is not None:
        same = pytest.approx(bound["bound"], rel=0 if bound["exact"] else 1e-9)  # a bound that is not exact may differ
        assert float(page.locator("[data-bound]").get_attribute("data-bound")) == same
    return answer


def use_preset(page, name):
    """Choose points to start from, and go to the end of their run."""
    page.locator("[data-control=preset]").select_option(name)
    wait_until_idle(page)
    page.locator("[data-play=end]").click()
    wait_until_idle(page)


@pytest.fixture
def page(open_page, address):
    """The page at the end of its first run."""
    page = wait_until_loaded(open_page(address))
    page.locator("[data-play=end]").click()
    wait_until_idle(page)
    return page


# The first look


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


# Points


def place(page, x, y):
    """Where a point of the plane is on the screen."""
    box = page.locator("canvas.plane").bounding_box()
    scale = min(box["width"], box["height"]) / 11
    return box["x"] + box["width"] / 2 + x * scale, box["y"] + box["height"] / 2 - y * scale


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


# Views


def pixels(page):
    return page.locator("canvas.plane").screenshot()


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


# Sharing


def test_an_address_brings_everything_back(page, open_page):
    use_preset(page, "overlap")
    page.locator("[data-parameter=learner]").select_option("PassiveAggressive")
    wait_until_idle(page)
    page.locator(".recipe summary").click()
    page.locator("[data-parameter=step]").select_option("pa2")
    page.locator("[data-layer=regions]").click()
    wait_until_idle(page)
    page.locator("[data-control=step]").fill("20")
    before = state(page)
    other = wait_until_loaded(open_page(page.url))
    assert state(other) == before
    assert number(other, "w") == number(page, "w")
    assert not other.locator("[data-layer=regions]").is_checked()
    assert_shows_answer(other)


def test_a_broken_link_starts_with_the_default_page(open_page, address):
    hostile = [
        {"points": "1,1,7;0,0,0"},
        {"points": "1,1,0.5;0,0,1"},
        {"points": "1,1,-1;0,0,1"},
        {"points": "1,1,1;" * 600},
    ]
    hostile = [json.dumps({"learner": "Perceptron", **one}) for one in hostile]
    for end in ("nonsense", "{}", '{"points":"1,2"}', '{"learner":"x","points":""}', *hostile):
        page = wait_until_loaded(open_page(f"{address}#{urllib.parse.quote(end)}"))
        assert number(page, "w") == [0, 0]
        assert state(page)["points"] == [[3, 3, 1], [4, 3, 1], [1, 1, 0]]


def test_an_address_with_odd_settings_falls_back(open_page, address):
    odd = {
        "learner": "Perceptron",
        "points": "3,3,1;1,1,0",
        "speed": 1e9,
        "view": "<b>",
        "hidden": {"a": 1},
        "step": -7,
    }
    page = wait_until_loaded(open_page(f"{address}#{urllib.parse.quote(json.dumps(odd))}"))
    assert page.locator("[data-control=speed]").input_value() == ""  # automatic
    assert page.locator("[data-layer=regions]").is_checked()
    assert_shows_answer(page)


def download(page, name, tmp_path):
    with page.expect_download() as waiting:
        page.locator(f"[data-share={name}]").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


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


def test_the_python_snippet_repeats_the_run(page, capsys):
    use_preset(page, "moons")
    page.locator("[data-parameter=learner]").select_option("AveragedPerceptron")
    wait_until_idle(page)
    page.locator("[data-share=python]").click()
    names = {}
    with pytest.warns(UserWarning, match="max_iter reached"):
        exec(page.locator(".snippet").inner_text(), names)
    assert names["model"].coef_.tolist() == expected_answer(page)["result"]["coef"]


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


# Everyone


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


def violations(page, **options):
    found = Axe().run(page, options=options or None).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found]


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


# Small things that were wrong


def test_a_score_of_zero_is_a_mistake(page):
    """Before the first update all weights are 0, and every point counts as misclassified: the neuron says the same."""
    page.locator("[data-play=start]").click()
    assert number(page, "misclassified") == 3
    assert "undecided: a mistake" in page.locator("canvas.neuron").get_attribute("aria-label")


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


def test_the_chosen_theme_is_kept(open_page, address):
    page = wait_until_loaded(open_page(address, scheme="light"))
    page.get_by_role("button", name="Dark or light").click()
    page.reload()
    wait_until_loaded(page)
    assert page.locator(".rosenblatt-lab").get_attribute("data-theme") == "dark"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_only_presets_of_chance_offer_other_points(page):
    assert page.locator("[data-control=draw]").count() == 0
    page.locator("[data-control=preset]").select_option("gap")
    wait_until_idle(page)
    assert page.locator("[data-control=draw]").count() == 1


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
