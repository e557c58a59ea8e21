"""Make the pictures of docs/guide/lab.md anew: python -m tests.e2e.pictures. Look at them before you keep them."""

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer

from .conftest import BROWSERS, start_lab

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "guide" / "pictures"
WIDE = {"width": 1280, "height": 960}


def wait_until_idle(page):
    page.wait_for_timeout(100)
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")


def open_lab(browser, address, size, scheme="light"):
    page = browser.new_context(viewport=size, color_scheme=scheme).new_page()
    page.goto(address)
    page.wait_for_selector("[data-name=w]:visible, .data-title:visible")
    wait_until_idle(page)
    return page


def save_picture(page, name):
    wait_until_idle(page)
    page.screenshot(path=FOLDER / f"lab-{name}.jpg", type="jpeg", quality=60)


def picture_points(browser, address):
    page = open_lab(browser, address, WIDE)
    page.select_option("[data-control=preset]", "gap")
    wait_until_idle(page)
    page.fill("[data-control=step]", "4")
    save_picture(page, "plane")
    page.select_option("[data-control=preset]", "circles")
    page.select_option("[data-parameter=features]", "polynomial-2")
    wait_until_idle(page)
    page.click("[data-play=end]")
    page.click("[data-view=lift]")
    save_picture(page, "lift")
    page = open_lab(browser, address, WIDE, "dark")
    page.select_option("[data-control=preset]", "overlap")
    page.select_option("[data-parameter=learner]", "PocketPerceptron")
    save_picture(page, "overlap")
    save_picture(open_lab(browser, address, {"width": 390, "height": 844}), "phone")


def picture_rows(browser, address):
    page = open_lab(browser, address, {"width": 1280, "height": 900})
    wait_until_idle(page)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(64, dither=Image.Dither.NONE).save(
        FOLDER.parents[1] / "pictures" / "lab-data-view.png", optimize=True
    )


def tumours(folder):
    bunch = load_breast_cancer(as_frame=True)
    table = bunch.data.assign(kind=bunch.target_names[bunch.target])
    table.to_csv(Path(folder) / "tumours.csv", index=False)
    return str(Path(folder) / "tumours.csv")


def main():
    FOLDER.mkdir(exist_ok=True)
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
    main()
