"""The folders are the architecture: no module imports upwards or in a circle, and names say what they hold."""

import ast
import importlib.util
from collections import defaultdict
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("layer_graph", ROOT / "docs" / "layer_graph.py")
layer_graph = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(layer_graph)

pytestmark = pytest.mark.skipif(not layer_graph.SOURCES.is_dir(), reason="the sources are not beside the tests")

MAX_LINES = 350
FOLDERS = ("src", "core", "tests", "benchmarks", "evidence", "docs", "examples", "release")
KINDS = ("*.py", "*.pyi", "*.cpp", "*.hpp", "*.inc")
LONG_LISTS = {  # the files that may be longer, and why
    "core/text/characters.inc": "a table that make_characters.py writes from Unicode's",
    "src/rosenblatt/_core.pyi": "a list of the core's names and types, held by test_stub.py to what nanobind says",
}

# Modules of one name in several layers: the same idea, seen from each of them.
SAME_IDEA = {"command", "endless", "export", "cache", "checkpoint", "parameter_mixing"}


@pytest.fixture(scope="module")
def edges():
    return layer_graph.graph()


def test_no_module_imports_a_higher_layer(edges):
    assert layer_graph.upward(edges) == []


def test_no_modules_import_each_other_in_a_circle(edges):
    assert layer_graph.cycle(edges) == []


def test_upward_imports_and_cycles_are_found():
    edges = {
        "rosenblatt.parts.steps": {"rosenblatt.engine.run"},
        "rosenblatt.engine.run": {"rosenblatt.engine.stream"},
        "rosenblatt.engine.stream": {"rosenblatt.engine.run", "rosenblatt", "rosenblatt._core"},
    }
    assert layer_graph.upward(edges) == [
        "rosenblatt.parts.steps imports rosenblatt.engine.run",
        "rosenblatt.engine.stream imports rosenblatt",
    ]
    assert set(layer_graph.cycle(edges)) == {"rosenblatt.engine.run", "rosenblatt.engine.stream"}


def test_no_file_of_the_core_includes_a_higher_layer():
    assert layer_graph.core_upward(layer_graph.core_graph()) == []


def test_upward_includes_of_the_core_are_found(tmp_path):
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "views.hpp").write_text('#include "rows/span.hpp"\n#include "loop/state.hpp"\n')
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop" / "state.hpp").write_text('#include "rows/views.hpp"\n#include "tests/helpers.hpp"\n')
    assert layer_graph.core_upward(layer_graph.core_graph(tmp_path)) == [
        "core/rows/views.hpp includes loop/",
        "core/loop/state.hpp includes tests/",
    ]


def test_the_folders_of_the_core_are_its_layers():
    folders = {path.name for path in layer_graph.CORE_SOURCES.iterdir() if path.is_dir()}
    assert folders == {*layer_graph.CORE_LAYERS, "tests", "fuzz"}


def test_imports_inside_functions_count(tmp_path):
    package = tmp_path / "rosenblatt" / "parts"
    package.mkdir(parents=True)
    (package / "steps.py").write_text("def late():\n    from ..engine import run\n    import rosenblatt.lab.server\n")
    (tmp_path / "rosenblatt" / "engine").mkdir()
    (tmp_path / "rosenblatt" / "engine" / "run.py").write_text("")
    edges = layer_graph.graph(tmp_path)
    assert edges["rosenblatt.parts.steps"] == {"rosenblatt.engine.run", "rosenblatt.lab.server"}


def test_the_folders_are_the_layers_and_each_says_what_it_knows():
    package = layer_graph.SOURCES / layer_graph.PACKAGE
    folders = {path.parent for path in package.rglob("*.py")} - {package}
    assert {folder.relative_to(package).parts[0] for folder in folders} == set(layer_graph.LAYERS)
    for folder in folders:
        assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text())), folder


@pytest.mark.parametrize("place", range(1, len(layer_graph.LAYERS)), ids=lambda place: layer_graph.LAYERS[place])
def test_each_layer_says_what_it_may_import(place):
    init = layer_graph.SOURCES / layer_graph.PACKAGE / layer_graph.LAYERS[place] / "__init__.py"
    said = " ".join(ast.get_docstring(ast.parse(init.read_text())).split())
    assert f"May import `{layer_graph.LAYERS[place - 1]}` and below." in said


def test_few_names_lie_side_by_side():
    own = {path.name for path in (ROOT / "src" / "rosenblatt").iterdir()} - {"__pycache__"}
    assert len({name for name in own if not name.endswith(".so")}) <= 20
    assert len(list((ROOT / "core").iterdir())) <= 14


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def sources(*patterns):
    folders = (ROOT / "src", ROOT / "core")
    return [path for folder in folders for pattern in patterns for path in folder.rglob(pattern)]


def test_files_are_short():
    lengths = {str(path.relative_to(ROOT)): lines_of(path) for path in sources("*.py", "*.hpp", "*.cpp", "*.js")}
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}
    assert median(lengths.values()) <= 120


def long_files(root):
    """Files of Python and C++ that are too long to hold one idea, with their lines."""
    found = [path for folder in FOLDERS for kind in KINDS for path in (root / folder).rglob(kind)]
    return {str(path.relative_to(root)): lines_of(path) for path in found if lines_of(path) > MAX_LINES}


def test_no_file_of_any_folder_is_long():
    assert {name: lines for name, lines in long_files(ROOT).items() if name not in LONG_LISTS} == {}


def test_a_long_file_is_found(tmp_path):
    (tmp_path / "tests" / "deep").mkdir(parents=True)
    (tmp_path / "tests" / "deep" / "test_all.py").write_text("pass\n" * 351)
    (tmp_path / "tests" / "test_one.py").write_text("pass\n" * 350)
    assert long_files(tmp_path) == {"tests/deep/test_all.py": 351}


def test_nine_functions_in_ten_have_at_most_fifteen_lines():
    lengths = []
    for path in sources("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lengths.append(body[-1].end_lineno - body[0].lineno + 1 if body else 0)
    assert sorted(lengths)[len(lengths) * 9 // 10] <= 15


def test_a_module_name_means_one_thing(edges):
    places = defaultdict(list)
    for module in edges:
        if (layer_graph.SOURCES / module.replace(".", "/")).with_suffix(".py").exists():
            places[module.rpartition(".")[2]].append(module)
    several = {name: found for name, found in places.items() if len(found) > 1 and not name.startswith("__")}
    assert several.keys() <= SAME_IDEA, several


def test_the_architecture_shows_the_graph(edges):
    page = (ROOT / "ARCHITECTURE.md").read_text()
    assert layer_graph.table(edges) in page
    assert layer_graph.core_table(layer_graph.core_graph()) in page
