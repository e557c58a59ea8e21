"""Columns to numbers: the kinds that are seen, what each becomes, and what comes of it in other hands."""

import datetime
import json

import numpy as np
import pandas as pd
import polars
import pyarrow as arrow
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import TableEncoder
from rosenblatt.foundation.errors import ColumnError, InputError
from rosenblatt.tables.encode.column_kinds import guess_kinds
from rosenblatt.tables.encode.columns import category
from rosenblatt.tables.encode.encoder import Encoder, make_encoder
from rosenblatt.tables.read.batches import Batch
from rosenblatt.tables.read.typed_files import InMemorySource

RANDOM = np.random.default_rng(0)
ROWS = 60
COLUMNS = {
    "number": RANDOM.normal(5, 2, ROWS),
    "whole": RANDOM.integers(0, 9, ROWS),
    "job": RANDOM.choice(["cook", "clerk", "smith"], ROWS),
    "member": RANDOM.choice(["yes", "no"], ROWS),
    "truth": RANDOM.choice([True, False], ROWS),
    "comment": [f"number {k} is {word} and fine" for k, word in enumerate(RANDOM.choice(["good", "bad"], ROWS))],
    "day": [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(k)) for k in RANDOM.integers(0, 900, ROWS)],
    "row": np.arange(ROWS),
    "customer_id": RANDOM.permutation(10_000)[:ROWS],
    "token": [f"t{k}x" for k in RANDOM.permutation(ROWS)],
    "nothing": [None] * ROWS,
    "always": ["same"] * ROWS,
}
KINDS = {
    **{"number": "number", "whole": "number", "job": "category", "member": "yes/no", "truth": "yes/no"},
    **{"comment": "text", "day": "date"},
}
LEFT_OUT = {"row", "customer_id", "token", "nothing", "always"}


@pytest.fixture
def frame():
    return pd.DataFrame(COLUMNS)


def test_kinds_are_found_by_looking(frame):
    encoder = TableEncoder().fit(frame)
    assert encoder.kinds_ == KINDS
    assert set(encoder.left_out_) == LEFT_OUT


def test_kinds_can_be_told(frame):
    encoder = TableEncoder(kinds={"whole": "category", "row": "number"}, drop=["job"]).fit(frame)
    assert encoder.kinds_["whole"] == "category"
    assert encoder.kinds_["row"] == "number"
    assert "job" not in encoder.kinds_


def test_the_same_numbers_from_every_kind_of_table(frame):
    wanted = TableEncoder().fit_transform(frame).toarray()
    for table in (arrow.Table.from_pandas(frame), polars.from_pandas(frame.drop(columns="nothing"))):
        np.testing.assert_allclose(TableEncoder().fit_transform(table).toarray(), wanted)


def test_learning_and_encoding_agree(frame, tmp_path):
    encoder = TableEncoder()
    wanted = encoder.fit_transform(frame).toarray()
    np.testing.assert_array_equal(encoder.transform(frame).toarray(), wanted)
    frame.to_parquet(tmp_path / "frame")
    for path in (tmp_path / "frame", str(tmp_path / "frame")):
        np.testing.assert_array_equal(encoder.transform(path).toarray(), wanted)


def test_numbers_are_scaled_as_scikit_learn_does(frame):
    table = frame[["number", "whole"]]
    np.testing.assert_allclose(TableEncoder().fit_transform(table), StandardScaler().fit_transform(table), atol=1e-12)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_very_small_and_very_large_numbers_are_scaled(size):
    found = TableEncoder().fit_transform({"x": [-1.0 * size, 0.5 * size, 0.5 * size]})
    np.testing.assert_allclose(found.ravel(), np.array([-1, 0.5, 0.5]) / np.sqrt(0.5))


