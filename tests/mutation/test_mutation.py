"""The mutators make the changes they name, and a campaign tells killed mutants from survivors."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from forks import Task, run_tasks
from hot_swap import replace_code
from mutant import sample
from python_mutants import mutated_tree, python_mutants

HERE = Path(__file__).parent


def changes_of(source):
    return {mutant.change for mutant in python_mutants(source, "a.py")}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {"a < b -> a <= b", "a < b -> a >= b", "a < b -> pass"}),
        ("a = b + c", {"b + c -> b - c"}),
        ("a = b and not c", {"b and (not c) -> b or not c", "not c -> c"}),
        ("a = [3, 1.0, True]", {"3 -> 4", "3 -> 2", "1.0 -> 2.0", "1.0 -> 0.0", "True -> False"}),
        ("a = 1e300", set()),  # one more is the same float
        ("a = max(b)", {"max -> min"}),
        ("a.b = c", {"a.b = c -> pass"}),
        ("def f(a: int = 0): return a", {"0 -> 1", "0 -> -1", "return a -> return None"}),
        ("while a: break", {"a -> False", "break -> continue"}),
        ("a = b if c else d", {"c -> False", "c -> True"}),
        ("if a: raise E(f'{b + 1}')", {"a -> False", "a -> True", "raise E(f'{b + 1}') -> pass"}),
        (
            "'docstring'\n__all__ = [1]\na: Literal[1]\n@f(1)\ndef g() -> h(1): zip(strict=True)",
            {"zip(strict=True) -> pass"},
        ),
    ],
)
def test_python_mutants(source, expected):
    assert changes_of(source) == expected


def test_mutated_trees_are_those_that_are_listed():
    source = "def f(a, b):\n    if a < b:\n        return a\n    return b - 1\n"
    results = set()
    for mutant in python_mutants(source, "a.py"):
        names = {}
        exec(compile(mutated_tree(source, mutant.number), "a.py", "exec"), names)
        results.add((mutant.change, names["f"](1, 5), names["f"](5, 5)))
    assert ("a < b -> a <= b", 1, 5) in results
    assert ("b - 1 -> b + 1", 1, 6) in results
    assert ("1 -> 2", 1, 3) in results
    assert len(results) == 9


TINY = """
from dataclasses import dataclass
from functools import cache

LEVEL = 1

@cache
def level(plus=1):
    return LEVEL + plus

@dataclass(frozen=True)
class Box:
    size: int = 2

    @property
    def area(self):
        return self.size ** 2

    @classmethod
    def square(cls):
        return [cls(side) for side in range(3)][-1]

    def name(self):
        return super().__repr__() and "box"
