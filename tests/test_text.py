import numpy as np
import pyarrow as arrow
import pytest
import scipy.sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from rosenblatt.data.text import Words

TEXTS = ["The cat sat, the cat_2 ran; a 42!", "", "Don't STOP the cat", "no words: - . x"]


def matrix(rows, columns):
    return scipy.sparse.csr_matrix((rows.values, rows.indices, rows.indptr), (len(rows.indptr) - 1, columns))


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("sublinear", [False, True])
def test_equals_scikit_learn_on_ascii(ngrams, sublinear):
    peer = TfidfVectorizer(ngram_range=(1, ngrams), sublinear_tf=sublinear)
    theirs = peer.fit_transform(TEXTS)
    words = Words(ngrams=ngrams, sublinear=sublinear, min_rows=1, shortest=2, dtype="float64")
    words.learn(arrow.array(TEXTS))
    words.finish()
    assert set(words.names) == set(peer.vocabulary_)
    order = [peer.vocabulary_[name] for name in words.names]
    for ours in (words.learned_rows(), words.encode(arrow.array(TEXTS))):
        np.testing.assert_allclose(matrix(ours, words.n_columns).toarray(), theirs.toarray()[:, order], rtol=1e-14)
