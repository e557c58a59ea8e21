"""Sphinx's settings. `make docs` runs it through build.py, which writes the pages first."""

import importlib
import importlib.metadata
import inspect
import re
import warnings
from pathlib import Path
from typing import Any

from api_pages import members
from docstring_markup import restructured
from source_tree import SITE, repository

import rosenblatt
from rosenblatt.lab.export_page import export_page
from rosenblatt.lab.lessons import LESSON_NAMES

project = "rosenblatt"
author = "The rosenblatt developers"
release = version = rosenblatt.__version__
project_copyright = "the rosenblatt developers, BSD-3-Clause"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery/*.md5", "gallery/*.ipynb", "gallery/*.py"]
highlight_language = "none"
smartquotes = False
nitpicky = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 80
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = {
    "examples_dirs": str(SITE.parent / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "capture_repr": (),
    "reset_modules": ("matplotlib", "gallery_style.use_style"),
    "abort_on_example_error": True,
    "thumbnail_size": (480, 320),
    "within_subsection_order": "FileNameSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = "rosenblatt"
html_static_path = [str(SITE / "static")]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = str(SITE / "static" / "logo.svg")
html_copy_source = False
html_show_sourcelink = False
html_sidebars: dict[str, list[str]] = {name: [] for name in ("index", "tutorial/index", "search", "genindex")}
html_theme_options = {
    "logo": {"text": "rosenblatt", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg", "alt_text": ""},
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "search_bar_text": "Search the documentation",
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "search": [], "gallery/index": []},
    "footer_start": ["copyright"],
    "footer_end": ["site-version"],
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto", "repository": repository()}
templates_path = [str(SITE / "templates")]

# MathJax comes with a Python package, so that no page asks the network for anything.
mathjax_path = "mathjax/tex-mml-chtml.js"
MATHJAX_FILES = ("tex-mml-chtml.js", "output/chtml/fonts/woff-v2/")
mathjax3_config = {"options": {"enableMenu": False}}


def copy_mathjax(app: Any, _: Exception | None) -> None:
    """The program and its fonts, not the other twenty megabytes."""
    for file in importlib.metadata.files("sphinx-mathjax-offline") or ():
        _, found, inside = str(file).partition("static/mathjax/")
        if found and inside.startswith(MATHJAX_FILES):
            target = Path(app.outdir, "_static", "mathjax", inside)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(Path(str(file.locate())).read_bytes())


def write_lessons(app: Any, error: Exception | None) -> None:
    """Each lesson of the lab as a page of its own, which plays recorded runs. The guide links to them."""
    folder = Path(app.outdir, "_static", "lessons")
    folder.mkdir(parents=True, exist_ok=True)
    for name in () if error else LESSON_NAMES:
        (folder / f"{name}.html").write_text(export_page(name), encoding="utf-8")


def import_object(path: str) -> Any:
    """The class of a method, or the module of a function."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name, None) if module else None


def rewrite_docstring(_: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """A name in backticks is first one of the same class: `fit` in `Perceptron` is its method."""
    owner = name if what in ("class", "exception") else name.rpartition(".")[0]
    kind = thing if inspect.isclass(thing) else import_object(owner)
    own = {one: f"{owner}.{one}" for one in members(kind)} if inspect.isclass(kind) else {}
    lines[:] = restructured(inspect.cleandoc("\n".join(lines)), own).splitlines() if lines else []


# The parameters of a signature as Sphinx writes them: a list of definitions without terms, which axe rejects.
PARAMETERS = re.compile(r"<dl>\s*((?:<dd><em class=\"sig-param\">.*?</dd>\s*)+)</dl>", re.DOTALL)
# A column of the rows' names has no header in Markdown.
EMPTY_HEADER = re.compile(r"<th class=\"head[^\"]*\"><p></p></th>")


def mend_markup(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the parameters of signatures plain lines, and empty headers of tables plain cells."""

    def lines(found: re.Match[str]) -> str:
        return f'<span class="sig-params">{found[1].replace("<dd>", "<span>").replace("</dd>", "</span>")}</span>'

    if "body" in context:
        context["body"] = EMPTY_HEADER.sub("<td></td>", PARAMETERS.sub(lines, context["body"]))


def setup(app: Any) -> None:
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # of widgets, when autodoc looks at them
    app.connect("autodoc-process-docstring", rewrite_docstring)
    app.connect("html-page-context", mend_markup)
    app.connect("build-finished", copy_mathjax)
    app.connect("build-finished", write_lessons)
