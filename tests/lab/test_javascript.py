"""The page's JavaScript: rules that oxlint does not know, and unit tests of the modules without a DOM, run by node."""

import os
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from rosenblatt.lab.module_bundle import module_order, parse_module
from rosenblatt.lab.static_files import ENTRY, joined_module, static_module, static_text

STATIC = Path(str(files("rosenblatt.lab") / "static"))
NAMES = sorted(path.stem for path in STATIC.glob("*.js"))
UNIT_TESTS = sorted((Path(__file__).parent / "javascript").glob("*.test.mjs"))
HOSTS = ("browser_host", "recorded_host")  # a host imports the bundle itself
MAX_LINE = 220


@pytest.fixture(scope="module")
def node():
    path = shutil.which("node")
    if path is None:
        pytest.skip("node is not installed: the unit tests of the page's JavaScript are skipped")
    return path


def run_node(node, *arguments):
    environment = {**os.environ, "ROSENBLATT_STATIC": str(STATIC)}
    done = subprocess.run([node, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


# Rules


@pytest.mark.parametrize("name", NAMES)
def test_rules_of_a_module(name):
    text = static_text(f"{name}.js")
    assert text.startswith("// "), "a module begins with a sentence that says what it is"
    assert max(map(len, text.splitlines())) <= MAX_LINE
    assert "\t" not in text
    assert text.endswith("\n")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in HOSTS])
def test_rules_of_imports_and_exports(name):
    """Every import exists; every export is used by another module, or by a unit test."""
    module = static_module(name)
    for source, names in module.imports.items():
        assert set(names) <= set(static_module(source).exports), source
    taken = {one for other in NAMES if other not in HOSTS for one in static_module(other).imports.get(name, ())}
    tested = " ".join(path.read_text() for path in UNIT_TESTS)
    for export in module.exports:
        assert name == ENTRY or export in taken or export in tested, f"{export} is exported in vain"


def test_rules_of_the_bundle():
    """Every module is in it, and a form that the bundle does not know is refused."""
    assert set(module_order(static_module, ENTRY)) == set(NAMES) - set(HOSTS)
    assert not re.search(r"^import ", joined_module(), re.MULTILINE)
    for line in ('import x from "./a.js";', "export default x;", "export let x;", 'import { a as b } from "./a.js";'):
        with pytest.raises(ValueError, match=r"m\.js, line 2: the bundle does not take"):
            parse_module("m", f"// A module.\n{line}\n")


def test_rules_of_cycles():
    texts = {
        "a": 'import { b } from "./b.js";\nexport const a = b;',
        "b": 'import { a } from "./a.js";\nexport const b = a;',
    }
    with pytest.raises(ValueError, match="a -> b -> a import each other"):
        module_order(lambda name: parse_module(name, texts[name]), "a")


# Unit tests


def test_node_loads_the_bundle_and_its_hosts(node, tmp_path):
    (tmp_path / "lab.mjs").write_text(joined_module())
    code = "const m = await import(process.argv[1]); if (!m.mount || !m.default.render) process.exit(1)"
    run_node(node, "--input-type=module", "--eval", code, str(tmp_path / "lab.mjs"))
    for host in HOSTS:
        run_node(node, "--check", str(STATIC / f"{host}.js"))


@pytest.mark.parametrize("path", UNIT_TESTS, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_unit_tests(node, path):
    run_node(node, "--test", str(path))
