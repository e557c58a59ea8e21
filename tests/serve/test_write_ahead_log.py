"""The log: what was acknowledged is recovered or refused, whatever byte is cut or flipped, and whatever call fails."""

import errno
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.foundation.errors import InputError
from rosenblatt.serve import write_ahead_log
from rosenblatt.serve.log_segment import FIRST_DIGEST, HEAD_BYTES, StoredRecord
from rosenblatt.serve.write_ahead_log import WriteAheadLog, read_log, segment_paths

CONTENTS = [b"first", b"", b"third record", b"4"]


def recovered(folder):
    """The records of a log after a crash, and what was said. The log is closed again."""
    found, said = [], []
    log = WriteAheadLog.open(folder, None, lambda some: found.extend(each.content for each in some), said.append)
    position = log.position
    log.close()
    return found, said, position


@pytest.fixture
def folder(tmp_path):
    log = WriteAheadLog.create(tmp_path / "log")
    log.commit(CONTENTS[:1])
    log.commit(CONTENTS[1:])
    log.close()
    return tmp_path / "log"


def test_records_come_back_in_order_with_their_numbers(folder):
    assert recovered(folder)[0] == CONTENTS
    numbers = [found.position.record for _, found in read_log(folder) if isinstance(found, StoredRecord)]
    assert numbers == [1, 2, 3, 4]


def test_an_acknowledged_byte_that_is_cut_is_refused_at_every_position(folder):
    [path] = segment_paths(folder)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"restore the log from a copy\.$"):
            recovered(folder)
    path.write_bytes(whole)
    assert recovered(folder)[0] == CONTENTS


def test_a_flipped_bit_is_refused_at_every_position(folder):
    [path] = segment_paths(folder)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        with pytest.raises(InputError, match=r"\.$"):
            recovered(folder)


@settings(max_examples=30)
@given(content=st.binary(max_size=40), cut=st.integers(0, 1000))
def test_a_torn_record_that_nobody_was_told_of_is_dropped(content, cut, tmp_path_factory):
    folder = tmp_path_factory.mktemp("torn") / "log"
    log = WriteAheadLog.create(folder)
    log.commit(CONTENTS)
    before, mark = log.position, (folder / "acknowledged").read_bytes()
    log.commit([content])
    log.close()
    (folder / "acknowledged").write_bytes(mark)  # the process died before it was written
    [path] = segment_paths(folder)
    whole = path.read_bytes()
    size = before.end + cut % (len(whole) - before.end + 1)
    path.write_bytes(whole[:size])
    found, said, position = recovered(folder)
    if size == len(whole):  # it is on the disk, so it counts
        assert found == [*CONTENTS, content]
        return
    assert found == CONTENTS
    assert position == before
    assert len(said) == (size > before.end)
    assert path.read_bytes() == whole[: before.end]


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("zeros", [1, 7, 8, 30, 5000])
def test_zeros_at_the_end_are_dropped_unless_somebody_was_told_of_the_record(zeros, told, tmp_path):
    """A file system may leave zeros instead of the last bytes that were written before a power failure."""
    log = WriteAheadLog.create(tmp_path / "log")
    log.commit(CONTENTS)
    before, mark = log.position, (tmp_path / "log" / "acknowledged").read_bytes()
    log.commit([b"the last record, whose bytes did not all reach the disk"])
    log.close()
    if not told:
        (tmp_path / "log" / "acknowledged").write_bytes(mark)
    [path] = segment_paths(tmp_path / "log")
    whole = path.read_bytes()
    for start in range(before.end, len(whole) - 1):
        if not whole[start:].strip(b"\0"):
            continue
        path.write_bytes(whole[:start] + bytes(len(whole) - start + zeros))
        if told:
            with pytest.raises(InputError, match="was acknowledged: restore the log"):
                recovered(tmp_path / "log")
            continue
        found, said, position = recovered(tmp_path / "log")
        assert (found, position, len(said)) == (CONTENTS, before, 1)
        assert path.read_bytes() == whole[: before.end]


