"""Your own data on the page: what it shows of a table is what the model says."""

import pytest
from playwright.sync_api import expect
from sklearn.datasets import load_iris

from rosenblatt.lab.user_data import open_user_data

from .conftest import start_lab
from .test_page import violations


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


def test_a_table_is_shown(table, open_page):
    path, address = table
    page = open_page(address)
    wait_until_idle(page)
    ask = open_user_data([path], "kind", [])

    def assert_shows(content):
        answer = ask(content)
        assert page.locator(".data .status").get_attribute("data-wrong") == str(answer["wrong"])
        assert answer["status"] in page.locator(".data .status").inner_text()
        listed = page.locator("[data-rows=nearest] tbody tr td:first-child").all_inner_texts()
        assert listed == [str(row["row"]) for row in answer["nearest"]]
        assert page.locator(".weights tbody th").all_inner_texts() == [one["name"] for one in answer["weights"]]

    assert_shows({})
    before = page.locator(".data canvas").first.screenshot()
    page.locator("[data-control=class]").select_option("0")
    wait_until_idle(page)
    assert_shows({"class": 0})
    assert page.locator(".data canvas").first.screenshot() != before
    page.locator(".data [data-parameter=learner]").select_option("LinearSVM")
    wait_until_idle(page)
    page.locator(".data [data-parameter=solver]").select_option("optimum")
    wait_until_idle(page)
    assert_shows({"learner": "LinearSVM", "parameters": {"solver": "optimum"}, "class": 0})
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Points", exact=True).click()
    page.wait_for_selector("[data-name=w]")


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
        assert page.locator("[data-rows=nearest] tbody tr").first.locator("td").nth(1).inner_text() in (
            "<b>yes</b>",
            "no",
        )
        heads = page.locator("[data-rows=nearest] thead th").all_inner_texts()
        assert "<img src=x onerror=alert(1)>" in heads
        shown = "\n".join(page.locator("[data-rows=nearest] tbody td").all_inner_texts())
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
    assert page.locator(".data [data-parameter=features]").count() == 0
