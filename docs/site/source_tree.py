"""The pages of the site, gathered from the repository into one folder for Sphinx.

The Markdown files stay where they are readable on GitHub. Here each gets its place on the site, links are rewritten to
these places, and the start page of each section gets the list of its pages. A new file in a folder of `docs` joins its
section by itself: after the pages that the section's README links to, in alphabetical order.
"""

import os
import re
import shutil
import tomllib
from pathlib import Path

from api_pages import api_pages
from command_pages import command_pages

ROOT = Path(__file__).resolve().parents[2]
SITE = Path(__file__).resolve().parent
PLACES = {
    "README.md": "index.md",
    "benchmarks/RESULTS.md": "performance/results.md",
    "docs/performance.md": "performance/index.md",
    "docs/parameters.md": "reference/parameters.md",
    "docs/certificate.md": "reference/certificate.md",
}
SECTIONS = ("start", "tutorial", "guide", "gallery", "reference", "theory", "decisions", "performance", "project")
IGNORED = ("docs/site/", "docs/gallery/")
LESSON = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)  # a row of the table of lessons in the guide to the lab
LESSON_LINK = r'| <a href="../_static/lessons/\1.html"><code>\1</code></a> |'
LESSON_TABLE = re.compile(r"^\| lesson \|.*?\n\n", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^(```+)[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")


def repository() -> str:
    """The address of the repository, from the one place that has it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["urls"]["Source"]).rstrip("/")


def pages() -> dict[str, str]:
    """The place on the site of each Markdown file of the repository."""
    found = [*ROOT.glob("*.md"), ROOT / "benchmarks" / "RESULTS.md", *(ROOT / "docs").rglob("*.md")]
    names = sorted(str(path.relative_to(ROOT)) for path in found)
    return {name: place(name) for name in names if not name.startswith(IGNORED)}


def place(name: str) -> str:
    """The place of one file.

    >>> place("docs/guide/orders.md"), place("docs/decisions/README.md"), place("CHANGELOG.md")
    ('guide/orders.md', 'decisions/index.md', 'project/changelog.md')
    """
    if name in PLACES:
        return PLACES[name]
    inside = name.removeprefix("docs/")
    if "/" not in inside:
        return f"project/{inside.lower().replace('_', '-')}"
    return inside.replace("README.md", "index.md")


def rewritten(name: str, text: str, places: dict[str, str]) -> str:
    """A page with links that fit its place; code is left alone but for the language of Python sessions."""
    here, parts, end = place(name), [], 0
    for fence in FENCE.finditer(text):
        parts += [_with_links(name, here, text[end : fence.start()], places), _session(fence[0])]
        end = fence.end()
    return "".join([*parts, _with_links(name, here, text[end:], places)])


def _session(block: str) -> str:
    """A Python session, without the blank line that doctest needs at its end.

    >>> _session("```python\\n>>> 1\\n1\\n\\n```")
    '```pycon\\n>>> 1\\n1\\n```'
    """
    is_session = block.startswith("```python\n>>>")
    return block.replace("python", "pycon", 1).replace("\n\n```", "\n```") if is_session else block


def _with_links(name: str, here: str, text: str, places: dict[str, str]) -> str:
    def link(found: re.Match[str]) -> str:
        target, _, anchor = found[2].partition("#")
        if "://" in target or target.startswith("mailto:") or not target:
            return found[0]
        path = os.path.normpath(os.path.join(os.path.dirname(name), target))
        there = places.get(path) or places.get(f"{path}/README.md") or _asset(path)
        if there is None:
            return f"{found[1]}({repository()}/blob/main/{path})"
        relative = os.path.relpath(there, os.path.dirname(here) or ".")
        return f"{found[1]}({relative}{'#' + anchor if anchor else ''})"

    return LINK.sub(link, text)


def _asset(path: str) -> str | None:
    """Pictures of `docs` keep their place."""
    is_picture = path.startswith("docs/") and path.endswith((".png", ".jpg", ".svg"))
    return path.removeprefix("docs/") if is_picture else None


def listed(index: str, section: str, places: list[str]) -> list[str]:
    """The pages of a section: first those that its start page links to, in that order, then all others."""
    names = [one for one in places if one.startswith(f"{section}/") and one != f"{section}/index.md"]
    linked = [os.path.normpath(f"{section}/{target}") for _, target in LINK.findall(index)]
    order = {name: number for number, name in reversed(list(enumerate(linked)))}
    return sorted(names, key=lambda one: (order.get(one, len(order)), one))


def lesson_table(guide: str) -> str:
    """The table of lessons in the guide to the lab.

    >>> lesson_table("# Lab\\n\\n| lesson | its idea |\\n|---|---|\\n| `xor` | Four points. |\\n\\nText.")
    '\\n| lesson | its idea |\\n|---|---|\\n| `xor` | Four points. |\\n'
    """
    return f"\n{LESSON_TABLE.findall(guide)[0]}"[:-1]


def toctree(entries: list[str], caption: str = "") -> str:
    """The list of the pages below a page, which the navigation shows."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["\n```{toctree}", *options, "", *entries, "```\n"])


def write_tree(folder: Path) -> None:
    """Write all pages into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    places = pages()
    texts = {there: rewritten(name, (ROOT / name).read_text(), places) for name, there in places.items()}
    texts |= {f"{path.stem}/index.md": path.read_text() for path in SITE.glob("sections/*.md")}
    texts["guide/lab.md"] = LESSON.sub(LESSON_LINK, texts["guide/lab.md"])
    texts["tutorial/index.md"] += lesson_table(texts["guide/lab.md"])
    texts |= api_pages(texts) | command_pages()
    texts["index.md"] = FENCE.sub(lambda one: _session(one[0]), (SITE / "index.md").read_text()) + toctree(
        [f"{one}/index" for one in SECTIONS]
    )
    for section in SECTIONS:
        if section not in ("gallery", "reference"):
            name = f"{section}/index.md"
            below = [
                one.removeprefix(f"{section}/").removesuffix(".md") for one in listed(texts[name], section, [*texts])
            ]
            texts[name] += toctree(below) if below else ""
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for picture in (ROOT / "docs").rglob("pictures/*.*"):
        there = folder / picture.relative_to(ROOT / "docs")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(picture, there)
