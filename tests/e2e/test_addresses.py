"""What brings a run back: the address of the page, whatever stands in it, and the snippet of Python."""

import json
import urllib.parse

import pytest

from .lab_page import (
    assert_shows_answer,
    expected_answer,
    number,
    state,
    use_preset,
    wait_until_idle,
    wait_until_loaded,
)


def test_an_address_brings_everything_back(page, open_page):
    use_preset(page, "overlap")
    page.locator("[data-parameter=learner]").select_option("PassiveAggressive")
    wait_until_idle(page)
    page.locator(".recipe summary").click()
    page.locator("[data-parameter=step]").select_option("pa2")
    page.locator("[data-layer=regions]").click()
    wait_until_idle(page)
    page.locator("[data-control=step]").fill("20")
    before = state(page)
    other = wait_until_loaded(open_page(page.url))
    assert state(other) == before
    assert number(other, "w") == number(page, "w")
    assert not other.locator("[data-layer=regions]").is_checked()
    assert_shows_answer(other)


def test_a_broken_link_starts_with_the_default_page(open_page, address):
    hostile = [
        {"points": "1,1,7;0,0,0"},
        {"points": "1,1,0.5;0,0,1"},
        {"points": "1,1,-1;0,0,1"},
        {"points": "1,1,1;" * 600},
    ]
    hostile = [json.dumps({"learner": "Perceptron", **one}) for one in hostile]
    for end in ("nonsense", "{}", '{"points":"1,2"}', '{"learner":"x","points":""}', *hostile):
        page = wait_until_loaded(open_page(f"{address}#{urllib.parse.quote(end)}"))
        assert number(page, "w") == [0, 0]
        assert state(page)["points"] == [[3, 3, 1], [4, 3, 1], [1, 1, 0]]


def test_an_address_with_odd_settings_falls_back(open_page, address):
    odd = {
        "learner": "Perceptron",
        "points": "3,3,1;1,1,0",
        "speed": 1e9,
        "view": "<b>",
        "hidden": {"a": 1},
        "step": -7,
    }
    page = wait_until_loaded(open_page(f"{address}#{urllib.parse.quote(json.dumps(odd))}"))
    assert page.locator("[data-control=speed]").input_value() == ""  # automatic
    assert page.locator("[data-layer=regions]").is_checked()
    assert_shows_answer(page)


def test_the_python_snippet_repeats_the_run(page, capsys):
    use_preset(page, "moons")
    page.locator("[data-parameter=learner]").select_option("AveragedPerceptron")
    wait_until_idle(page)
    page.locator("[data-share=python]").click()
    names = {}
    with pytest.warns(UserWarning, match="max_iter reached"):
        exec(page.locator(".snippet").inner_text(), names)
    assert names["model"].coef_.tolist() == expected_answer(page)["result"]["coef"]
