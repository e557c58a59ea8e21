"""Links, QR codes, the page inside another page, and the page on a telephone."""

import http.server
import json
import re
import threading
import urllib.parse

import pytest
from playwright.sync_api import expect

from .conftest import start_lab
from .lab_page import link_state, number, state, use_preset, wait_until_idle, wait_until_loaded

PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


def link(page):
    wait_until_idle(page)
    return page.url.partition("#")[2]


# Links


def test_a_preset_makes_a_short_link(open_page, address):
    page = wait_until_loaded(open_page(address))
    use_preset(page, "circles")
    page.locator("[data-control=draw]").click()
    assert len(link(page)) < 90
    found = link_state(link(page))
    assert (found["preset"], found["seed"]) == ("circles", 1)
    other = wait_until_loaded(open_page(page.url))
    assert state(other) == state(page)
    assert other.locator("[data-control=preset]").input_value() == "circles"


def test_edited_points_are_deflated(open_page, address):
    page = wait_until_loaded(open_page(address))
    page.locator("canvas.plane").click(position={"x": 60, "y": 60})
    assert re.fullmatch(r"z=[\w-]+", link(page))
    other = wait_until_loaded(open_page(page.url))
    assert state(other)["points"] == state(page)["points"]
    assert len(state(other)["points"]) == 4


def test_a_link_of_an_earlier_version_opens(open_page, address):
    old = {"learner": "Perceptron", "parameters": {"order": "cyclic"}, "dimension": 2, "step": 2, "speed": 4}
    old |= {"view": "plane", "hidden": ["radius"], "isProofSeen": False, "points": "3,3,1;4,3,1;1,1,0"}
    page = wait_until_loaded(open_page(f"{address}#{urllib.parse.quote(json.dumps(old))}"))
    assert number(page, "w") == [2, 2]
    assert state(page)["step"] == 2


def test_another_link_in_the_same_page_is_heard(open_page, address):
    page = wait_until_loaded(open_page(address))
    page.evaluate("location.hash = 'learner=PocketPerceptron&preset=xor&step=1'")
    expect(page.locator("[data-control=preset]")).to_have_value("xor")
    wait_until_idle(page)
    assert page.locator("[data-parameter=learner]").input_value() == "PocketPerceptron"
    assert len(state(page)["points"]) == 4
    page.evaluate("location.hash = 'nonsense'")
    page.get_by_text("The link could not be read").wait_for()
    assert page.locator("[data-control=preset]").input_value() == "xor"  # what was shown stays


def test_the_qr_code_follows_the_link(open_page, address):
    page = wait_until_loaded(open_page(address))
    page.locator("[data-share=qr]").click()
    first = page.locator(".qr path").get_attribute("d")
    assert "Only this machine" in page.locator(".qr figcaption").inner_text()
    page.locator("[data-play=forward]").click()
    wait_until_idle(page)
    assert page.locator(".qr path").get_attribute("d") != first
    page.locator("[data-share=qr]").click()
    assert page.locator(".qr").is_hidden()


# Embedding


@pytest.fixture
def course_page():
    """A page of another site that shows an address in a frame."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            address = urllib.parse.unquote(self.path.partition("?")[2])
            icon = "<link rel=icon href=data:,>"
            self.wfile.write(f"<!doctype html>{icon}<iframe src='{address}' width=900 height=700></iframe>".encode())

        def log_message(self, *given):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_named_site_may_embed_the_lab(open_page, course_page):
    running, address = start_lab("--embed-in", course_page)
    try:
        inner = urllib.parse.quote(f"{address}?embed&hide=points,recipe,result")
        page = open_page(f"{course_page}/?{inner}")
        frame = page.frame_locator("iframe")
        frame.locator("[data-play=end]").click()
        frame.locator("[data-name=w]").get_by_text("(1, 1)").wait_for()
        for hidden in ("header", ".left", ".columns > .right"):
            assert frame.locator(hidden).is_hidden()
        box, plane = (frame.locator(name).bounding_box() for name in (".columns", "canvas.plane"))
        assert plane["width"] > 0.9 * box["width"]
    finally:
        running.terminate()
        running.communicate()


def test_other_sites_may_not(browser, address, course_page):
    page = browser.new_page()
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(f"{course_page}/?{urllib.parse.quote(address)}")
    page.wait_for_load_state("networkidle")
    assert any("frame-ancestors" in text or "refused to connect" in text for text in refused), refused
    page.close()


@pytest.mark.parametrize(
    "name", ["header", "points", "recipe", "result", "legend", "update", "neuron", "share", "views"]
)
def test_every_part_can_be_hidden(open_page, address, name):
    parts = {
        "header": "header", "points": "[data-fold=points]", "recipe": "[data-fold=recipe]",
        "result": ".columns > .right", "legend": ".layers", "update": ".reading", "neuron": ".reading figure",
        "share": ".share", "views": ".top .segmented",
    }  # fmt: skip
    page = open_page(f"{address}?hide={name},unknown")
    page.wait_for_selector("[data-name=w]", state="attached")
    wait_until_idle(page)
    for other, selector in parts.items():
        is_inside = (name, other) == ("update", "neuron")
        assert page.locator(selector).first.is_hidden() == (other == name or is_inside), other


# A telephone


def wait_until(page, holds):
    """Wait for what the browser does in its own time, such as scrolling."""
    for _ in range(600):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it has not happened within a minute")


def swipe(page, start, end):
    """A finger that moves from one place to another."""
    session = page.context.new_cdp_session(page)

    def touch(kind, points):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", [{"x": start[0], "y": start[1]}])
    for k in range(1, 11):
        x, y = (a + (b - a) * k / 10 for a, b in zip(start, end, strict=True))
        touch("touchMove", [{"x": x, "y": y}])
    touch("touchEnd", [])


def on_screen(page, x, y):
    """Where a point of the plane is on the screen."""
    box = page.locator("canvas.plane").bounding_box()
    scale = min(box["width"], box["height"]) / 11
    return box["x"] + box["width"] / 2 + x * scale, box["y"] + box["height"] / 2 - y * scale


def test_a_swipe_scrolls(open_page, address):
    page = wait_until_loaded(open_page(address, **PHONE))
    page.locator("canvas.plane").scroll_into_view_if_needed()
    points, at = state(page)["points"], page.evaluate("scrollY")
    x, y = on_screen(page, -3, -1)
    swipe(page, (x, y), (x, y - 150))
    wait_until(page, lambda: page.evaluate("scrollY") > at + 50)
    assert state(page)["points"] == points


def test_a_point_that_is_held_moves(open_page, address):
    page = wait_until_loaded(open_page(address, **PHONE))
    page.locator("canvas.plane").scroll_into_view_if_needed()
    at = page.evaluate("scrollY")
    swipe(page, on_screen(page, 1, 1), on_screen(page, 1, -2))
    wait_until(page, lambda: state(page)["points"][2] == pytest.approx([1, -2, 0], abs=0.15))
    assert page.evaluate("scrollY") == at


def test_the_classes_are_at_the_plane(open_page, address):
    page = wait_until_loaded(open_page(address, **PHONE))
    tools, plane = page.locator(".tools").bounding_box(), page.locator("canvas.plane").bounding_box()
    assert 0 <= tools["y"] - (plane["y"] + plane["height"]) < 20
    assert page.locator(".tool").first.bounding_box()["height"] >= 44
    page.locator(".tool-2").tap()
    page.touchscreen.tap(*on_screen(page, -3, -1))
    assert state(page)["points"][-1] == pytest.approx([-3, -1, 2], abs=0.1)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_selector("[data-fold=points] .tools")
