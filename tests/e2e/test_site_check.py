"""The check of the documentation site complains of what it must: a check that cannot fail shows nothing."""

import importlib
import sys
from pathlib import Path

import pytest

from rosenblatt.lab.export_page import export_page

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"
PAGE = """<!doctype html><html lang="en"><head><title>A page</title>
<meta name="viewport" content="width=device-width"></head><body><main><h1>A page</h1>{body}</main></body></html>"""


@pytest.fixture(scope="module")
def check():
    sys.path.insert(0, str(SITE))
    yield importlib.import_module("check_site")
    sys.path.remove(str(SITE))


@pytest.fixture
def complaints(browser, check, tmp_path):
    """What a visitor says of a page with this body."""

    def visit(body, width=1280):
        (tmp_path / "page.html").write_text(PAGE.format(body=body))
        visitor = check.Visitor(browser, check.serve(tmp_path), width)
        visitor.visit("page.html")
        visitor.context.close()
        return visitor.complaints

    return visit


def test_a_sound_page_has_no_complaint(complaints):
    assert complaints("<p>Text.</p>") == []


@pytest.mark.parametrize(
    ("body", "width", "complaint"),
    [
        ("<script>console.error('broken')</script>", 1280, "broken"),
        ("<script>throw new Error('thrown')</script>", 1280, "thrown"),
        ("<img alt='' src='https://example.org/a.png'>", 1280, "asks for https://example.org/a.png"),
        ("<div style='width: 600px'>wide</div>", 390, "scrolls sideways"),
        ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", 1280, "light: image-alt"),
        (
            "<style>@media (prefers-color-scheme: dark) {p {color: #ddd}}</style><p>Pale</p>",
            390,
            "dark: color-contrast",
        ),
    ],
)
def test_what_is_wrong_with_a_page_is_told(complaints, body, width, complaint):
    found = complaints(body, width)
    assert any(complaint in one and f"({width} px)" in one for one in found), found


def test_dead_links_are_told(check, tmp_path):
    links = '<a href="no.html">a</a><a href="#there">b</a><a href="#no">c</a><p id="there"></p>'
    (tmp_path / "page.html").write_text(PAGE.format(body=links))
    assert [*check.dead_links(tmp_path)] == [
        "page.html: #no names no place of that page",
        "page.html: no.html does not exist",
    ]


def test_a_lesson_is_played_to_its_end_without_a_network(browser, check, tmp_path, capsys):
    lessons = tmp_path / check.LESSONS
    lessons.mkdir(parents=True)
    (lessons / "loop.html").write_text(export_page("loop"))
    assert check.visit_lessons(browser, tmp_path, 390, "") == []
    assert "390 px: 1 lessons played offline, 0 complaints" in capsys.readouterr().out
