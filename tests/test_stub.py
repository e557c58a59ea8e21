"""`_core.pyi` matches what nanobind says of the compiled core: the same names and the same arguments."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt import _core

STUB = Path(rosenblatt.__file__).with_name("_core.pyi")


def signatures(source):
    """The arguments of every function and method, by its full name; those of overloads together."""
    found = defaultdict(set)

    def collect(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                collect(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                names = [arg.arg for arg in (*node.args.posonlyargs, *node.args.args)]
                found[f"{prefix}{node.name}"].add(tuple(name for name in names if name != "self"))

    collect(ast.parse(source).body, "")
    return found


@pytest.fixture(scope="module")
def generated():
    stubgen = pytest.importorskip("nanobind.stubgen")
    stub = stubgen.StubGen(_core)
    stub.put(_core)
    return signatures(stub.get())


def test_every_name_of_the_core_is_in_the_stub_and_no_other(generated):
    assert generated.keys() == signatures(STUB.read_text()).keys()


def test_arguments_have_the_same_names_and_order(generated):
    written = signatures(STUB.read_text())
    differ = {
        name: (generated[name], one)
        for name in generated
        for one in written[name]
        if not any(agree(one, other) for other in generated[name])
    }
    assert not differ


def agree(written, generated):
    """An argument that the core does not name is called `arg` by nanobind."""
    return len(written) == len(generated) and all(b in (a, "arg") for a, b in zip(written, generated, strict=True))


def test_a_missing_argument_is_found():
    assert signatures("class A:\n    def f(self, x: int) -> None: ...") != signatures("class A:\n    def f(self): ...")
