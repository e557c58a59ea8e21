"""The cache of a table: when it is used again, and a sentence for everything that can go wrong with it."""

import os
import re
import subprocess
import sys
import tempfile

import pytest
from cached_tables import COMMAND, bits
from people_table import call

import rosenblatt
import rosenblatt.training.train_table
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.cache import encoded_cache as cache
from rosenblatt.tables.read import delimited
from rosenblatt.tables.survey import build_cache as passes


def test_a_cache_is_used_again_only_for_the_same_table_and_options(tables, tmp_path, small, cache_folder, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes((tables / "dense.csv").read_bytes())
    first = call("train", path, "--target", "kind").stderr
    assert f"is larger than memory: it is read again, into the cache {cache_folder}" in first
    surveys = []
    survey = passes.survey_in_one_pass
    monkeypatch.setattr(passes, "survey_in_one_pass", lambda *given: surveys.append(given) or survey(*given))
    again = call("train", path, "--target", "kind", "--algorithm", "svm")
    assert f"reading {path} from the cache {cache_folder}" in again.stderr
    assert not surveys
    for options in (("--drop", "a"), ("--seed", "1"), ("--no-scale",), ("--word-counts",), ("--test-fraction", "0.5")):
        surveys.clear()
        call("train", path, "--target", "kind", *options)
        assert len(surveys) == 1
    os.utime(path, (1, 1))
    call("train", path, "--target", "kind")
    assert len(surveys) == 2
    assert len(list(cache_folder.iterdir())) == 7


def test_a_cache_is_removed_on_request(tables, small, cache_folder):
    call("train", tables / "dense.csv", "--target", "kind", "--no-cache")
    assert not list(cache_folder.iterdir())
    rosenblatt.fit(tables / "dense.csv", "kind", cache=False)
    assert not list(cache_folder.iterdir())
    rosenblatt.fit(tables / "dense.csv", "kind")
    (cache_folder / "mine.txt").write_text("not a cache")
    [line, total] = call("cache").stdout.splitlines()
    assert re.fullmatch(rf" +[\d.]+ KiB  {cache_folder}/[0-9a-f]{{32}}  of {tables / 'dense.csv'}", line)
    assert total.endswith("  in all")
    assert "removed" in call("cache", "--clear").stdout
    assert [path.name for path in cache_folder.iterdir()] == ["mine.txt"]


def test_a_cache_elsewhere(tables, tmp_path, small, cache_folder):
    call("train", tables / "dense.csv", "--target", "kind", "--cache", tmp_path / "other")
    assert len(list((tmp_path / "other").iterdir())) == 1
    assert not cache_folder.exists()


def damage(path, kind):
    content = bytearray(path.read_bytes())
    if kind == "flipped":
        content[len(content) // 2] ^= 1
    path.unlink() if kind == "missing" else path.write_bytes(content[:-1] if kind == "truncated" else content)


@pytest.mark.parametrize("kind", ["flipped", "truncated", "missing"])
@pytest.mark.parametrize("file", ["train.values", "train.starts", "test.codes", "header.json", "encoder.0.0.10"])
def test_a_damaged_cache_is_refused_with_a_sentence(file, kind, tables, small, cache_folder):
    path = tables / "text.csv"
    call("train", path, "--target", "kind")
    [inside] = cache_folder.iterdir()
    damage(inside / file, kind)
    said = call("train", path, "--target", "kind", ends=2).stderr.splitlines()
    assert said[-1].startswith(f"error: {inside / file} ")
    assert said[-1].endswith(f"remove {inside} and train again: the cache is written anew.")
    assert call("cache", "--clear").exit_code == 0
    call("train", path, "--target", "kind")


@pytest.mark.parametrize("change", ["longer", "shorter", "other", "gone"])
def test_a_source_that_changes_between_the_passes_is_refused(
    change, tables, tmp_path, small, cache_folder, monkeypatch
):
    path = tmp_path / "t.csv"
    text = (tables / "dense.csv").read_text()
    path.write_text(text)
    survey = passes.survey_in_one_pass
    begun = passes.CacheBuilder._encode

    def then(text):
        path.unlink() if change == "gone" else path.write_text(text)

    changed = {"longer": text + text.splitlines()[-1] + "\n", "shorter": text[: len(text) // 2], "other": text}

    def changing_in_the_first(*given):
        found = survey(*given)
        then(changed[change])
        return found

    def changing_in_the_second(*given):
        then(changed.get(change, ""))
        return begun(*given)

    if change == "longer":
        monkeypatch.setattr(passes, "survey_in_one_pass", changing_in_the_first)
    else:
        monkeypatch.setattr(passes.CacheBuilder, "_encode", changing_in_the_second)
    said = call("train", path, "--target", "kind", ends=2).stderr.splitlines()
    assert said[-1] == f"error: {path} changed while it was read: train again when nothing writes to it."
    assert not cache_folder.exists() or not list(cache_folder.iterdir())


def test_a_source_that_changes_in_the_first_pass_is_refused_by_the_same_sentence(tables, tmp_path, small, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text((tables / "dense.csv").read_text())

    def changing(*_):
        path.write_text("something else")
        raise InputError("column 'kind' has no values.")

    monkeypatch.setattr(passes, "survey_in_one_pass", changing)
    said = call("train", path, "--target", "kind", ends=2).stderr.splitlines()
    assert said[-1] == f"error: {path} changed while it was read: train again when nothing writes to it."


def test_where_rows_end_is_looked_for_once_in_each_of_several_files(tables, tmp_path, small, cache_folder, monkeypatch):
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text((tables / "dense.csv").read_text())
    looked, read_blocks = [], delimited.read_blocks
    monkeypatch.setattr(
        delimited, "read_blocks", lambda stream, *given: looked.append(stream.path) or read_blocks(stream, *given)
    )
    rosenblatt.fit(str(tmp_path / "?.csv"), "kind")
    assert sorted(looked) == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]


def test_a_model_that_cannot_be_saved_anywhere_is_told(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "mkdtemp", lambda *_, **__: str(tmp_path / "nowhere"))
    said = call("train", tables / "dense.csv", "--target", "kind", "--model", tmp_path / "none" / "m", ends=2).stderr
    assert said.splitlines()[-1].startswith(f"error: {tmp_path / 'none'}")
    assert "kept" not in said


LIMITED = """
import resource, sys
import rosenblatt.tables.cache.storage as storage
storage.MEMORY_PER_ARROW_BYTE = 1 << 40
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.argv = ["rosenblatt", *sys.argv[2:]]
from rosenblatt.cli import main
main()
"""


@pytest.mark.parametrize("room", [1000, 4096, 15_000])
def test_a_full_disk_is_told_and_nothing_is_left(room, tables, tmp_path):
    words = ["train", tables / "dense.csv", "--target", "kind", "--cache", tmp_path / "cache"]
    done = subprocess.run([sys.executable, "-c", LIMITED, str(room), *words], capture_output=True, text=True)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"error: {tmp_path / 'cache'} has no room for the cache of {tables / 'dense.csv'}")
    assert "\nTraceback" not in done.stderr
    assert not (tmp_path / "cache").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a disk that is small")
def test_a_small_disk(tables, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        words = ["train", tables / "dense.csv", "--target", "kind", "--cache", disk]
        done = subprocess.run([sys.executable, "-c", LIMITED, str(1 << 30), *words], capture_output=True, text=True)
        assert (done.returncode, list(disk.iterdir())) == (2, [])
        said = done.stderr.splitlines()[-1]
        assert said.startswith(f"error: {disk} has no room for the cache of {tables / 'dense.csv'} (16 KiB left)")
        (disk / "filling").write_bytes(bytes(1 << 14))
        model = disk / "m"
        (tmp_path / "elsewhere").mkdir()
        done = subprocess.run(
            [*COMMAND, *map(str, [*words[:4], "--model", model])],
            capture_output=True,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path / "elsewhere")},
        )
        [kept] = (tmp_path / "elsewhere").glob("rosenblatt-*/m")
        full = f"{model}: no space left on device; make room there, or name another place"
        assert done.stderr.splitlines() == [f"error: {full}. The model is kept in {kept}."]
        assert (done.returncode, os.listdir(disk)) == (2, ["filling"])
        assert bits(rosenblatt.load(kept)) == bits(rosenblatt.fit(tables / "dense.csv", "kind"))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_what_a_killed_writer_left_is_swept_up_and_that_of_a_living_one_is_not(tables, small, cache_folder):
    with cache.write_cache(cache_folder, "a" * 32, "t"):
        [living] = cache_folder.iterdir()
        dead, begun = (cache_folder / f".{letter * 32}.12345678" for letter in "bc")
        for path in (dead, begun):
            path.mkdir()
        (dead / "lock").touch()
        (dead / "rows").touch()
        rosenblatt.fit(tables / "dense.csv", "kind")
        assert living.exists()
        assert not dead.exists()
        assert not begun.exists()  # killed before it had a lock
    assert len(list(cache_folder.iterdir())) == 2  # the block ended well


def test_standard_input_and_folds_need_memory(tables, small, cache_folder):
    path = tables / "dense.csv"
    said = call("train", path, "--target", "kind", "--folds", 3, ends=2).stderr
    assert "folds need all rows in memory: allow more memory, or hold out a fraction of the rows." in said
    said = call("train", path, "--target", "kind", "--tune", ends=2).stderr
    assert "tuning needs all rows in memory: allow more memory, or choose C." in said
    for words in (["train", "-", "--order", "cyclic", "--quiet"], ["check", "-", "--drop", "a"]):
        command = [sys.executable, "-c", LIMITED, str(1 << 30), *words, "--target", "kind"]
        done = subprocess.run(command, input=path.read_text(), capture_output=True, text=True)
        [said] = done.stderr.splitlines()
        assert done.returncode == 2
        assert "can be read only once: save it to a file, or allow more memory." in said
    for wrong in ("much", "12", "-1", "1XB"):
        said = call("train", path, "--target", "kind", f"--memory={wrong}", ends=2).stderr
        assert said.startswith("error: --memory must be")
