"""Words of texts: their counts are those of the definition and of scikit-learn, the same on every machine."""

import pickle
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as arrow
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as some
from sklearn.feature_extraction.text import TfidfVectorizer
from word_texts import TEXTS, learned

from rosenblatt import _core
from rosenblatt.foundation.errors import InputError
from rosenblatt.tables.encode import words as module
from rosenblatt.tables.encode.words import Words

LIKE_PEER = {"min_rows": 1, "shortest": 2, "dtype": "float64"}


def dense(rows, columns):
    shape = len(rows.indptr) - 1, columns
    return scipy.sparse.csr_matrix((rows.values, rows.indices, rows.indptr), shape).toarray()


def fold(character):
    if character == "\u0130":
        return "i"
    return next((form for form in (character.casefold(), character.lower()) if len(form) == 1), character)


def tokens(text):
    """The definition: words of a text, character by character."""
    found, word = [], ""
    for character in text:
        mark = unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"
        if character.isalnum() or character == "_" or (mark and word):
            word += fold(character)
        else:
            found.append(word)
            word = ""
    return [word for word in [*found, word] if word]


def counted(text, ngrams):
    words = tokens(text)
    return Counter(" ".join(words[i : i + n]) for n in range(1, ngrams + 1) for i in range(len(words) - n + 1))


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("sublinear", [False, True])
def test_equals_scikit_learn_on_ascii(ngrams, sublinear):
    peer = TfidfVectorizer(ngram_range=(1, ngrams), sublinear_tf=sublinear)
    theirs = peer.fit_transform(TEXTS).toarray()
    words = learned(TEXTS, ngrams=ngrams, sublinear=sublinear, **LIKE_PEER)
    assert set(words.names) == set(peer.vocabulary_)
    order = [peer.vocabulary_[name] for name in words.names]
    for rows in (words.learned_rows(), words.encode(arrow.array(TEXTS))):
        np.testing.assert_allclose(dense(rows, words.n_columns), theirs[:, order], rtol=1e-14)
    unseen = ["the unseen Cat and the dog", "nothing"]
    ours = dense(words.encode(arrow.array(unseen)), words.n_columns)
    np.testing.assert_allclose(ours, peer.transform(unseen).toarray()[:, order], rtol=1e-14)


@settings(deadline=None)
@given(some.lists(some.text(alphabet=some.characters(max_codepoint=127), max_size=60), min_size=1, max_size=8))
def test_equals_scikit_learn_on_any_ascii(texts):
    peer = TfidfVectorizer()
    try:
        theirs = peer.fit_transform(texts).toarray()
    except ValueError:  # an empty vocabulary
        assert learned(texts, sublinear=False, **LIKE_PEER).n_columns == 0
        return
    words = learned(texts, sublinear=False, **LIKE_PEER)
    order = [peer.vocabulary_[name] for name in words.names]
    np.testing.assert_allclose(dense(words.learned_rows(), len(order)), theirs[:, order], rtol=1e-14)


@settings(deadline=None)
@given(
    some.lists(some.text(max_size=40) | some.text(alphabet="aÉΣς \u0301\u200dK_9ß漢-", max_size=40), max_size=6),
    some.integers(1, 3),
)
def test_counts_equal_the_definition_on_any_unicode(texts, ngrams):
    words = learned(texts, ngrams=ngrams, tf_idf=False, sublinear=False, min_rows=1)
    rows = Counter(name for text in texts for name in counted(text, ngrams))
    assert words.names == sorted(rows, key=lambda name: (-rows[name], name.encode()))
    matrix = dense(words.learned_rows(), words.n_columns)
    for i, text in enumerate(texts):
        here = counted(text, ngrams)
        assert matrix[i].tolist() == [here[name] for name in words.names]
    assert matrix.tolist() == dense(words.encode(arrow.array(texts, arrow.string())), words.n_columns).tolist()


