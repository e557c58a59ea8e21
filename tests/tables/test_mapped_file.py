"""Files seen as memory: what they hold, and how much of it the process holds."""

import gc
import subprocess
import sys

import numpy as np
import pytest

from rosenblatt import _core
from rosenblatt.tables.cache.disk_arrays import ArrayWriter


def test_a_mapping_is_the_file(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(5000.0).tobytes())
    view = _core.mapped(str(path), 0).view(np.float64)  # nothing may be held: pages go all the time
    for _ in range(50):
        assert view.sum() == 5000 * 4999 / 2
    assert not view.flags.writeable


def test_a_mapping_outlives_its_name(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(b"abc" * 10_000)
    view = _core.mapped(str(path), 1 << 30)[3:6]
    path.unlink()
    gc.collect()
    assert view.tobytes() == b"abc"


def test_an_empty_file_is_an_empty_array(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert len(_core.mapped(str(path), 0)) == 0


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        _core.mapped(str(tmp_path / "nowhere"), 0)


READER = """
import re, sys, time
import numpy as np
from rosenblatt import _core

most = _core.resident_bytes()[0] + (64 << 20)
view = _core.mapped(sys.argv[1], most)
for _ in range(2):
    for k in range(0, len(view), 4 << 20):
        assert not view[k : k + (4 << 20)].any()
        time.sleep(0.002)  # as learning from it takes some time, too
peak = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])  # ru_maxrss counts the parent's, too
print((peak * 1024 - most) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process holds")
def test_pages_are_let_go(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(768 << 20)
    ran = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 256  # of 704 MB that would be held else; a busy machine lets go late


WALKER = """
import re, sys, threading
import numpy as np
from rosenblatt import _core
from rosenblatt.engine.train import train
from rosenblatt.parts.catalogue import recipe

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) << 10

X = _core.mapped(sys.argv[1], _core.resident_bytes()[0] + (96 << 20)).view(np.float64).reshape(-1, 128)
most = _core.resident_bytes()[0] + (96 << 20)
rows, codes = _core.Rows.dense(X), np.zeros(len(X), np.int32)
codes[::2] = 1
done = threading.Event()

def bustle():
    while not done.is_set():
        sum(range(100))

others = [threading.Thread(target=bustle) for _ in range(8)]
for other in others:
    other.start()
train(rows, codes, 2, recipe("perceptron", order=sys.argv[2], max_iter=1), multi_class="ovr", seed=1, threads=2)
done.set()
print((peak() - most) >> 20)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory a process holds")
@pytest.mark.parametrize("order", ["cyclic", "shuffle", "random-mistake", "batch"])
def test_a_pass_over_a_mapped_file_releases_its_pages(tmp_path, order):
    path = tmp_path / "large"
    stored = ArrayWriter(path)
    for _ in range(96):
        stored.write(np.zeros(1 << 19))
    stored.end()
    ran = subprocess.run([sys.executable, "-c", WALKER, str(path), order], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 48  # of 288 MB that would be held else
