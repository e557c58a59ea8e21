"""The lab in a real browser: Debian's Chromium, driven by Playwright. Without it these tests are skipped."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt

from .lab_page import wait_until_idle, wait_until_loaded

SOURCES = Path(rosenblatt.__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WHY_NOT = "no Chromium here: install it (Debian: apt-get install chromium) to test the lab in a browser"


TIMEOUT = 300_000  # milliseconds, because the machine may be busy; nothing waits so long otherwise


def start_process(*command, **more):
    """A process that finds this package; `more` is for its environment."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": "1", **more}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


@pytest.fixture(scope="session")
def browser():
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(WHY_NOT)
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    api.expect.set_options(timeout=TIMEOUT)
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def start_lab(*arguments):
    running = start_process(sys.executable, "-m", "rosenblatt.cli", "lab", "--no-browser", "--port", "0", *arguments)
    address = running.stdout.readline().strip()
    if not re.fullmatch(r"http://127\.0\.0\.1:\d+/(\?lesson=\w+)?", address):
        running.kill()
        raise AssertionError(address, running.communicate())
    return running, address


@pytest.fixture(scope="session")
def address(browser):
    running, address = start_lab()
    yield address
    running.terminate()
    running.communicate()


@pytest.fixture
def open_page(browser):
    """Open an address at some width; the page must not complain, neither to its user nor to the console."""
    contexts, complaints = [], []

    def page_at(address, width=1280, height=900, scheme="light", **more):
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type in ("error", "warning") and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.set_default_timeout(TIMEOUT)
        page.goto(address)
        return page

    yield page_at
    for context in contexts:
        context.close()
    expected = re.compile("422|net::ERR_FAILED")  # refusals, which the page tells its user
    assert [text for text in complaints if not expected.search(text)] == []


@pytest.fixture
def page(open_page, address):
    """The page at the end of its first run."""
    page = wait_until_loaded(open_page(address))
    page.locator("[data-play=end]").click()
    wait_until_idle(page)
    return page
