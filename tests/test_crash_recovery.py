"""Commands killed amid their writes: nothing is damaged, nothing is left, and given again they end alike.

A sample of what `python -m evidence.crash_recovery` does with every command, at other moments, too.
"""

import sys
from pathlib import Path

import pytest

import rosenblatt

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def recovery():
    """The module `evidence.crash_recovery`, which lies beside the tests."""
    sys.path.insert(0, str(ROOT))
    try:
        from evidence import crash_recovery

        yield crash_recovery  # the processes that it starts look there, too
    finally:
        sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def folder(recovery, tmp_path_factory):
    """The table and the model."""
    folder = tmp_path_factory.mktemp("killed")
    recovery.prepare_inputs(folder)
    return folder


@pytest.mark.parametrize("name", ["train-on-disk", "endless", "check", "predict"])
def test_a_command_killed_amid_a_write_loses_and_leaves_nothing(recovery, folder, name):
    finding = recovery.check_command(name, folder, 1, (recovery.AMID_WRITE,))
    assert finding.holds, finding.result
    assert "1 amid a write" in finding.result


def test_damage_is_found(recovery, folder):
    """Otherwise the tests above would test nothing."""
    command = recovery.COMMANDS["predict"]
    undisturbed = recovery.run_undisturbed(folder, command)
    place = recovery.prepare(folder)
    (place / recovery.OUT).write_bytes(b"prediction\n")
    (place / ".other").touch()
    assert not recovery.is_right(place / recovery.OUT, command, undisturbed)
    assert list(recovery.faults(place, command, undisturbed)) == ["other files: .other"]


def test_a_model_of_other_rows_is_found(recovery, folder):
    command = recovery.COMMANDS["endless"]
    undisturbed = recovery.run_undisturbed(folder, command)
    place = recovery.prepare(folder)
    model = rosenblatt.load(place / recovery.MODEL)
    rosenblatt.save(model, place / recovery.OUT)
    assert not recovery.is_right(place / recovery.OUT, command, undisturbed)
