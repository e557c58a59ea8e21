"""The exported file, opened from disk without a network: it plays the core's runs, and its numbers are the core's."""

import json

import pytest
from playwright.sync_api import expect

from rosenblatt.lab.export_page import MAX_BYTES, export_page
from rosenblatt.lab.lessons import LESSON_NAMES, lessons_content
from rosenblatt.lab.packed_arrays import unpack_array
from rosenblatt.lab.presets import PRESETS, preset_points
from rosenblatt.lab.questions import answer_question

from .lab_page import number, place, violations, wait_until_idle, wait_until_loaded

LESSONS = {lesson["name"]: lesson for lesson in lessons_content()}


@pytest.fixture(scope="module")
def exported(browser, tmp_path_factory):
    """The file with everything in it."""
    path = tmp_path_factory.mktemp("export") / "lab.html"
    path.write_text(export_page())
    return path


@pytest.fixture
def page(open_page, exported):
    asked = []
    page = wait_until_loaded(open_page(exported.as_uri(), offline=True))
    page.on("request", lambda request: asked.append(request.url))
    yield page
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == []


def test_it_is_one_file_of_less_than_a_megabyte_and_a_half(exported):
    assert exported.stat().st_size < MAX_BYTES
    assert "http://" not in exported.read_text().replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_show_the_numbers_of_the_core(page, preset):
    page.locator("[data-control=preset]").select_option(preset)
    wait_until_idle(page)
    request = {**preset_points({"preset": preset}), "parameters": {"order": "cyclic"}}
    answer = answer_question("run", request)
    path = unpack_array(answer["path"])
    moved = [0, *unpack_array(answer["trace"]["class"])] if path.shape[1] > 1 else [0] * len(path)
    last = len(path) - 1
    for control, step in [("forward", 1), ("back", 0), ("end", last)]:
        page.locator(f"[data-play={control}]").click()
        assert number(page, "w") == path[step, moved[step], :-1].tolist()
        assert number(page, "b") == path[step, moved[step], -1]
    page.locator("[data-control=step]").fill(str(last // 2))  # scrub
    assert number(page, "w") == path[last // 2, moved[last // 2], :-1].tolist()
    assert page.locator("[data-kind]").first.get_attribute("data-kind") == answer["theory"]["verdicts"][0]["kind"]
    page.locator("[data-view=lift]").click()
    wait_until_idle(page)


def test_proofs_are_those_of_the_core(page):
    page.locator("[data-play=end]").click()
    wait_until_idle(page)
    bound = answer_question("run", {"points": [[3, 3, 1], [4, 3, 1], [1, 1, 0]], "parameters": {"order": "cyclic"}})
    shown = json.loads(page.locator("[data-bound]").get_attribute("data-bound"))
    assert shown == bound["theory"]["bound"]["bound"]
    expect(page.get_by_text("both inequalities of the proof hold")).to_be_visible()


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_every_lesson_plays_to_its_end(page, name):
    """Each state and each solution is in the file, and meets its goal there, too."""
    page.locator("[data-control=lesson]").select_option(name)
    steps = LESSONS[name]["steps"]
    for k in range(len(steps)):
        expect(page.locator(".lesson .progress")).to_contain_text(f"step {k + 1} of {len(steps)}")
        wait_until_idle(page)
        assert page.locator(".problem").is_hidden()
        page.locator("[data-lesson=solution]").click()
        expect(page.locator(".feedback.right")).to_be_visible()
        page.locator("[data-lesson=next]").click()


def test_what_is_not_recorded_is_told_in_a_sentence(page):
    page.mouse.click(*place(page, -3, 2))
    expect(page.locator(".problem")).to_contain_text("its points stay where they are")
    page.locator("[data-parameter=eta0]").fill("0.3")
    page.locator("[data-parameter=eta0]").press("Tab")
    expect(page.locator(".problem")).to_contain_text("recorded runs, and this one is not among them")
    page.locator("[data-parameter=eta0]").fill("1")
    page.locator("[data-parameter=eta0]").press("Tab")
    expect(page.locator(".problem")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_read_the_file(open_page, exported, scheme):
    page = wait_until_loaded(open_page(exported.as_uri(), width=390, scheme=scheme, offline=True))
    assert violations(page, **({} if scheme == "light" else {"runOnly": ["color-contrast"]})) == []


def test_the_file_of_one_lesson_opens_it(open_page, tmp_path):
    (tmp_path / "loop.html").write_text(export_page("loop"))
    page = wait_until_loaded(open_page((tmp_path / "loop.html").as_uri(), offline=True))
    expect(page.locator(".lesson h2")).to_have_text(LESSONS["loop"]["title"])
    assert page.locator("[data-control=lesson] option").count() == 2