"""


def test_a_changed_module_replaces_what_others_hold(monkeypatch):
    modules = {name: ModuleType(name) for name in ("tiny_module", "tiny_user")}
    for name, module in modules.items():
        module.__file__, module.__package__ = name, ""
        monkeypatch.setitem(sys.modules, name, module)
    exec(TINY, modules["tiny_module"].__dict__)
    exec("from tiny_module import *", modules["tiny_user"].__dict__)
    user, box = modules["tiny_user"], modules["tiny_user"].Box()
    changed = (
        TINY.replace("LEVEL = 1", "LEVEL = 5").replace("plus=1", "plus=3").replace("size: int = 2", "size: int = 7")
    )
    changed = changed.replace("** 2", "* 2").replace("[-1]", "[0]").replace('super().__repr__() and "box"', '"bag"')
    replace_code("tiny_module", compile(changed, "tiny_module", "exec"))
    assert (user.LEVEL, user.level(), box.area, user.Box().size) == (5, 8, 4, 7)
    assert (box.name(), user.Box.square().size) == ("bag", 0)


def test_every_file_gives_its_share_of_a_sample():
    few, many = python_mutants("a = 1", "few.py"), python_mutants("\n".join(["a = 1 + 2"] * 40), "many.py")
    drawn = sample(few + many, 20, seed=3)
    assert drawn == sample(few + many, 20, seed=3) != sample(few + many, 20, seed=4)
    assert [mutant.file for mutant in drawn].count("few.py") == 1
    assert len(set(drawn)) == len(drawn) == 21
    assert sample(few + many, None, seed=3) == few + many


@pytest.fixture
def tiny_repository(tmp_path):
    """A module of which the tests notice half, in the folders that a campaign looks into."""
    module = tmp_path / "src/rosenblatt/prove/tiny.py"
    module.parent.mkdir(parents=True)
    for folder in (module.parent, module.parent.parent):
        (folder / "__init__.py").touch()
    module.write_text("def larger(a, b):\n    return a if a > b else b\n\n\ndef unused(a):\n    return a + 1\n")
    tests = tmp_path / "tests/prove/test_tiny.py"
    tests.parent.mkdir(parents=True)
    tests.write_text(
        "from rosenblatt.prove.tiny import larger\n\n\n"
        "def test_larger():\n    assert larger(2, 1) == 2 and larger(1, 2) == 2\n"
    )
    return tmp_path


def test_a_campaign_finds_what_tests_notice(tiny_repository):
    command = [sys.executable, str(HERE / "score.py"), "python", "--jobs", "2"]
    environment = {"PYTHONPATH": str(tiny_repository / "src")}
    subprocess.run(command, cwd=tiny_repository, env=environment, check=True, capture_output=True)
    lines = (tiny_repository / "build/mutation/python.jsonl").read_text().splitlines()
    outcomes = {entry["mutant"].partition(": ")[2]: entry["outcome"] for entry in map(json.loads, lines)}
    assert outcomes["comparison: a > b -> a <= b"] == "killed"
    assert outcomes["comparison: a > b -> a >= b"] == "survived"  # the same function
    assert outcomes["arithmetic: a + 1 -> a - 1"] == "survived"  # not reached by any test


def test_tasks_that_die_or_hang_are_ended():
    def hang():
        while True:
            pass

    answers = {}
    tasks = [Task("killed", lambda: os.kill(os.getpid(), signal.SIGKILL), 9), Task("hang", hang, 0.1)]
    tasks += [Task("answer", lambda: [6 * 7], 9), Task("error", lambda: 1 / 0, 9)]
    run_tasks(tasks, 2, answers.__setitem__)
    assert answers == {"killed": None, "hang": None, "answer": [42], "error": None}


@pytest.fixture
def schemata():
    pytest.importorskip("tree_sitter_cpp")
    from core_mutants import Schemata

    return Schemata


def test_core_mutants(schemata):
    made = schemata("int f(int a) { if (a < 3) a += 1; return a; }", "a.cpp", 100)
    assert [mutant.number for mutant in made.mutants] == list(range(100, 100 + len(made.mutants)))
    assert {mutant.change for mutant in made.mutants} == {
        "a < 3 -> false",
        "a < 3 -> true",
        "a < 3 -> (a <= 3)",
        "a < 3 -> (a >= 3)",
        "3 -> (3 + 1)",
        "3 -> (3 - 1)",
        "a += 1; -> ",
        "a += 1 -> (a -= 1)",
        "1 -> (1 + 1)",
        "1 -> (1 - 1)",
        "return a; -> zero",
    }


def test_the_core_leaves_types_and_templates_alone(schemata):
    source = "template <int n = 1> struct A { std::array<int, 2> b; };\nif constexpr (requires { a < 1; }) {}\n"
    assert schemata(source, "a.cpp", 0).mutants == []


def test_one_program_holds_all_core_mutants(schemata, tmp_path):
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop/mutant.hpp").write_text((HERE / "mutant.hpp").read_text())
    made = schemata("int main() { int a = 0; for (int i = 0; i < 3; ++i) a += i; return a; }", "a.cpp", 0)
    (tmp_path / "a.cpp").write_text(made.source)
    subprocess.run(["c++", "-std=c++20", "-w", "-I.", "a.cpp", "-o", "a"], cwd=tmp_path, check=True)
    numbers = {mutant.change: mutant.number for mutant in made.mutants} | {"none": -1}
    expected = {"none": 3, "i < 3 -> (i <= 3)": 6, "3 -> (3 - 1)": 1, "a += i -> (a -= i)": 253, "return a; -> zero": 0}
    for change, result in expected.items():
        environment = {"ROSENBLATT_MUTANT": str(numbers[change])}
        assert subprocess.run([tmp_path / "a"], env=environment).returncode == result


def test_constants_of_one_line_are_mutants_of_their_own(schemata, tmp_path):
    """They are computed when they are read, also by `min`."""
    (tmp_path / "loop").mkdir()
    (tmp_path / "loop/mutant.hpp").write_text((HERE / "mutant.hpp").read_text())
    source = (
        "struct A { static constexpr int b = 3, c = 5; int d = std::min(9, c); };\nint main() { return A{}.d + A::b; }"
    )
    made = schemata("#include <algorithm>\n" + source, "a.cpp", 0)
    (tmp_path / "a.cpp").write_text(made.source)
    subprocess.run(["c++", "-std=c++20", "-w", "-I.", "a.cpp", "-o", "a"], cwd=tmp_path, check=True)
    numbers = {mutant.change: mutant.number for mutant in made.mutants} | {"none": -1}
    for change, result in {"none": 8, "3 -> (3 + 1)": 9, "5 -> (5 - 1)": 7, "5 -> (5 + 1)": 9}.items():
        environment = {"ROSENBLATT_MUTANT": str(numbers[change])}
        assert subprocess.run([tmp_path / "a"], env=environment).returncode == result
