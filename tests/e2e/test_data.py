"""Your own data on the page: what it shows of a table is what the model says."""

import numpy as np
import pytest
from playwright.sync_api import expect
from sklearn.datasets import load_iris

from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.user_data import open_user_data

from .conftest import start_lab
from .lab_page import violations


@pytest.fixture(scope="module")
def table(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "flowers.csv"
    iris = load_iris(as_frame=True)
    iris.data.assign(kind=iris.target_names[iris.target]).to_csv(path, index=False)
    running, address = start_lab(str(path), "--target", "kind")
    yield path, address
    running.terminate()
    running.communicate()


def wait_until_idle(page):
    page.wait_for_selector(".data:not([hidden])")
    expect(page.locator(".data .status")).to_contain_text("rows")
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")


def figure(page, name):
    return page.locator(f".data [data-figure='{name}']").first.inner_text()


def share(value):
    return f"{100 * value:.1f} %"


def test_a_table_is_shown(table, open_page):
    path, address = table
    page = open_page(address)
    wait_until_idle(page)
    ask = open_user_data([path], "kind", [])["data"]

    def assert_shows(content):
        answer = ask(content)
        assert page.locator(".data .status").get_attribute("data-wrong") == str(answer["wrong"])
        assert answer["status"] in page.locator(".data .status").inner_text()
        listed = page.locator("[data-rows=list] tbody [data-row]").all_inner_texts()
        assert listed == [str(row["row"]) for row in answer["list"]["rows"]]
        assert page.locator(".weights tbody th").all_inner_texts() == [one["name"] for one in answer["weights"]]
        figures = answer["figures"]
        assert figure(page, "accuracy") == share(figures["accuracy"])
        assert figure(page, "base-rate") == share(figures["base_rate"])
        low, high = figures["interval"]
        assert figure(page, "interval") == f"{100 * low:.1f} to {share(high)}"
        assert figure(page, "trained") == share(figures["trained"]["accuracy"])
        counts = [int(text) for text in page.locator("[data-cell]").all_inner_texts()]
        assert counts == [count for row in figures["confusion"] for count in row]
        shown = content.get("class", 2)
        assert figure(page, "precision") == share(figures["precision"][shown])
        assert figure(page, "recall") == share(figures["recall"][shown])

    assert_shows({})
    before = page.locator(".data canvas").first.screenshot()
    page.locator("[data-control=class]").select_option("0")
    wait_until_idle(page)
    assert_shows({"class": 0})
    assert page.locator(".data canvas").first.screenshot() != before
    page.locator(".data [data-parameter=learner]").select_option("Perceptron")
    wait_until_idle(page)
    page.locator(".data [data-parameter=order]").select_option("cyclic")
    wait_until_idle(page)
    assert_shows({"learner": "Perceptron", "parameters": {"order": "cyclic"}, "class": 0})
    page.get_by_role("button", name="Points", exact=True).click()
    page.wait_for_selector("[data-name=w]")


def test_mistakes_are_found_and_explained(table, open_page):
    """From a cell of the confusion matrix to its rows, and from a row to the sum that decided about it."""
    path, address = table
    questions = open_user_data([path], "kind", [])
    page = open_page(address)
    wait_until_idle(page)
    page.locator(".data [data-parameter=learner]").select_option("Perceptron")
    wait_until_idle(page)
    page.locator("[data-control=part]").select_option("all")
    wait_until_idle(page)
    page.locator("[data-control=wrong]").check()
    wait_until_idle(page)
    content = {"learner": "Perceptron", "part": "all", "wrong": True}
    expected = questions["rows"](content)
    assert page.locator("[data-count]").get_attribute("data-count") == str(expected["count"])
    row = expected["rows"][0]["row"]
    page.locator(f"[data-row='{row}']").click()
    detail = page.get_by_role("region", name=f"Row {row}", exact=True)
    detail.wait_for()
    found = questions["row"]({"learner": "Perceptron", "row": row})
    assert f"{found['score']:.3f}"[:4] in detail.locator("[data-figure=score]").inner_text()
    assert f"the truth is “{found['class']}”" in detail.inner_text()
    page.locator("[data-control=close-row]").click()
    assert detail.count() == 0
    page.locator("[data-control=wrong]").uncheck()
    page.locator("[data-cell='1-1']").click()
    wait_until_idle(page)
    cell = questions["rows"]({"learner": "Perceptron", "part": "all", "truth": 1, "decided": 1})
    assert page.locator("[data-count]").get_attribute("data-count") == str(cell["count"])
    assert set(page.locator("[data-rows=list] tbody td:nth-child(2)").all_inner_texts()) == {"versicolor"}
    page.locator("[data-control=rows-forward]").click()
    wait_until_idle(page)
    assert page.locator("[data-rows=list] [data-row]").first.inner_text() == str(
        questions["rows"]({"learner": "Perceptron", "part": "all", "truth": 1, "decided": 1, "skip": 15})["rows"][0][
            "row"
        ]
    )


def test_a_dot_is_explained_by_a_click(table, open_page):
    path, address = table
    page = open_page(address)
    wait_until_idle(page)
    place = page.evaluate(
        """() => { const box = document.querySelector("[aria-label^='Rows by distance']").getBoundingClientRect();
        return [box.width, box.height] }"""
    )
    projection = open_user_data([path], "kind", [])["data"]({})["projection"]
    distance, across, rows = (unpack_array(projection[name]) for name in ("distance", "across", "row"))
    far = int(np.argmax(distance))
    span = max(distance.max(), 0) - min(distance.min(), 0)
    x = 14 + (distance[far] - min(distance.min(), 0)) / span * (place[0] - 28)
    y = place[1] - 14 - (across[far] - across.min()) / (across.max() - across.min()) * (place[1] - 28)
    page.locator("[aria-label^='Rows by distance']").click(position={"x": float(x), "y": float(y)})
    page.get_by_role("region", name=f"Row {rows[far]}", exact=True).wait_for()


def test_the_threshold_trades_precision_for_recall(table, open_page):
    path, address = table
    page = open_page(address)
    wait_until_idle(page)
    curve = open_user_data([path], "kind", [])["data"]({})["figures"]["curve"]
    precision, recall = (unpack_array(curve[name]) for name in ("precision", "recall"))
    slider = page.locator("[data-control=threshold]")
    for at in (0, len(recall) - 1):
        slider.fill(str(at))
        assert figure(page, "precision") == share(precision[at])
        assert figure(page, "recall") == share(recall[at])
    page.get_by_role("button", name="back to the model's own").click()
    assert figure(page, "recall") == share(recall[curve["decides"]])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_data_view_is_accessible_at_every_width(table, open_page, width, scheme):
    page = open_page(table[1], width=width, scheme=scheme)
    wait_until_idle(page)
    page.locator("[data-row]").first.click()
    page.locator(".row-detail").wait_for()
    page.locator("[data-cell='0-0']").click()
    wait_until_idle(page)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_long_training_shows_its_progress_and_ends_when_asked(table, open_page):
    """Python's answers are held back here, so that the training is as long as the test wants."""
    page = open_page("about:blank")
    cancelled = []

    def answer(route):
        content = route.request.post_data_json
        if content.get("learner") == "PocketPerceptron" and not cancelled:
            progress = {"epochs": 3.5, "max_iter": 10, "mistakes": 7, "seconds": 1.25}
            return route.fulfill(json={"title": "flowers.csv: kind", "training": progress})
        return route.continue_()

    page.route("**/ask/data", answer)
    page.route("**/ask/cancel", lambda route: (cancelled.append(True), route.fulfill(json={})))
    page.goto(table[1])
    wait_until_idle(page)
    page.locator(".data [data-parameter=learner]").select_option("PocketPerceptron")
    training = page.locator(".training")
    expect(training).to_contain_text("Epoch 3 of at most 10, 7 mistakes in the last epoch, 1.3 s.")
    page.get_by_role("button", name="Stop and show what it has learned").click()
    wait_until_idle(page)
    expect(training).to_be_hidden()
    assert "PocketPerceptron" in page.locator(".data .status").inner_text()
    assert cancelled == [True]


HOSTILE = """<img src=x onerror=alert(1)>,"</script><script>alert(2)</script>",kind
1,"<svg onload=alert(3)> red apple",<b>yes</b>
2,"javascript:alert(4) red pear",<b>yes</b>
8,"green <a href=x>bus</a>",no
9,"green tram onmouseover=alert(5)",no
"""


def test_names_and_cells_are_text_whatever_they_say(browser, open_page, tmp_path):
    """Columns, classes and cells of a stranger's table are shown, not run; numbers and texts side by side."""
    header, *rows = HOSTILE.splitlines()
    (tmp_path / "stranger.csv").write_text("\n".join([header, *rows * 5]) + "\n")
    running, address = start_lab(str(tmp_path / "stranger.csv"), "--target", "kind")
    try:
        page = open_page(address)
        dialogs = []
        page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        wait_until_idle(page)
        page.locator("[data-control=part]").select_option("all")
        wait_until_idle(page)
        page.locator("[data-row]").first.click()
        page.locator(".row-detail").wait_for()
        assert page.locator("[data-rows=list] tbody tr").first.locator("td").nth(1).inner_text() in (
            "<b>yes</b>",
            "no",
        )
        heads = page.locator("[data-rows=list] thead th").all_inner_texts()
        assert "<img src=x onerror=alert(1)>" in heads
        shown = "\n".join(page.locator("[data-rows=list] tbody td").all_inner_texts())
        assert "<svg onload=alert(3)> red apple" in shown or "green <a href=x>bus</a>" in shown
        assert page.locator(".data img, .data script, .data svg, .data a, .data b").count() == 0
        assert dialogs == []
        assert violations(page) == []
    finally:
        running.terminate()
        running.communicate()


def test_the_newest_choice_is_shown_though_another_takes_longer(table, open_page):
    """Choices made while training goes on are not shown in the order in which answers come."""
    _, address = table
    page = open_page(address)
    wait_until_idle(page)
    page.locator(".data [data-parameter=learner]").select_option("LinearSVM")
    page.locator(".data [data-parameter=learner]").select_option("PassiveAggressive")
    wait_until_idle(page)
    assert "PassiveAggressive: " in page.locator(".data .status").inner_text()
    classifier_entries = page.locator(".data [data-parameter=learner] option").all_inner_texts()
    assert "LinearSVM" in classifier_entries
    assert "KernelPerceptron" not in classifier_entries  # it weighs rows, not columns
