"""The documents say what the code does: their examples run, their tables agree with it, their links lead somewhere."""

import collections
import csv
import doctest
import importlib.util
import inspect
import io
import itertools
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt import classifiers
from rosenblatt.parts.catalogue import CLASS_NAMES
from rosenblatt.parts.features import FEATURES
from rosenblatt.parts.keeps import KEEPS
from rosenblatt.parts.losses import LOSSES
from rosenblatt.parts.orders import ORDERS, SINGLE_ROW
from rosenblatt.parts.recipe import Recipe
from rosenblatt.parts.steps import STEPS

ROOT = Path(__file__).resolve().parents[1]
LESSONS = [
    page
    for folder in ("guide", "start", "theory")
    for page in sorted((ROOT / "docs" / folder).glob("*.md"))
    if page.name != "README.md"  # a list of pages
]
SITE = ROOT / "docs" / "site"  # its links are those of the site, which its build checks
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if SITE not in page.parents),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)")


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page, language):
    return [text for kind, text in BLOCK.findall(page.read_text()) if kind == language]


def tables(page):
    """The tables of a page, each a list of rows, each a list of cells, header first."""
    found, current = [], []
    for line in [*page.read_text().splitlines(), ""]:
        if line.startswith("|"):
            current.append([cell.strip() for cell in line.strip("|").split("|")])
        elif current:
            found.append([current[0], *current[2:]])
            current = []
    return found


def table_with(page, *names):
    """The table whose header begins with these names."""
    return next(table for table in tables(page) if tuple(table[0][: len(names)]) == names)


# Examples


def print_warning(message, category, *_):
    print(f"{category.__name__}: {message}")


@pytest.mark.parametrize("page", [ROOT / "README.md", SITE / "index.md", *LESSONS], ids=name_of)
def test_examples_of_a_page_print_what_it_shows(page, tmp_path, monkeypatch):
    """A page is one session, in which a warning is shown by its name and text. Lines of output may be wrapped."""
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    runner, names, said = doctest.DocTestRunner(optionflags=flags), {}, io.StringIO()
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", print_warning)
        for place, text in enumerate(blocks(page, "python")):
            test = doctest.DocTestParser().get_doctest(text, names, f"{page.name}, block {place + 1}", None, 0)
            assert test.examples, f"{page.name} has a Python block without >>>: {text}"
            runner.run(test, out=said.write, clear_globs=False)
            names = test.globs
    assert runner.failures == 0, said.getvalue()
    assert runner.tries > 0