def test_zeros_within_the_log_are_damage(folder):
    [path] = segment_paths(folder)
    whole = path.read_bytes()
    last = whole.rindex(b"4")  # the content of the last record
    for start in range(HEAD_BYTES, last - 40):
        path.write_bytes(whole[:start] + bytes(8) + whole[start + 8 :])
        with pytest.raises(InputError, match="is damaged"):
            recovered(folder)


def test_a_missing_or_damaged_mark_is_refused(folder):
    path = folder / "acknowledged"
    whole = path.read_bytes()
    path.write_bytes(bytes(len(whole)))
    with pytest.raises(InputError, match="acknowledged is damaged"):
        recovered(folder)
    path.unlink()
    with pytest.raises(InputError, match="acknowledged is missing"):
        recovered(folder)


def test_segments_follow_each_other_and_a_missing_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(write_ahead_log, "MAX_SEGMENT_BYTES", 100)
    log = WriteAheadLog.create(tmp_path)
    contents = [b"%d" % k * 30 for k in range(9)]
    for content in contents:
        log.commit([content])
    log.close()
    assert recovered(tmp_path)[0] == contents
    paths = segment_paths(tmp_path)
    assert len(paths) > 3
    for path in paths:
        whole = path.read_bytes()
        path.unlink()
        with pytest.raises(InputError, match="restore the log from a copy"):
            recovered(tmp_path)
        path.write_bytes(whole)
    for path in paths[:-1]:  # only the last may end within a record
        whole = path.read_bytes()
        path.write_bytes(whole[:-1])
        with pytest.raises(InputError, match="ends within a record"):
            recovered(tmp_path)
        path.write_bytes(whole)
    assert recovered(tmp_path)[0] == contents


def test_reading_after_a_position_gives_the_rest_and_checks_the_digest(folder):
    positions = [found.position for _, found in read_log(folder) if isinstance(found, StoredRecord)]
    for k, position in enumerate(positions):
        rest = [found.content for _, found in read_log(folder, position) if isinstance(found, StoredRecord)]
        assert rest == CONTENTS[k + 1 :]
    with pytest.raises(InputError, match="not the log that the snapshot"):
        list(read_log(folder, positions[1]._replace(digest=FIRST_DIGEST)))
    with pytest.raises(InputError, match="shorter than its snapshot"):
        list(read_log(folder, positions[-1]._replace(record=9)))


def test_one_process_writes_at_a_time(folder):
    log = WriteAheadLog.open(folder, None, lambda some: None, print)
    with pytest.raises(InputError, match="another process serves"):
        WriteAheadLog.open(folder, None, lambda some: None, print)
    log.close()
    recovered(folder)


def test_a_full_disk_leaves_the_log_as_it_was(folder, monkeypatch):
    log = WriteAheadLog.open(folder, None, lambda some: None, print)
    whole = log.path.read_bytes()
    real = os.pwrite

    def write_a_part(file, content, place):
        if place > HEAD_BYTES and len(content) > 8:
            return real(file, content[:5], place)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "pwrite", write_a_part)
    with pytest.raises(OSError, match="No space"):
        log.commit([b"x" * 6])
    monkeypatch.undo()
    assert log.path.read_bytes() == whole
    assert [each.record for each in log.commit([b"again"])] == [5]
    log.close()
    assert recovered(folder)[0] == [*CONTENTS, b"again"]


def test_after_a_failed_flush_nothing_more_is_written(folder, monkeypatch):
    log = WriteAheadLog.open(folder, None, lambda some: None, print)

    def fail(file):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        log.commit([b"x"])
    monkeypatch.undo()
    assert log.unwritable
    with pytest.raises(OSError, match="closed for writing"):
        log.commit([b"y"])
    log.close()
    assert recovered(folder)[0] in (CONTENTS, [*CONTENTS, b"x"])
