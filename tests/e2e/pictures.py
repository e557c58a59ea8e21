"""Make the pictures of docs/guide/lab.md anew: python -m tests.e2e.pictures. Look at them before you keep them.

That of JupyterLab comes from its test: ROSENBLATT_SCREENSHOT=jupyter-{}.png pytest tests/e2e -k jupyterlab, and then
python -m tests.e2e.pictures jupyter-dark.png.
"""

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer

from .conftest import BROWSERS, TIMEOUT, start_lab

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
MAX_BYTES = 60_000  # as tests/plots/test_figures.py allows


def wait_until_idle(page):
    page.wait_for_timeout(100)
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")


def open_lab(browser, address, size=WIDE, scheme="light"):
    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
    page.set_default_timeout(TIMEOUT)
    page.goto(address)
    page.wait_for_selector("[data-name=w]:visible, .data-title:visible")
    wait_until_idle(page)
    return page


def choose(page, preset, **parameters):
    """Choose points and a recipe, and go to the end of the run."""
    page.select_option("[data-control=preset]", preset)
    wait_until_idle(page)
    for name, value in parameters.items():
        page.select_option(f"[data-parameter={name}]", value)
        wait_until_idle(page)
    page.click("[data-play=end]")
    wait_until_idle(page)


def vividness(colour):
    """
    >>> vividness((200, 200, 200)), vividness((190, 70, 0))
    (1, 30)
    """
    return 30 if max(colour) - min(colour) > 80 else 1


def palette_of(picture, size):
    """The most common colours of a picture, of which no two are nearly the same. Those of small marks come first."""
    chosen = []
    counted = picture.getcolors(picture.width * picture.height)
    for _, colour in sorted(counted, key=lambda found: (found[0] * vividness(found[1]), found[1]), reverse=True)[:2000]:
        if all(max(abs(a - b) for a, b in zip(colour, one, strict=True)) > 5 for one in chosen):
            chosen.append(colour)
        if len(chosen) == size:
            break
    palette = Image.new("P", (1, 1))
    palette.putpalette([value for colour in chosen for value in colour])
    return palette


def save_picture(page, name):
    """Save what is seen."""
    wait_until_idle(page)
    save_with_fewer_colours(BytesIO(page.screenshot()), name)


def save_with_fewer_colours(source, name):
    """Save a screenshot among the pictures, with as many colours as the room allows."""
    picture = Image.open(source).convert("RGB")
    path = FOLDER / f"lab-{name}.png"
    for colours in (250, 128, 64, 56, 48, 40, 36, 32, 28, 24):
        picture.quantize(palette=palette_of(picture, colours), dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size < MAX_BYTES:
            return
    raise AssertionError(f"{path} has {path.stat().st_size:,} bytes.")


def picture_points(browser, address):
    save_picture(open_lab(browser, address), "first")
    page = open_lab(browser, address)
    choose(page, "gap")
    save_picture(page, "plane")
    choose(page, "circles", features="polynomial-2")
    page.click("[data-view=lift]")
    save_picture(page, "lift")
    page = open_lab(browser, address)
    choose(page, "classes", learner="LogisticRegression")
    save_picture(page, "probability")
    page = open_lab(browser, address, scheme="dark")
    choose(page, "overlap", learner="PocketPerceptron")
    save_picture(page, "overlap")
    save_picture(open_lab(browser, address, PHONE), "phone")
    page = open_lab(browser, f"{address}?lesson=xor/4")
    page.click("[data-lesson=solution]")
    page.wait_for_selector(".feedback.right")
    save_picture(page, "lesson")


def picture_rows(browser, address):
    save_picture(open_lab(browser, address), "data-view")


def tumours(folder):
    bunch = load_breast_cancer(as_frame=True)
    table = bunch.data.assign(kind=bunch.target_names[bunch.target])
    table.to_csv(Path(folder) / "tumours.csv", index=False)
    return str(Path(folder) / "tumours.csv")


def main():
    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for make, arguments in [(picture_points, ()), (picture_rows, (tumours(folder), "--target", "kind"))]:
            running, address = start_lab(*arguments)
            make(browser, address)
            running.terminate()
            running.communicate()
        browser.close()


if __name__ == "__main__":
    if sys.argv[1:]:
        save_with_fewer_colours(sys.argv[1], "notebook")
    else:
        main()