def run_example(script, *arguments, cwd):
    """What an example prints, run with the rosenblatt that is tested here."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(Path(rosenblatt.__file__).resolve().parents[1])}
    command = [sys.executable, str(ROOT / "examples" / script), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout


def test_readme_shows_what_the_demo_prints(tmp_path):
    if shutil.which("rosenblatt", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("the command rosenblatt is not installed")
    (shown,) = blocks(ROOT / "README.md", "console")
    printed = run_example("demo.py", cwd=tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    assert doctest.OutputChecker().check_output(f"...{shown}", printed, flags), printed


@pytest.fixture
def example(tmp_path, monkeypatch, capsys):
    """What an example prints: the cells of its table, and, of the same lines, what it makes of them with an option."""

    def outputs(script, option):
        header, *cells = csv.reader(io.StringIO(run_example(script, cwd=tmp_path)))
        spec = importlib.util.spec_from_file_location(Path(script).stem, ROOT / "examples" / script)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kinds = module.Line.__annotations__.values()
        lines = [module.Line(*(kind(cell) for kind, cell in zip(kinds, line, strict=True))) for line in cells]
        monkeypatch.setattr(module, "lines", lambda: iter(lines))
        monkeypatch.setattr(sys, "argv", [script, option])
        module.main()
        return header, cells, capsys.readouterr().out

    return outputs


def test_orders_example_prints_a_table_to_plot_and_the_medians_that_the_guide_shows(example):
    header, lines, medians = example("orders.py", "--medians")
    assert medians in (ROOT / "docs" / "guide" / "orders.md").read_text(), f"print it anew:\n{medians}"
    assert header == ["data", "order", "seed", "epochs", "visits", "updates", "last", "average"]
    assert {line[1] for line in lines} == set(ORDERS)
    assert len({tuple(line[:3]) for line in lines}) == len(lines)
    assert all(float(line[6]) == 0 for line in lines if line[0] != "overlapping" and line[1] in SINGLE_ROW)


def test_descent_example_prints_a_table_to_plot_and_the_summary_that_the_guide_shows(example):
    header, lines, summary = example("descent.py", "--summary")
    assert summary in (ROOT / "docs" / "guide" / "descent.md").read_text(), f"print it anew:\n{summary}"
    assert header == ["solver", "keep", "step", "passes", "objective", "above"]
    assert len({tuple(line[:4]) for line in lines}) == len(lines)
    falling = [float(line[4]) for line in lines if line[:3] == ["gd", "last", "1.9"]]
    assert falling == sorted(falling, reverse=True)
    assert all(float(line[5]) > 0 for line in lines)


def test_plug_in_example_shows_the_right_form_ahead_and_the_wrong_one_astray_and_so_does_the_theory(example):
    header, lines, summary = example("plug_in.py", "--summary")
    assert summary in (ROOT / "docs" / "theory" / "bayes.md").read_text(), f"print it anew:\n{summary}"
    assert header == ["form", "learner", "rows", "draw", "training", "risk"]
    risk = collections.defaultdict(list)
    for form, learner, rows, *_, found in lines:
        risk[form, learner, int(rows)].append(float(found))
    mean = {key: sum(values) / len(values) for key, values in risk.items()}
    best = [mean["right", learner, 30] for learner in ("linear", "logistic")]
    assert max(best) < min(mean["right", learner, 30] for learner in ("quadratic", "pocket"))
    assert abs(best[0] - best[1]) < 0.01
    assert mean["right", "linear", 2000] < 0.162  # the least possible is 0.1587
    assert mean["wrong", "linear", 2000] > 0.3
    assert max(mean["wrong", "pocket", 2000], mean["wrong", "logistic", 2000]) < 0.01


# Tables


def family():
    return [getattr(classifiers, name) for name in CLASS_NAMES]


def default_cell(classifier, name):
    """A default as the table writes it; a part that the classifier does not offer is fixed, or of no use to it."""
    parameters = inspect.signature(classifier).parameters
    if name in parameters:
        return f"`{parameters[name].default!r}`".replace("'", '"')
    return f'always `"{getattr(classifier, name)}"`' if name in ("loss", "keep") else ""


def test_the_parameters_page_has_the_defaults_of_every_classifier():
    header, *lines = table_with(ROOT / "docs" / "parameters.md", "parameter")
    assert header[1:] == [f"`{name}`" for name in CLASS_NAMES]
    listed = [line[0].strip("`") for line in lines]
    offered = {name for classifier in family() for name in inspect.signature(classifier).parameters}
    assert sorted(listed) == sorted({"loss", *offered})
    for name, line in zip(listed, lines, strict=True):
        assert line[1:] == [default_cell(classifier, name) for classifier in family()], name


def parts_in(cell):
    """
    >>> parts_in('`step="pa"`, `"pa1"`')
    [('step', 'pa'), ('step', 'pa1')]
    """
    kind = re.match(r"`(\w+)=", cell)[1]
    return [(kind, name) for name in re.findall(r'"([^"]+)"', cell)]


def refused_pairs():
    _, *lines = table_with(ROOT / "docs" / "parameters.md", "part", "does not go with")
    pairs = [pair for one, other, _ in lines for pair in itertools.product(parts_in(one), parts_in(other))]
    assert len(set(pairs)) == len(pairs)
    return pairs


def every_recipe():
    kinds = {
        "loss": LOSSES,
        "order": ORDERS,
        "step": STEPS,
        "keep": KEEPS,
        "features": FEATURES,
        "penalty": ("none", "l2"),
    }
    for names in itertools.product(*kinds.values()):
        yield dict(zip(kinds, names, strict=True))


def refusal(parts):
    """The pair that a recipe is refused for, or None."""
    others = {kind: name for kind, name in parts.items() if kind != "penalty"}
    try:
        Recipe(**others, alpha=0.1 if parts["penalty"] == "l2" else 0.0)
    except ValueError as error:
        kind, name, other_kind, other = re.match(r"(\w+)='(.+)' does not go with (\w+)='(.+)': ", str(error)).groups()
        return (kind, name), (other_kind, other)
    return None


def test_the_parameters_page_has_the_refused_combinations_and_no_others():
    pairs, seen = refused_pairs(), set()
    for parts in every_recipe():
        present = [pair for pair in pairs if all(parts[kind] == name for kind, name in pair)]
        pair = refusal(parts)
        if pair is None:
            assert not present, f"{parts} is not refused"
        else:
            assert pair in present, f"{pair} is refused, but not in the table"
            seen.add(pair)
    assert seen == set(pairs)


@pytest.mark.parametrize(("column", "names"), [("class", CLASS_NAMES), ("order", ORDERS)])
def test_readme_lists_the_family_and_the_orders(column, names):
    _, *lines = table_with(ROOT / "README.md", column)
    assert [line[0].strip('`"') for line in lines] == list(names)


# Names, links and chores


@pytest.mark.parametrize("name", [name for name in rosenblatt.__all__ if not name.startswith("_")])
def test_public_name_is_documented(name):
    assert inspect.getdoc(getattr(rosenblatt, name)), f"{name} has no docstring"
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(re.search(rf"\b{name}\b", page.read_text()) for page in pages), f"no page mentions {name}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    targets = [link for link in LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in targets if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_chores_named_are_in_the_makefile(page):
    chores = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = page.read_text()
    named = {*re.findall(r"`make ([a-z0-9-]+)", text), *re.findall(r"^make ([a-z0-9-]+)", text, re.MULTILINE)}
    assert named <= chores


def test_version_is_the_newest_of_the_changelog_or_on_its_way_to_the_next():
    news = (ROOT / "CHANGELOG.md").read_text()
    number, date = re.search(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)$", news, re.MULTILINE).groups()
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {number}\n" in citation
    assert f'\ndate-released: "{date}"\n' in citation
    version, development, _ = rosenblatt.__version__.partition(".dev")
    released, coming = (tuple(map(int, text.split("."))) for text in (number, version))
    assert coming > released if development else coming == released
    assert bool(development) == bool(re.search(r"^## Unreleased\n\n### ", news, re.MULTILINE))
