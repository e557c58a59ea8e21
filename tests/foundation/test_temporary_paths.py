"""What killed processes leave is removed by the next writer, and what living ones write is not."""

import os
import re
import subprocess
import sys

import pytest

from rosenblatt.foundation.atomic_file import atomic_write
from rosenblatt.foundation.temporary_paths import lock_temporary_folder, open_temporary_file, remove_abandoned

ANY = re.compile(r"\..*")
KILLED = """
import os, signal, sys
from rosenblatt.foundation.atomic_file import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def write(path, content=b"new"):
    with atomic_write(path) as file:
        file.write(content)


def test_a_process_killed_amid_a_write_leaves_the_old_file_and_nothing_for_long(tmp_path):
    path = tmp_path / "out.csv"
    write(path, b"old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)])
    assert killed.returncode == -9
    assert path.read_bytes() == b"old"
    assert len(os.listdir(tmp_path)) == 2  # nobody else can tell that it was abandoned
    write(path)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_file_that_is_being_written_stays(tmp_path):
    path = tmp_path / "out.csv"
    with atomic_write(path) as first:
        first.write(b"first")
        write(path, b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_files_of_others_stay(tmp_path):
    names = {".out.20261117", ".out.1234abcd", ".out.csv.1234abcd.rosenblatt", ".xout.1234abcd.rosenblatt", "out"}
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / ".out.11111111.rosenblatt").symlink_to(tmp_path / "out")
    os.mkfifo(tmp_path / ".out.22222222.rosenblatt")  # opening it waits for no reader
    write(tmp_path / "out")
    assert names | {".out.11111111.rosenblatt"} <= set(os.listdir(tmp_path))


def test_a_locked_folder_stays_until_its_lock_is_closed(tmp_path):
    path = tmp_path / ".rows"
    with lock_temporary_folder(path):
        (path / "values").touch()
        remove_abandoned(tmp_path, ANY)
        assert path.exists()
    remove_abandoned(tmp_path, ANY)
    assert not path.exists()


def test_the_lock_of_a_folder_goes_with_it_to_its_new_name(tmp_path):
    with lock_temporary_folder(tmp_path / ".rows"):
        os.rename(tmp_path / ".rows", tmp_path / ".other")
        remove_abandoned(tmp_path, ANY)
        assert (tmp_path / ".other").exists()


def test_a_folder_without_a_lock_is_removed_only_if_it_is_empty(tmp_path):
    (tmp_path / ".empty").mkdir()
    (tmp_path / ".full").mkdir()
    (tmp_path / ".full" / "rows").touch()
    remove_abandoned(tmp_path, ANY)
    assert os.listdir(tmp_path) == [".full"]


def test_a_new_file_that_another_process_removes_before_it_is_locked_is_created_again(tmp_path, monkeypatch):
    """As if that process ran between the two calls."""
    import fcntl

    real, removed = fcntl.flock, []

    def lock_late(file, how):
        if not removed:
            removed.append(True)
            remove_abandoned(tmp_path, ANY)
        real(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    for create, name in ((open_temporary_file, ".file"), (lock_temporary_folder, ".folder")):
        removed.clear()
        with create(tmp_path / name):
            assert (tmp_path / name).exists()
        assert removed


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing/out"), atomic_write(tmp_path / "missing" / "out"):
        pass
