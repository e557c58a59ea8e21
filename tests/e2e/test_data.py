"""Your own data on the page: what it shows of a table is what the model says."""

import pytest
from playwright.sync_api import expect
from sklearn.datasets import load_iris

from rosenblatt.lab.yourdata import opened as answer_for

from .conftest import served
from .test_page import violations


@pytest.fixture(scope="module")
def table(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "flowers.csv"
    iris = load_iris(as_frame=True)
    iris.data.assign(kind=iris.target_names[iris.target]).to_csv(path, index=False)
    running, address = served(str(path), "--target", "kind")
    yield path, address
    running.terminate()
    running.communicate()


def settled(page):
    page.wait_for_selector(".data:not([hidden])")
    expect(page.locator(".data .status")).to_contain_text("rows")
    page.wait_for_selector(".rosenblatt-lab[data-busy=false]")


def test_a_table_is_shown(table, opened):
    path, address = table
    page = opened(address)
    settled(page)
    ask = answer_for([path], "kind", [])

    def shows(content):
        answer = ask(content)
        assert page.locator(".data .status").get_attribute("data-wrong") == str(answer["wrong"])
        assert answer["status"] in page.locator(".data .status").inner_text()
        listed = page.locator("[data-rows=nearest] tbody tr td:first-child").all_inner_texts()
        assert listed == [str(row["row"]) for row in answer["nearest"]]
        assert page.locator(".weights tbody th").all_inner_texts() == [one["name"] for one in answer["weights"]]

    shows({})
    before = page.locator(".data canvas").first.screenshot()
    page.locator("[data-control=class]").select_option("0")
    settled(page)
    shows({"class": 0})
    assert page.locator(".data canvas").first.screenshot() != before
    page.locator(".data [data-parameter=learner]").select_option("LinearSVM")
    settled(page)
    page.locator(".data [data-parameter=solver]").select_option("optimum")
    settled(page)
    shows({"learner": "LinearSVM", "parameters": {"solver": "optimum"}, "class": 0})
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Points", exact=True).click()
    page.wait_for_selector("[data-name=w]")