def test_texts_become_what_scikit_learn_makes_of_them(frame):
    encoder = TableEncoder().fit(frame[["comment"]])
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2).fit(frame["comment"])
    names = [f"comment: {word}" for word in vectorizer.get_feature_names_out()]
    order = [list(encoder.get_feature_names_out()).index(name) for name in names]
    assert sorted(order) == [*range(len(names))]
    new = pd.DataFrame({"comment": ["a bad, bad number", None, "unheard of"]})
    wanted = vectorizer.transform(new["comment"].fillna("")).toarray()
    np.testing.assert_allclose(encoder.transform(new).toarray()[:, order], wanted, atol=1e-7)


def test_categories_others_and_gaps_have_columns():
    jobs = ["cook"] * 9 + ["clerk"] * 9 + ["smith"] * 9 + ["queen", None, "?", ""]
    encoder = TableEncoder().fit({"job": jobs})
    names = ["job=clerk", "job=cook", "job=smith", "job=other", "job is missing"]
    assert encoder.get_feature_names_out().tolist() == names
    found = encoder.transform({"job": ["cook", "king", None, "?"]}).toarray()
    np.testing.assert_array_equal(found, np.eye(5)[[1, 3, 4, 4]])


def test_what_was_never_missing_counts_as_the_mean():
    encoder = TableEncoder().fit({"x": [1.0, 2.0, 6.0], "y": ["a", "b", "a"]})
    np.testing.assert_array_equal(encoder.transform({"x": [None], "y": [None]}), [[0.0, 0.0]])


def test_dates_are_days_weekdays_and_months():
    days = [datetime.date(2024, 2, 29), datetime.date(2024, 3, 1), None]
    encoder = TableEncoder().fit({"day": days})
    row = dict(zip(encoder.get_feature_names_out(), encoder.transform({"day": days[:1]}).toarray()[0], strict=True))
    assert {name for name, value in row.items() if value} == {"day", "day on a Thursday", "day in February"}
    gap = encoder.transform({"day": days[2:]}).toarray()[0]
    assert {encoder.get_feature_names_out()[k] for k in np.flatnonzero(gap)} == {"day is missing"}


def test_words_count_as_often_as_they_are_there_if_asked():
    texts = {"note": ["a rose is a rose", "a rose", "is it a rose"] * 4}
    encoder = TableEncoder(kinds={"note": "text"}, tf_idf=False, word_counts=True)
    counts = encoder.fit_transform(texts).toarray()[:2]
    named = {name.removeprefix("note: "): place for place, name in enumerate(encoder.get_feature_names_out())}
    assert counts[:, [named["a"], named["is"], named["rose"]]].tolist() == [[2, 1, 2], [1, 0, 1]]
    logarithms = TableEncoder(kinds={"note": "text"}, tf_idf=False).fit_transform(texts).toarray()[:2]
    np.testing.assert_allclose(logarithms, np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0), rtol=1e-6)


def test_it_works_in_a_pipeline_and_can_be_cloned(frame):
    y = np.where(frame["number"] > 5, "high", "low")
    model = make_pipeline(clone(TableEncoder(drop=["row"])), LogisticRegression()).fit(frame, y)
    assert model.score(frame, y) > 0.9


def test_a_state_survives_as_json_and_arrays(frame):
    encoder = TableEncoder().fit(frame).encoder_
    state = encoder.state()
    words = {k: v for k, v in state["parts"].pop("comment").items() if not isinstance(v, np.ndarray)}
    json.dumps([state, words])
    again = Encoder.from_state(encoder.state())
    batch = Batch(arrow.Table.from_pandas(frame), "", str)
    np.testing.assert_array_equal(again.encode(batch).matrix().toarray(), encoder.encode(batch).matrix().toarray())
    assert (again.names, again.kinds, again.left_out) == (encoder.names, encoder.kinds, encoder.left_out)


def test_a_column_that_is_not_there_is_named(frame):
    encoder = TableEncoder().fit(frame)
    with pytest.raises(ValueError, match="no column 'job'"):
        encoder.transform(frame.drop(columns="job"))


