"""Commands whose allocations and writes fail: one sentence, no crash, and the old file whole.

A sample of what `python -m evidence.failing_calls` does with every call of every command.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not (os.environ.get("CXX") or shutil.which("c++")),
    reason="the library that makes calls fail is for Linux, and is compiled here",
)


@pytest.fixture(scope="module")
def failing():
    """The module `evidence.failing_calls`, which lies beside the tests."""
    sys.path.insert(0, str(ROOT))
    try:
        from evidence import failing_calls
    finally:
        sys.path.remove(str(ROOT))
    return failing_calls


@pytest.fixture(scope="module")
def folder(failing, tmp_path_factory):
    """Tables, a model and the library."""
    folder = tmp_path_factory.mktemp("failing")
    failing.write_tables(folder)
    library = failing.compile_library(folder)
    (folder / "model").write_bytes(failing.run(folder, library, failing.COMMANDS["train"], "", 0).content)
    return folder


@pytest.mark.parametrize(
    ("command", "call", "every"),
    [
        ("train", "allocate", 30),
        ("train", "fsync", 1),
        ("train", "rename", 1),
        ("train-on-disk", "write", 9),
        ("train-on-disk", "mmap", 2),
        ("checkpoint", "rename", 1),
        ("train-endless", "write", 1),
        ("predict", "write", 1),
        ("check", "rename", 1),
    ],
)
def test_a_failing_call_ends_in_a_sentence_and_loses_nothing(failing, folder, command, call, every):
    finding = failing.check_command(command, call, folder, folder / "failing_calls.so", every)
    assert finding.holds, finding.result


def test_the_library_makes_calls_fail(failing, folder):
    """Otherwise the tests above would test nothing."""
    ended = failing.run(folder, folder / "failing_calls.so", failing.COMMANDS["train"], "fsync", 1)
    assert ended.code == 2
    assert "nput/output error" in ended.stderr
    assert ended.content == failing.OLD