def test_every_character_is_what_python_says():
    """Each alone between two letters: part of their word, or the end of one."""
    codes = [code for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    script = Path(__file__).parents[2] / "core" / "text" / "make_characters.py"
    table = script.with_name("characters.inc").read_text().splitlines()[0]
    if unicodedata.unidata_version not in table:
        pytest.skip(f"this Python has another Unicode: {unicodedata.unidata_version}")
    text = " ".join(f"a{chr(code)}b" for code in codes)
    words = learned([text], tf_idf=False, sublinear=False, min_rows=1)
    matrix = dense(words.learned_rows(), words.n_columns)
    assert dict(zip(words.names, matrix[0].tolist(), strict=True)) == Counter(tokens(text))


@settings(deadline=None)
@given(some.lists(some.binary(max_size=80), max_size=5), some.integers(1, 2), some.integers(1, 3))
def test_random_bytes_never_crash(pieces, ngrams, threads):
    data = arrow.array(pieces, arrow.binary())
    column = arrow.StringArray.from_buffers(len(data), data.buffers()[1], data.buffers()[2])
    words = Words(ngrams=ngrams, min_rows=1, n_jobs=threads)
    words.learn(column)
    words.finish()
    assert all(np.array_equal(a, b) for a, b in zip(words.learned_rows(), words.encode(column), strict=True))
    for i, piece in enumerate(pieces):
        text = piece.decode(errors="replace").replace("\ufffd", " ")
        assert (words.encode(column).indptr[i + 1] > words.encode(column).indptr[i]) == bool(tokens(text))


def test_the_same_bits_for_every_thread_count():
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in random.zipf(1.3, 30) % 5000) for _ in range(3000)]
    results = []
    for jobs in (1, 2, 3, 7):
        words = learned(texts, ngrams=2, n_jobs=jobs)
        encoded = words.encode(arrow.array(texts))
        results.append(
            [words.state()["bytes"].tobytes(), *(part.tobytes() for part in (*words.learned_rows(), *encoded))]
        )
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(
    "column",
    [
        arrow.array(["b a", None, "a c"]),
        arrow.array(["b a", None, "a c"], arrow.large_string()),
        arrow.array(["b a", None, "a c"]).dictionary_encode(),
        arrow.chunked_array([arrow.array(["b a"]), arrow.array([], arrow.string()), arrow.array([None, "a c"])]),
        arrow.array(["x", "b a", None, "a c", "y"]).slice(1, 3),
        arrow.array(["x"] * 9 + ["b a", None, "a c"]).slice(9),
    ],
    ids=["string", "large", "dictionary", "chunks", "slice", "slice beyond a byte"],
)
def test_takes_texts_as_arrow_keeps_them(column):
    words = Words(min_rows=1, tf_idf=False, sublinear=False)
    words.learn(column)
    words.finish()
    assert words.names == ["a", "b", "c"]
    assert dense(words.learned_rows(), 3).tolist() == [[1, 1, 0], [0, 0, 0], [1, 0, 1]]
    assert dense(words.encode(column), 3).tolist() == [[1, 1, 0], [0, 0, 0], [1, 0, 1]]


def test_learning_in_pieces_is_learning_at_once():
    whole, pieces = learned(TEXTS * 3, ngrams=2), Words(ngrams=2)
    for text in TEXTS * 3:
        pieces.learn(arrow.array([text]))
    pieces.finish()
    assert whole.names == pieces.names
    assert all(np.array_equal(a, b) for a, b in zip(whole.learned_rows(), pieces.learned_rows(), strict=True))


def test_choice_of_columns():
    texts = ["a b c", "a b", "a"]
    assert learned(texts).names == ["a", "b"]
    assert learned(texts, min_rows=1, max_words=2).names == ["a", "b"]
    assert learned(texts, min_rows=1, max_share=0.7).names == ["b", "c"]
    assert learned(texts, min_rows=1, dtype="float64").learned_rows().values.dtype == np.float64
    assert learned(texts).learned_rows().values.dtype == np.float32


def test_nothing_to_learn_from():
    words = Words()
    words.finish()
    assert words.names == []
    assert words.learned_rows().indptr.tolist() == [0]
    assert words.encode(arrow.array(["a"])).indptr.tolist() == [0, 0]
    assert words.encode(arrow.array([], arrow.string())).indptr.tolist() == [0]


