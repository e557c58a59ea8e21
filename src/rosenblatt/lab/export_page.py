"""The lab as one file that needs no server: the page, its style and recorded runs of the core."""

import gzip
from base64 import b64encode
from typing import Any

from .lessons import LESSON_NAMES
from .packed_arrays import to_json
from .questions import about
from .recorded_runs import Recorder, preset_names, record_lesson, record_presets
from .static_files import joined_module, page_styles, static_text

MAX_BYTES = 1_500_000
HOST_IMPORT = 'import { mount } from "./lab.js";\n'
STYLE_LINK = '<link rel="stylesheet" href="lab.css">'
HOST_SCRIPT = '<script type="module" src="browser_host.js"></script>'
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
Content = dict[str, Any]


def export_page(lesson: str | None = None) -> str:
    """The page as HTML, with all lessons and presets, or with one lesson that it opens.

    >>> text = export_page("loop")
    >>> text.startswith("<!doctype html>"), len(text) < MAX_BYTES
    (True, True)
    """
    recorder = Recorder()
    names = preset_names(lesson)
    record_presets(recorder, names)
    for name in LESSON_NAMES if lesson is None else (lesson,):
        record_lesson(recorder, name)
    recording = {"about": _about(lesson, names), "lesson": lesson, "answers": recorder.answers}
    text = _page(b64encode(gzip.compress(to_json(recording).encode(), mtime=0)).decode())
    assert len(text.encode()) < MAX_BYTES
    return text


def _about(lesson: str | None, presets: Any) -> Content:
    """What the page needs to build its controls: only what is recorded."""
    content = about({})
    content["recorded"] = True
    content["presets"] = [{**preset, "margin": None} for preset in content["presets"] if preset["name"] in presets]
    content["lessons"] = [one for one in content["lessons"] if lesson in (None, one["name"])]
    return content


def _page(recording: str) -> str:
    """The page with everything inside it. No text may end the element that it stands in."""
    host = static_text("recorded_host.js")
    assert HOST_IMPORT in host
    script = f"{joined_module()}\n{host.replace(HOST_IMPORT, '')}"
    for part, end in ((script, "</script"), (page_styles(), "</style")):
        assert end not in part
    page = static_text("index.html")
    policy = f'<meta http-equiv="content-security-policy" content="{POLICY}">'
    runs = f'<script type="text/plain" id="recording">{recording}</script>'
    page = page.replace(STYLE_LINK, f"{policy}\n<style>\n{page_styles()}</style>")
    return page.replace(HOST_SCRIPT, f'{runs}\n<script type="module">\n{script}</script>')