def test_numbers_with_words_among_them_are_refused():
    table = arrow.table({"x": [*map(str, range(30)), "many"]})
    with pytest.raises(ColumnError, match=r"'x' holds numbers, but 'many' in row 31") as caught:
        guess_kinds(Batch(table, "t", lambda row: f"row {row + 1}"), ["x"])
    assert caught.value.column == "x"


def test_the_size_of_batches_does_not_change_the_encoding(frame):
    table = arrow.Table.from_pandas(frame)

    def learned(size):
        batches = [Batch(table.slice(k, size), "", str) for k in range(0, ROWS, size)]
        encoder = make_encoder(guess_kinds(batches[0] if size == ROWS else Batch(table, "", str), table.column_names))
        return encoder.fit_encode(batches).matrix().toarray()

    for size in (1, 7, 59):
        np.testing.assert_allclose(learned(size), learned(ROWS), atol=1e-6)


def test_rare_categories_are_forgotten_where_there_are_too_many(monkeypatch):
    monkeypatch.setattr(category, "MAX_COUNTED_VALUES", 100)
    part = category.CategoryColumn("name")
    for first in range(0, 1000, 50):
        part.learn(arrow.array([*(f"rare{k}" for k in range(first, first + 50)), *["often"] * 3, "twice"]))
    part.finish()
    assert {"often", "twice"} <= set(part.values)
    assert len(part.values) <= 100
    assert part.others


def test_a_kind_that_does_not_exist_is_refused_by_name():
    with pytest.raises(
        InputError, match=r"the kind of column 'a' must be one of .*, not 'nmber': did you mean 'number'\?"
    ):
        TableEncoder(kinds={"a": "nmber"}).fit({"a": [1.0, 2.0, 3.0]})


def test_a_data_frame_is_returned_where_one_is_asked_for_even_if_most_numbers_are_0(frame):
    plain = TableEncoder().fit_transform(frame)
    assert sparse.issparse(plain)
    for library, kind in (("pandas", pd.DataFrame), ("polars", polars.DataFrame)):
        encoder = TableEncoder().set_output(transform=library)
        for found in (encoder.fit_transform(frame), encoder.transform(frame)):
            assert isinstance(found, kind)
            assert list(found.columns) == encoder.get_feature_names_out().tolist()
            np.testing.assert_array_equal(found.to_numpy(), plain.toarray())


def test_names_for_the_columns_of_an_array():
    rows = np.array([[1, "cook"], [2, "clerk"], [3, "cook"]], object)
    encoder = TableEncoder().fit(rows)
    assert encoder.get_feature_names_out().tolist() == ["x0", "x1=cook"]
    assert encoder.get_feature_names_out(["age", "job"]).tolist() == ["age", "job=cook"]
    named = TableEncoder().fit(pd.DataFrame(rows, columns=["age", "job"]))
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        named.get_feature_names_out(["age", "work"])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but TableEncoder was fitted with"):
        np.testing.assert_array_equal(named.transform(rows), encoder.transform(rows))


def test_what_is_a_table_and_what_is_not(frame):
    numbers = frame[["number", "whole"]]
    lazy = polars.from_pandas(numbers).lazy()
    np.testing.assert_array_equal(TableEncoder().fit_transform(lazy), TableEncoder().fit_transform(numbers))
    for series in (frame["number"], polars.Series([1.0, 2.0])):
        with pytest.raises(ValueError, match=r"X is a Series, one column of .*: give X.to_frame\(\)"):
            TableEncoder().fit(series)
    with pytest.raises(TypeError, match="X is a sparse matrix, not a table"):
        TableEncoder().fit(sparse.eye(3).tocsr())
    mixed = np.array([[1.0], ["a"], [None]], object)
    with pytest.raises(TypeError, match="column 'x0' of X holds NoneType and float and str: each argument must be"):
        TableEncoder().fit(mixed)


def test_the_index_of_a_data_frame_is_no_column(frame):
    source = InMemorySource(frame.set_axis([f"row {k}" for k in range(len(frame))]))
    assert source.names == list(frame)
