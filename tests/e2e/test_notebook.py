"""The lab as a widget, in real notebook pages: marimo's and JupyterLab's."""

import json
import os
import socket
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageStat
from playwright.sync_api import expect

import rosenblatt

from .conftest import TIMEOUT, start_process

NOTEBOOK = """
# /// script
# [tool.marimo.display]
# theme = "system"
# ///

import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import marimo
    import rosenblatt

    lab = marimo.ui.anywidget(rosenblatt.Lab())
    lab
    return (lab,)


@app.cell
def _(lab):
    import json
    import marimo as mo

    state = json.loads(lab.state) if lab.state else {}
    mo.md(f"Python knows the step: {state.get('step')}")
    return


if __name__ == "__main__":
    app.run()
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def is_up(address):
    try:
        with urllib.request.urlopen(address, timeout=10):
            return True
    except OSError:
        return False


@contextmanager
def serving(port, *command, **environment):
    """The address of a notebook server, once it is up."""
    running = start_process(sys.executable, "-m", *command, **environment)
    address, latest = f"http://127.0.0.1:{port}/", time.monotonic() + TIMEOUT / 1000
    while not is_up(address) and running.poll() is None and time.monotonic() < latest:
        time.sleep(0.2)
    try:
        yield address
    finally:
        running.terminate()
        running.communicate()


@pytest.fixture
def marimo(browser, tmp_path):
    pytest.importorskip("marimo", reason="marimo is not installed")
    path, port = tmp_path / "lab.py", free_port()
    path.write_text(NOTEBOOK)
    command = ["marimo", "run", str(path), "--headless", "--no-token", "--port", str(port)]
    with serving(port, *command) as address:
        yield address


@pytest.fixture
def jupyter(browser, tmp_path):
    """A JupyterLab of its own, open to anybody on this machine for as long as the test takes."""
    pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
    cell = {"cell_type": "code", "execution_count": None, "id": "a", "metadata": {}, "outputs": []}
    cells = [{**cell, "source": "import rosenblatt\nrosenblatt.Lab()"}]
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "lab.ipynb").write_text(json.dumps(notebook))
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own, port = {name: str(tmp_path / name.lower()) for name in names}, free_port()
    settings = Path(own["JUPYTER_CONFIG_DIR"], "lab", "user-settings", "@jupyterlab", "apputils-extension")
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')  # nor does it ask whether to
    command = ["jupyterlab", "--no-browser", "--allow-root", f"--port={port}", f"--ServerApp.root_dir={tmp_path}"]
    with serving(port, *command, "--IdentityProvider.token=", **own) as address:
        yield address


@pytest.fixture
def page(browser):
    """A page on which nothing may fail."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page, errors = context.new_page(), []
    page.set_default_timeout(TIMEOUT)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def test_the_widget_learns_and_keeps_its_state(marimo, page):
    page.goto(marimo)
    page.wait_for_selector("[data-name=w]")
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")

    def number(name):
        return json.loads(page.locator(f"[data-name={name}]").get_attribute("data-value"))

    assert number("w") == [0, 0]
    page.locator("[data-play=end]").click()
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")
    assert number("w") == [1, 1]
    assert page.evaluate("document.querySelector('.rosenblatt-lab') === null")  # it lives in a shadow root
    page.locator("[data-parameter=learner]").select_option("PassiveAggressive")
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0])
    model = rosenblatt.PassiveAggressive(max_iter=100, random_state=0).fit(X, y)
    assert number("w") == model.coef_[0].tolist()
    assert number("b") == model.intercept_[0]
    page.locator("[data-play=start]").click()
    page.get_by_text("Python knows the step: 0").wait_for()
    page.locator("[data-parameter=C]").fill("-1")
    page.locator("[data-parameter=C]").press("Tab")
    page.get_by_text("C must be a finite number above 0, not -1.").wait_for()


# Whether anything is drawn on a canvas.
IS_DRAWN = """(canvas) => canvas.width > 0
  && canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)"""

