"""Files that nothing can be learned from: one sentence each, and nothing is written."""

import gzip

import numpy as np
import pytest
from people_table import call

GOOD = "a,b,y\n" + "".join(f"{k % 7},{k * 3 % 5},{'pq'[k % 2]}\n" for k in range(60))
BAD = {
    "empty.csv": ("", "empty.csv is empty"),
    "header.csv": ("a,b,y\n", "header.csv names columns but has no rows"),
    "short.csv": (GOOD + "1,2\n", "short.csv, line 62 has 2 values where the first line names 3 columns"),
    "long.csv": (GOOD + "1,2,p,4\n", "long.csv, line 62 has 4 values where the first line names 3 columns"),
    "quote.csv": (GOOD + '1,"2,p\n3,4,q\n', "quote.csv, line 62 opens a quote that is never closed"),
    "behind.csv": (GOOD + '1,"2"3,p\n', "behind.csv, line 62 has text after a closing quote"),
    "late-behind.csv": (GOOD + GOOD[6:] * 9999 + '1,"2"3,p\n', "late-behind.csv, line 600002 has text after"),
    "mixed.csv": (GOOD + "1,big,p\n", "mixed.csv, column 'b' holds numbers, but 'big' in line 62"),
    "single.csv": ("a,y\n1,p\n2,q\nbig,p\n1,q\n", "single.csv, column 'a' holds numbers, but 'big' in line 4"),
    "below.csv": (GOOD + GOOD[6:] * 99 + "1,big,p\n", "below.csv, column 'b' holds numbers, but 'big' in line 6002"),
    "late.csv": (GOOD + GOOD[6:] * 4000 + "1,big,p\n", "column 'b' does not hold numbers ('big' in line 240062)"),
    "one.csv": (GOOD.replace("q", "p"), "column 'y' has only one class, 'p'"),
    "distinct.csv": ("a,y\n" + "".join(f"{k % 5},v{k}\n" for k in range(60)), "60 different values in 60 rows"),
    "missing.csv": (GOOD + "1,2,\n", "column 'y' has no class in 1 row, the first in line 62"),
    "cut.csv.gz": (gzip.compress(GOOD.encode() * 50)[:200], "cut.csv.gz (gzip) is cut off before its end"),
    "junk.csv": (bytes(range(128, 256)) * 9, "junk.csv is not text in UTF-8"),
    "nul.csv": (GOOD + "1,\0,p\n", "nul.csv is not text in UTF-8"),
    "latin.csv": (GOOD.encode() + b"1,\xe9,p\n", "latin.csv is not text in UTF-8"),
    "twice.csv": ("a,a,y\n1,2,p\n", "twice.csv, line 1 names the column 'a' twice"),
    "cut.parquet": (b"PAR1 and no more", "cut.parquet is damaged or not in Parquet format"),
    "cut.arrow": (b"ARROW1\0\0 and no more", "cut.arrow is damaged or not in Arrow format"),
    "broken.jsonl": ('{"a": 1, "y": "p"}\n{"a": 2, "y": \n', "broken.jsonl, line 2"),
    "mixed.jsonl": ('{"a": 1, "y": "p"}\n{"a": "x", "y": "q"}\n', "mixed.jsonl, line 2"),
    "array.json": ('[{"a": 1}]', "array.json is one JSON array"),
    "falling.svm": ("1 3:1 2:1\n", "line 1 of"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_end_with_one_sentence_and_nothing_written(name, tmp_path):
    content, what = BAD[name]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    target = () if name.endswith(".svm") else ("--target", "y")
    for command in (("train", path, *target), ("check", path, *target)):
        result = call(*command, ends=2)
        assert result.stdout == ""
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
        if command[0] == "train":
            assert what in result.stderr
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_small_table_needs_no_cache_however_much_the_process_holds(tmp_path):
    held = np.ones(1 << 26)  # half a gibibyte, twice what the command may use
    path = tmp_path / "small.csv"
    path.write_text(GOOD)
    for command in ("train", "check"):
        result = call(command, path, "--target", "y", "--memory", "256MiB")
        assert "larger than memory" not in result.stderr
    assert held.all()


def test_numbers_too_large_to_learn_from(tmp_path):
    (tmp_path / "huge.csv").write_text(GOOD + "1e308,1,p\n-1e308,1,q\n")
    result = call("train", tmp_path / "huge.csv", "--target", "y", ends=2)
    assert (
        "huge.csv, column 'a' holds numbers too large or too small to learn from: change their unit, or"
        in result.stderr
    )
