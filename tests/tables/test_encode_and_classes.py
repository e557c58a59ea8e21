"""Tables to rows and classes: what is read is what is written, and what cannot be used is named with its place."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt.foundation.errors import ColumnError, InputError
from rosenblatt.foundation.splitting import HoldOutSplitter, split
from rosenblatt.tables.encode.class_counter import read_classes
from rosenblatt.tables.encode.scaling import measure_scaling
from rosenblatt.tables.encode.targets import typed_labels
from rosenblatt.tables.for_proofs.exact_columns import read_number_matrix
from rosenblatt.tables.read.column_names import find_column
from rosenblatt.tables.read.sources import open_source


@pytest.fixture
def source(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return open_source(path)

    return write


def matrix(source, columns):
    return read_number_matrix(source.read_all(dict.fromkeys(columns, "number")), columns)


# Sources


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2.5\n3,4\n",
        "\ufeffa,b\r\n1,2.5\r\n3,4\r\n",
        "a;b\n1;2.5\n3;4",
        "a\tb\n1\t2.5\n3\t4\n",
        "a|b\n1|2.5\n3|4\n",
        "\n\n a , b \n 1 , 2.5\n\n\n3, 4\n\n",
        '"a","b"\n"1","2.5"\n3,4\n',
    ],
    ids=["plain", "windows", "semicolons", "tabs", "bars", "blanks", "quotes"],
)
def test_ways_to_write_a_table(content, source):
    table = source(content)
    assert table.names == ["a", "b"]
    np.testing.assert_array_equal(matrix(table, ["b", "a"]), [[2.5, 1], [4, 3]])


def test_compressed(source):
    table = source(gzip.compress(b"a,b\n1,2\n"), "table.csv.gz")
    assert matrix(table, ["a", "b"]).tolist() == [[1, 2]]


def test_numbers_of_all_kinds_and_truth_values(source):
    table = source("a,b,c,d\n1,-2.5e-3,True,18446744073709551616\n0,1e300,false,0\n")
    np.testing.assert_array_equal(matrix(table, ["a", "b", "c", "d"]), [[1, -2.5e-3, 1, 2.0**64], [0, 1e300, 0, 0]])


@settings(deadline=None)
@given(values=arrays(np.float64, (7, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_come_back_exactly(values, tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "table.csv"
    path.write_text("a,b,c\n" + "".join(",".join(map(repr, row)) + "\n" for row in values.tolist()))
    np.testing.assert_array_equal(matrix(open_source(path), ["a", "b", "c"]), values)


def test_many_rows_in_several_batches(source):
    rows = 300_000
    table = source("a,b,c\n" + "".join(f"{i},{-i},{i / 2}\n" for i in range(rows)))
    assert len(table.read_all({"a": "number"})) > 1
    expected = np.arange(rows)[:, None] * [1, -1, 0.5]
    np.testing.assert_array_equal(matrix(table, ["a", "b", "c"]), expected)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "table.csv is empty"),
        ("\n \n\n", "table.csv is empty"),
        ("a,b\n", "table.csv names columns but has no rows."),
        ("a,b\n1,2\n\n1,2,3\n", "table.csv, line 4 has 3 values where the first line names 2 columns."),
        ("a,b\n1,2\n1\n", "table.csv, line 3 has 1 value where the first line names 2 columns."),
        ("a,b,a\n1,2,3\n", "table.csv, line 1 names the column 'a' twice"),
        (b"a,\xe9\n1,2\n", "table.csv is not text in UTF-8"),
        (b"PAR1\x15\x04\x15\xff\xfe", "table.csv is damaged or not in Parquet format"),
        ("a,b\n1,2\n".encode("utf-16"), "table.csv is not text in UTF-8"),
    ],
)
def test_what_is_no_table(content, what, source):
    with pytest.raises(InputError, match=what):
        source(content).read_all({"a": "number"})


def test_what_only_looks_compressed(source):
    assert source("a,b\n1,2\n", "table.csv.gz").names == ["a", "b"]
    with pytest.raises(InputError, match=r"table.csv \(gzip\) is damaged"):
        source(b"\x1f\x8b\x08 no, it is not")


# Columns


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("a,b\n1,2\n3,Paris\n", "table.csv, column 'b' does not hold numbers \\('Paris' in line 3\\)"),
        ("a,b\n1,2020-01-31\n", "column 'b' does not hold numbers \\('2020-01-31' in line 2\\)"),
        ("a,b\n1,2\n\n3,\n4,NA\n", "column 'b' has 2 missing values, the first in line 4"),
        ("a,b\n1,\n2,\n", "column 'b' is empty"),
        ("a,b\n1,nan\n2,3\n", "column 'b' has 1 missing value, the first in line 2"),
        ("a,b\n1,2\n3,-inf\n", "column 'b' has an infinite number in line 3"),
        (b"a,b\n" + b"1,2\n" * 9000 + b"2,\xe9\n", "table.csv is not text in UTF-8"),
    ],
)
def test_what_is_no_number_is_named_with_its_place(content, what, source):
    with pytest.raises(InputError, match=what) as caught:
        matrix(source(content), ["a", "b"])
    assert not isinstance(caught.value, ColumnError) or caught.value.column == "b"


def test_a_column_that_is_not_there(source):
    table = source("sepal width,sepal length,kind\n1,2,3\n")
    with pytest.raises(InputError, match="no column 'Sepal Width' to predict: did you mean 'sepal width'\\?"):
        find_column(table, "Sepal Width", "to predict")
    with pytest.raises(InputError, match="it has 'sepal width', 'sepal length', 'kind'"):
        find_column(table, "xyz", "to predict")
    with pytest.raises(InputError, match="the first line must name the columns"):
        find_column(source("5.1,3.5\n4.9,3.0\n"), "kind", "to predict")


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["1", "-2"], [1, -2]),
        (["1.5", "2.0"], [1.5, 2.0]),
        (["True", "False"], [True, False]),
        (["true", "false"], ["true", "false"]),
        (["007", "8"], ["007", "8"]),
        (["1", "1.5"], ["1", "1.5"]),
        (["1", "x"], ["1", "x"]),
        (["2020-01-01", "2020-01-02"], ["2020-01-01", "2020-01-02"]),
        (["9223372036854775808", "1"], ["9223372036854775808", "1"]),
        (["inf", "1.0"], ["inf", "1.0"]),
    ],
)
def test_labels_are_typed_only_where_the_text_survives(texts, labels):
    found = typed_labels(texts).tolist()
    assert [(type(label), label) for label in found] == [(type(label), label) for label in labels]


@given(st.lists(st.text(min_size=1), min_size=1))
def test_labels_can_always_be_written_as_they_were(texts):
    plain = [text.strip("\0") for text in texts]
    assert [str(label) for label in typed_labels(plain).tolist()] == plain


def test_classes_are_sorted_and_numbered(source):
    table = source("x,kind\n1, oak\n2,ash \n3,oak\n")
    found, codes = read_classes(table.read_all({"kind": "category"}), "kind")
    assert found.tolist() == ["ash", "oak"]
    assert codes.tolist() == [1, 0, 1]
    assert codes.dtype == np.int32


def lines(values):
    return "x,kind\n" + "".join(f"{place},{value}\n" for place, value in enumerate(values))


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["oak"] * 5, "has only one class, 'oak'"),
        (["oak", "", "ash"], "has no class in 1 row, the first in line 3"),
        (np.arange(50) / 4, "50 different numbers in 50 rows, a quantity rather than classes"),
        (np.arange(300) // 3, "100 different numbers in 300 rows, a quantity"),
        ([f"id-{place}" for place in range(9)], "9 different values in 9 rows, too many for classes"),
    ],
)
def test_what_are_no_classes(values, what, source):
    table = source(lines(values))
    with pytest.raises(InputError, match=what):
        read_classes(table.read_all({"kind": "category"}), "kind")


@pytest.mark.parametrize("values", [[0, 1], ["a", "b", "a"], [*range(10)] * 2, [*range(40)] * 10])
def test_what_are_classes(values, source):
    table = source(lines(values))
    found, codes = read_classes(table.read_all({"kind": "category"}), "kind")
    assert found[codes].tolist() == values


# Scaling and splitting


def test_scaled_columns_have_mean_0_and_deviation_1():
    X = np.random.default_rng(0).normal([5, -1e6, 1e-9], [1, 100, 1e-12], size=(1000, 3))
    scaled = measure_scaling(X).apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(scaled.std(axis=0), 1, rtol=1e-6)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e300, 5e-324])
def test_constant_columns_become_0(constant):
    X = np.full((7, 1), constant)
    np.testing.assert_array_equal(measure_scaling(X).apply(X), np.zeros((7, 1)))


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e308])
def test_very_small_and_very_large_numbers_are_scaled(size):
    X = np.array([[-1.0], [0.5], [0.5]]) * size
    np.testing.assert_allclose(measure_scaling(X).apply(X).ravel(), np.array([-1, 0.5, 0.5]) / np.sqrt(0.5))


@given(
    X=arrays(np.float64, (6, 2), elements=st.floats(-1e6, 1e6, width=32)),
    w=arrays(np.float64, (3, 2), elements=st.floats(-9, 9)),
)
def test_undoing_the_scale_gives_the_same_scores(X, w):
    scaling, b = measure_scaling(X), np.array([1.0, -2.0, 0.5])
    coef, intercept = scaling.undo(w, b)
    scores = scaling.apply(X) @ w.T + b
    rounding = 1e-13 * (1 + np.abs(X / scaling.scale).max() + np.abs(scaling.centre / scaling.scale).max())
    np.testing.assert_allclose(X @ coef.T + intercept, scores, rtol=1e-9, atol=100 * rounding)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=200), st.floats(0, 0.99), st.integers(0, 2**32 - 1))
def test_a_split_holds_out_a_share_of_each_class_and_keeps_some(labels, fraction, seed):
    codes = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    train, test = split(codes, fraction, seed)
    assert sorted([*train, *test]) == list(range(len(codes)))
    for code in range(codes.max() + 1):
        whole, held = (codes == code).sum(), (codes[test] == code).sum()
        assert held < whole
        assert abs(held - fraction * whole) <= 1


def test_a_split_depends_on_the_seed_alone():
    codes = np.arange(100, dtype=np.int32) % 2
    assert split(codes, 0.3, 1)[1].tolist() == split(codes, 0.3, 1)[1].tolist()
    assert split(codes, 0.3, 1)[1].tolist() != split(codes, 0.3, 2)[1].tolist()


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=200),
    st.floats(0, 0.99),
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 200)),
    st.permutations(range(5)),
)
def test_a_splitter_holds_out_a_share_of_each_class_wherever_rows_are_cut(labels, share, seed, cuts, renamed):
    codes = np.array(labels, dtype=np.int32)
    out = HoldOutSplitter(share, seed)(codes)
    for code in set(labels):
        whole, held = (codes == code).sum(), out[codes == code].sum()
        assert held < whole
        assert abs(held - share * whole) <= 1 + 1e-5 * whole
        assert not out[labels.index(code)]
    splitter = HoldOutSplitter(share, seed)
    np.testing.assert_array_equal(np.concatenate([splitter(part) for part in np.split(codes, sorted(cuts))]), out)
    np.testing.assert_array_equal(HoldOutSplitter(share, seed)(np.array(renamed, dtype=np.int32)[codes]), out)


def test_a_splitter_depends_on_the_seed_and_chooses_evenly():
    codes = np.zeros(50_000, dtype=np.int32)
    places = [np.flatnonzero(HoldOutSplitter(0.2, seed)(codes)) for seed in (1, 1, 2)]
    assert places[0].tolist() == places[1].tolist() != places[2].tolist()
    counts = np.bincount(places[0][1:] % 5)
    assert (abs(counts - 2000) < 5 * np.sqrt(2000 * 0.8)).all()