# Pairs of texts of the lab whose boxes overlap, outside of drawings.
OVERLAPPING_TEXTS = """(lab) => {
  const walker = document.createTreeWalker(lab, NodeFilter.SHOW_TEXT);
  const boxes = [];
  while (walker.nextNode()) {
    const { parentElement: parent, textContent } = walker.currentNode;
    const isSeen = parent.checkVisibility({ visibilityProperty: true }) && !parent.closest(".spoken, option, svg");
    if (!isSeen || !textContent.trim() || getComputedStyle(parent).clipPath !== "none") continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    for (const box of range.getClientRects()) if (box.width > 1) boxes.push({ text: textContent.trim(), box });
  }
  const shared = (a, b, low, high) => Math.min(a[high], b[high]) - Math.max(a[low], b[low]);
  const isOver = (a, b) => shared(a, b, "left", "right") > 2 && shared(a, b, "top", "bottom") > 3;
  const pairs = boxes.flatMap((one, i) => boxes.slice(i + 1).map((other) => [one, other]));
  return pairs.filter(([a, b]) => a.text !== b.text && isOver(a.box, b.box)).map(([a, b]) => [a.text, b.text]);
}"""


def open_in_jupyter(page, jupyter):
    page.goto(f"{jupyter}lab/tree/lab.ipynb")
    page.locator(".jp-CodeCell").first.wait_for()
    page.get_by_text("| Idle").wait_for()  # the kernel is there
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_selector(".rosenblatt-lab[data-busy=false] [data-name=w]")


def brightness(seen):
    """The mean brightness of a picture, from 0 to 255."""
    return ImageStat.Stat(seen.convert("L")).mean[0]


def visible_part(seen, box):
    """The part of a picture that lies in a box, which may be larger than the picture."""
    left, top = max(box["x"], 0), max(box["y"], 0)
    return seen.crop((left, top, min(box["x"] + box["width"], seen.width), min(box["y"] + box["height"], seen.height)))


def assert_looks_like(page, theme, tmp_path):
    """The lab and its picture are as bright as the notebook, and no text covers another."""
    page.wait_for_selector(f".rosenblatt-lab[data-theme={theme}][data-busy=false]")
    path = os.environ.get("ROSENBLATT_SCREENSHOT", str(tmp_path / "notebook-{}.png")).format(theme)
    page.screenshot(path=path)
    seen, boxes = Image.open(path), [page.locator(name).bounding_box() for name in (".rosenblatt-lab", "canvas.plane")]
    for part in (seen, *(visible_part(seen, box) for box in boxes)):
        assert (brightness(part) > 128) == (theme == "light")
    assert page.locator("canvas.plane").evaluate(IS_DRAWN)
    assert page.locator(".rosenblatt-lab").evaluate(OVERLAPPING_TEXTS) == []


def test_marimo_gives_its_theme_and_no_text_lies_over_another(marimo, page, tmp_path):
    page.emulate_media(color_scheme="light")
    page.goto(marimo)
    page.wait_for_selector("[data-name=w]")
    assert_looks_like(page, "light", tmp_path)
    page.emulate_media(color_scheme="dark")
    assert_looks_like(page, "dark", tmp_path)


def test_jupyterlab_gives_its_theme_and_no_text_lies_over_another(jupyter, page, tmp_path):
    open_in_jupyter(page, jupyter)
    assert_looks_like(page, "light", tmp_path)
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text("JupyterLab Dark", exact=True).click()
    assert_looks_like(page, "dark", tmp_path)


def test_keys_that_are_meant_for_the_lab_do_not_change_the_notebook(jupyter, page):
    """JupyterLab has shortcuts of its own: 1 makes a heading of a cell, d d deletes it, a and b add some."""
    open_in_jupyter(page, jupyter)
    step = page.locator("[data-name=step]")
    expect(step).to_have_text("0 / 7")
    page.locator("[data-play=end]").click()
    page.locator("canvas.plane").click(position={"x": 60, "y": 60})
    for key in ("1", "ArrowUp", "d", "d", "a", "b", "2"):
        page.keyboard.press(key)
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")
    at_end, last = step.inner_text().split(" / ")
    assert at_end == last
    page.keyboard.press(",")
    expect(step).to_have_text(f"{int(last) - 1} / {last}")
    page.wait_for_timeout(500)
    assert page.locator(".jp-Cell").count() == page.locator(".jp-CodeCell").count() == 1
