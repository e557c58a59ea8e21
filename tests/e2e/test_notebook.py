"""The lab as a widget, in a real notebook page (marimo's)."""

import json
import socket
import sys
import time
import urllib.request

import numpy as np
import pytest

import rosenblatt

from .conftest import started

pytest.importorskip("marimo", reason="marimo is not installed")

NOTEBOOK = """
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


def answers(address):
    try:
        with urllib.request.urlopen(address, timeout=1):
            return True
    except OSError:
        return False


@pytest.fixture(scope="module")
def notebook(browser, tmp_path_factory):
    path, port = tmp_path_factory.mktemp("notebook") / "lab.py", free_port()
    path.write_text(NOTEBOOK)
    running = started(sys.executable, "-m", "marimo", "run", str(path), "--headless", "--no-token", "--port", str(port))
    address, began = f"http://127.0.0.1:{port}/", time.monotonic()
    while not answers(address) and running.poll() is None and time.monotonic() - began < 30:
        time.sleep(0.2)
    yield address
    running.terminate()
    running.communicate()


def test_the_widget_learns_and_keeps_its_state(notebook, browser):
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(notebook)
    page.wait_for_selector("[data-name=w]", timeout=20_000)
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")

    def number(name):
        return json.loads(page.locator(f"[data-name={name}]").get_attribute("data-value"))

    assert number("w") == [1, 1]
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
    assert errors == []
    context.close()