def test_wrong_order_of_calls_and_settings():
    words = Words()
    with pytest.raises(ValueError, match="not finished"):
        words.encode(arrow.array(["a"]))
    words.learn(arrow.array(["a"]), keep=False)
    words.finish()
    with pytest.raises(ValueError, match="not kept"):
        words.learned_rows()
    with pytest.raises(ValueError, match="are finished"):
        words.learn(arrow.array(["a"]))
    bad = {
        "ngrams": 0,
        "min_rows": 0,
        "max_words": 0,
        "max_share": 0.0,
        "shortest": True,
        "dtype": "float16",
        "tf_idf": 1,
    }
    for name, value in bad.items():
        with pytest.raises(ValueError, match=name):
            Words(**{name: value})
    with pytest.raises(InputError, match="cannot be read as text"):
        Words().learn(arrow.array([[1]]))


def test_broken_arrow_columns_are_refused():
    letters = np.frombuffer(b"abc", np.uint8)
    for offsets in ([0, 9], [2, 1], [-1, 1], [-2, -1]):
        for dtype in (np.int32, np.int64):
            with pytest.raises(ValueError, match="outside"):
                _core.WordCounter(1, 1).learn(np.array(offsets, dtype), letters, None, 0, True, 1)
    with pytest.raises(ValueError, match="end early"):
        _core.WordCounter(1, 1).learn(np.zeros(10, np.int32), letters, letters[:1], 0, True, 1)
    with pytest.raises(ValueError, match="neither"):
        _core.WordCounter(1, 1).learn(np.zeros(2, np.float64), letters, None, 0, True, 1)


def test_words_are_weighed_alike_on_every_machine():
    """log by exactly rounded operations: near the C library's."""
    rows = np.arange(1, 5000, dtype=np.int64)
    ours = _core.inverse_row_frequency(rows, 5000)
    np.testing.assert_allclose(ours, np.log(5001 / (1 + rows)) + 1, rtol=1e-15)


@pytest.mark.parametrize("ngrams", [1, 3])
def test_rare_words_are_forgotten_where_there_are_too_many_of_them(ngrams, monkeypatch):
    """The same ones whatever the number of threads, rows kept or not; words of many rows stay, with their counts."""
    random = np.random.default_rng(0)
    common = [f"common{k}" for k in range(20)]
    rows = [
        " ".join([common[k % 20], common[k % 7], *(f"rare{n}" for n in random.integers(0, 40_000, 6))])
        for k in range(3000)
    ]
    monkeypatch.setattr(module, "ROWS_AT_A_TIME", 500)
    monkeypatch.setattr(module, "MAX_COUNTED_WORDS", 4000 * ngrams)
    found = []
    for threads, keep in ((1, False), (2, True), (5, False)):
        words = Words(ngrams=ngrams, n_jobs=threads)
        words.learn(arrow.array(rows), keep)
        assert words.kept is False
        words.finish()
        found.append(words.state())
    for other in found[1:]:
        for name in ("bytes", "ends", "rows"):
            np.testing.assert_array_equal(found[0][name], other[name])
    counts = dict(zip(words.names, words.state()["rows"].tolist(), strict=True))
    assert len(counts) <= 4000 * ngrams
    for word in common:
        assert counts[word] == sum(word in row.split() for row in rows)
    monkeypatch.setattr(module, "MAX_COUNTED_WORDS", 1 << 30)
    whole = Words(ngrams=ngrams)
    whole.learn(arrow.array(rows))
    whole.finish()
    assert whole.kept
    assert set(counts) < set(whole.names)


@pytest.mark.parametrize("ngrams", [1, 3])
@pytest.mark.parametrize("most", [2_000_000, 40])
def test_words_counted_elsewhere_are_those_learned_here(monkeypatch, ngrams, most):
    """Summaries of groups of rows, added in their order, forget the same rare words at the same places."""
    monkeypatch.setattr(module, "MAX_COUNTED_WORDS", most)
    rng = np.random.default_rng(0)
    names = [f"wort{k}" * (1 + k % 9) for k in range(60)]
    columns = [arrow.array([" ".join(rng.choice(names, 5)) for _ in range(30)] + [None]) for _ in range(6)]
    one, many = Words(ngrams), Words(ngrams)
    for column in columns:
        one.learn(column, keep=False)
        many.add(pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(Words(ngrams))).summary(column))))
    one.finish()
    many.finish()
    assert many.names == one.names
    assert len(one.names) > 5
    for name, value in one.state().items():
        np.testing.assert_array_equal(many.state()[name], value)
