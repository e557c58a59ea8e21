"""What a test does with the page: wait, read its numbers, compare them with the core's, click on it, save it."""

import base64
import json
import urllib.parse
import zlib

import pytest
from axe_playwright_python.sync_playwright import Axe

from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.presets import preset_points
from rosenblatt.lab.questions import answer_question


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


def place(page, x, y):
    """Where a point of the plane is on the screen."""
    box = page.locator("canvas.plane").bounding_box()
    scale = min(box["width"], box["height"]) / 11
    return box["x"] + box["width"] / 2 + x * scale, box["y"] + box["height"] / 2 - y * scale


def pixels(page):
    return page.locator("canvas.plane").screenshot()


def download(page, name, tmp_path):
    with page.expect_download() as waiting:
        page.locator(f"[data-share={name}]").click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def violations(page, **options):
    found = Axe().run(page, options=options or None).response["violations"]
    return [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found]
