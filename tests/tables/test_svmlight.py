import gzip
import io
import lzma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from sklearn.datasets import load_svmlight_file

from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.read.svmlight import read_svmlight

TEXT = b"# a comment\n+1 1:0.5 3:2 # more\n\n-1 qid:4 2:1e-3\r\n0\n"


def plain(text):
    """The definition: one line after the other, by Python's own numbers."""
    labels, rows = [], []
    for line in text.decode().splitlines():
        label, *entries = line.partition("#")[0].split() or [None]
        if label is not None:
            labels.append(float(label))
            pairs = [entry.split(":") for entry in entries if not entry.startswith("qid:")]
            rows.append([(int(index), float(value)) for index, value in pairs])
    first = 0 if any(index == 0 for row in rows for index, _ in row) else 1
    return labels, [[(index - first, value) for index, value in row] for row in rows]


def entries(read):
    pairs = list(zip(read.indices.tolist(), read.values.tolist(), strict=True))
    return [pairs[begin:end] for begin, end in zip(read.indptr[:-1], read.indptr[1:], strict=True)]


def test_reads_what_scikit_learn_reads():
    read = read_svmlight([TEXT])
    X, y = load_svmlight_file(io.BytesIO(TEXT))
    assert read.labels.tolist() == y.tolist() == [1, -1, 0]
    assert (read.n_features, entries(read)) == (3, [[(0, 0.5), (2, 2.0)], [(1, 1e-3)], []])
    assert X.indices.tolist() == read.indices.tolist()
    assert read.queries.tolist() == [-1, 4, -1]


numbers = some.floats(allow_nan=False, allow_infinity=False)
spellings = some.tuples(
    numbers, some.sampled_from([repr, "{:.3g}".format, "{:e}".format, "{:+.17g}".format, "{:f}".format])
)
values = spellings.map(lambda pair: pair[1](pair[0])).filter(lambda text: abs(float(text)) < 1e300)
indices = some.sets(some.integers(0, 10**6), max_size=6).map(sorted)
lines = some.builds(
    lambda label, row, end: " ".join([label, *(f"{i}:{v}" for i, v in row)]) + end,
    values,
    indices.flatmap(lambda each: some.tuples(*(some.tuples(some.just(i), values) for i in each))),
    some.sampled_from(["\n", "\r\n", " # said 1:2\n", "\n\n", " \t\n"]),
)


@settings(deadline=None)
@given(some.lists(lines, max_size=8), some.integers(1, 40), some.integers(1, 3))
def test_equals_the_definition_however_cut(some_lines, cut, threads):
    text = "".join(some_lines).encode()
    pieces = [text[i : i + cut] for i in range(0, len(text), cut)]
    read = read_svmlight(pieces, n_jobs=threads)
    labels, rows = plain(text)
    assert read.labels.tolist() == labels
    assert entries(read) == rows


@settings(deadline=None)
@given(some.binary(max_size=60) | some.text(alphabet="0123456789.:+-eE# \n\tqid", max_size=60).map(str.encode))
def test_random_bytes_never_crash(junk):
    try:
        read = read_svmlight([junk])
    except InputError:
        return
    assert np.isfinite(read.labels).all()
    assert np.isfinite(read.values).all()


def test_the_same_for_every_thread_count():
    random = np.random.default_rng(0)
    text = "".join(f"{i % 3} {random.integers(1, 9)}:{random.random()!r} 10:{i}\n" for i in range(60_000)).encode()
    one, two, three = (read_svmlight([text], n_jobs=jobs) for jobs in (1, 2, 3))
    X, y = load_svmlight_file(io.BytesIO(text))
    for read in (one, two, three):
        assert read.labels.tobytes() == y.tobytes()
        assert read.values.tobytes() == X.data.tobytes()
        assert np.array_equal(read.indices, X.indices)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"1 5:1 3:1", "index 3 after 5; indices must rise"),
        (b"1 5:1 5:1", "index 5 after 5; indices must rise"),
        (b"yes 1:1", "the label 'yes' is not a number"),
        (b"1,2 1:1", "the label '1,2' is not a number; give each row one label"),
        (b"1 7", "'7' is not index:value"),
        (b"1 :7", "':7' is not index:value"),
        (b"1 -1:7", "'-1:7' is not index:value"),
        (b"1 1:x", "the value of '1:x' is not a number"),
        (b"1 1:nan", "the value of '1:nan' is not a number"),
        (b"1 1:1e999", "the value of '1:1e999' is too large"),
        (b"1 99999999999:1", "the index of '99999999999:1' is too large"),
        (b"1 qid:x 1:1", "'qid:x' is not qid:number"),
        (b"\x00\xff\xfe", "the label '???' is not a number"),
    ],
)
def test_says_what_is_wrong_and_where(line, complaint):
    text = b"1 1:1\n# comment\n" + line + b"\n1 1:1\n"
    for cut in (3, 1000):
        with pytest.raises(InputError) as caught:
            read_svmlight([text[i : i + cut] for i in range(0, len(text), cut)], name="x.svm")
        assert str(caught.value) == f"line 3 of x.svm: {complaint}."


def test_the_first_of_many_mistakes_is_told():
    good = b"1 1:1\n" * 200_000
    text = good + b"1 2:1 1:1\n" + good + b"bad\n"
    for jobs in (1, 2, 3):
        with pytest.raises(InputError, match=r"^line 200001 of the text: index 1 after 2"):
            read_svmlight([text], n_jobs=jobs)


def test_columns_are_counted_from_0_or_1():
    assert read_svmlight([b"1 1:1 3:1"]).indices.tolist() == [0, 2]
    assert read_svmlight([b"1 1:1\n1 0:1"]).indices.tolist() == [1, 0]
    assert read_svmlight([b"1 1:1"], zero_based=True).indices.tolist() == [1]
    assert read_svmlight([b"1 1:1"], n_features=9).n_features == 9
    with pytest.raises(InputError, match="zero_based=True"):
        read_svmlight([b"1 0:1"], zero_based=False)
    with pytest.raises(InputError, match="line 1 of the text: index 4 where at most 3 is expected"):
        read_svmlight([b"1 4:1"], n_features=3)
    with pytest.raises(InputError, match="more than n_features=3"):
        read_svmlight([b"1 0:1 3:1"], n_features=3)
    with pytest.raises(ValueError, match="zero_based"):
        read_svmlight([b""], zero_based="yes")


def test_nothing_to_read():
    for text in ([], [b""], [b"\n# only a comment\n"]):
        read = read_svmlight(text)
        assert (len(read.labels), read.indptr.tolist(), read.n_features, read.queries) == (0, [0], 0, None)


@pytest.mark.parametrize(("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)])
def test_reads_files(tmp_path, ending, pack):
    path = tmp_path / f"rows.svm{ending}"
    path.write_bytes(pack(TEXT))
    assert read_svmlight(path).labels.tolist() == [1, -1, 0]
    if ending:
        path.write_bytes(pack(TEXT * 1000)[:-20])
        with pytest.raises(InputError, match="cannot be read"):
            read_svmlight(path)
    with pytest.raises(FileNotFoundError):
        read_svmlight(tmp_path / "none.svm")


def test_numbers_of_every_size():
    texts = [
        "1e-400",
        "-1e-5000",
        "0.000e999",
        "123456789012345678901234567890",
        "4.9e-324",
        "1.7976931348623157e308",
        ".5",
        "5.",
    ]
    read = read_svmlight([f"0 1:{text}\n".encode() for text in texts])
    assert read.values.tolist() == [float(text) for text in texts]
