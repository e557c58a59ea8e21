"""Arrays on their way to the disk: full blocks go at once, and nobody waits for them."""

import os
from threading import Event

import numpy as np
import pytest

from rosenblatt.tables.cache import disk_arrays as stored
from rosenblatt.tables.cache.disk_arrays import ArrayWriter, map_array

BLOCK = 1 << 12


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(stored, "BLOCK_BYTES", BLOCK)
    monkeypatch.setattr(stored, "MAX_BYTES_SENDING", 4 * BLOCK)


def test_writing_does_not_wait_for_a_slow_disk(tmp_path, monkeypatch):
    told, caught_up = [], Event()

    def slow(descriptor, start, end):
        told.append((start // BLOCK, end // BLOCK))
        caught_up.wait(10)
        os.close(descriptor)

    monkeypatch.setattr(stored, "send_range", slow)
    numbers = np.arange(10 * BLOCK // 8)
    array = ArrayWriter(tmp_path / "numbers")
    array.write(numbers)
    assert told == [(0, 1)]
    caught_up.set()
    array._sending.join()
    array.write(numbers[: BLOCK // 8])
    array._sending.join()
    assert told == [(0, 1), (1, 5)]  # what was full by then, but not all at once
    about = array.end()
    assert (map_array(tmp_path / "numbers", about, most=1 << 30) == np.append(numbers, numbers[: BLOCK // 8])).all()


def test_what_is_sent_leaves_no_descriptors(tmp_path):
    before = len(os.listdir("/dev/fd"))
    for name in "ab":
        array = ArrayWriter(tmp_path / name)
        array.write(np.arange(100 * BLOCK // 8 + 1))
        array.end()
        array._sending.join()
    assert len(os.listdir("/dev/fd")) == before
