"""The site has a page for every public name and every option, and a place for every Markdown file."""

import importlib
import inspect
import re
import runpy
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.cli.commands import COMMANDS
from rosenblatt.cli.fast_parser import option_names

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"
GALLERY = sorted((ROOT / "docs" / "gallery").glob("*.py"))


@pytest.fixture(scope="module")
def site():
    """The modules that write the pages; they need no Sphinx."""
    sys.path.insert(0, str(SITE))
    yield importlib.import_module("source_tree")
    sys.path.remove(str(SITE))


@pytest.fixture(scope="module")
def tree(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    site.write_tree(folder)
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.md")}


def documented(tree):
    """The names that autodoc is asked for, each with its module."""
    found = set()
    for name, text in tree.items():
        if name.startswith("reference/api/"):
            (module,) = re.findall(r"currentmodule:: (.*)", text)
            found |= {f"{module}.{thing}" for thing in re.findall(r"^\.\. auto(?:class|function):: (.*)", text, re.M)}
    return found


def test_every_public_name_has_a_page(tree):
    public = {f"rosenblatt.{name}" for name in rosenblatt.__all__ if not name.startswith("_")}
    plots = {f"rosenblatt.plots.{name}" for name, value in vars(rosenblatt.plots).items() if inspect.isfunction(value)}
    mlflow = {f"rosenblatt.mlflow.{name}" for name in rosenblatt.mlflow.__all__}
    assert public | plots | mlflow <= documented(tree)


@pytest.mark.parametrize("name", ["Separability", "MaxMargin", "FewestMistakes", "Audit", "VCBound", "RiskEstimate"])
def test_what_functions_return_has_a_page(tree, name):
    assert f"reference/api/{name}.md" in tree


def test_methods_that_depend_on_a_parameter_are_documented(tree):
    page = tree["reference/api/LogisticRegression.md"]
    assert {"fit", "partial_fit", "predict", "predict_proba", "decision_function"} <= set(
        re.findall(r"automethod:: (\w+)", page)
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_has_a_line(tree, command):
    function = getattr(importlib.import_module(f"rosenblatt.cli.{command}"), command)
    lines = [line for line in tree[f"reference/commands/{command}.md"].splitlines() if line.startswith("| `-")]
    shown = {name for line in lines for name in re.findall(r"`(--?[\w-]+)", line.split(" | ")[0])}
    assert option_names(function) <= shown


def test_every_markdown_file_has_a_page_in_the_navigation(site, tree):
    places = set(site.pages().values()) - {"index.md"}
    assert places <= set(tree)
    listed = set()
    for name, text in tree.items():
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {str(Path(name).parent / entry) + ".md" for entry in entries}
    assert places - listed == set()


def test_a_new_page_comes_after_those_that_the_start_page_names(site):
    index = "[b](b.md) and [a](a.md)"
    assert site.listed(
        index, "guide", ["guide/a.md", "guide/b.md", "guide/new.md", "guide/index.md", "theory/x.md"]
    ) == [
        "guide/b.md",
        "guide/a.md",
        "guide/new.md",
    ]


def test_links_lead_to_the_places_of_pages(site):
    text = "[a](../theory/margin.md#x) [b](../../CHANGELOG.md) [c](../../LICENSE)\n\n```python\n>>> 1\n1\n```\n"
    moved = site.rewritten("docs/guide/orders.md", text, site.pages())
    assert "[a](../theory/margin.md#x) [b](../project/changelog.md) [c](https://" in moved
    assert "```pycon\n>>> 1" in moved


@pytest.mark.parametrize("markup", ["docstring_markup", "source_tree"])
def test_examples_of_the_site_builder(site, markup):
    import doctest

    assert doctest.testmod(importlib.import_module(markup)).failed == 0


@pytest.mark.parametrize("program", GALLERY, ids=lambda path: path.stem)
def test_program_of_the_gallery_draws(program, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    plt.close("all")
    runpy.run_path(str(program))
    assert plt.get_fignums()
    plt.close("all")
