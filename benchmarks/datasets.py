"""The datasets: synthetic ones, and real ones from the folder that ROSENBLATT_DATA names.

Every function returns X and y. Two classes are -1 and +1, more of them 0, 1, 2, ..
"""

import lzma
import os
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike

MARGIN = 0.05
SIDE = "ROSENBLATT_BENCH_SIDE"


class MissingData(Exception):
    """A dataset that this machine does not have."""


def cache_folder() -> Path:
    """The folder of prepared data, kept between runs outside the repository; one for each version of scikit-learn."""
    folder = Path(tempfile.gettempdir()) / f"rosenblatt-benchmarks-scikit-learn-{version('scikit-learn')}"
    folder.mkdir(exist_ok=True)
    return folder


def output_folder() -> Path:
    """The folder for models and caches that a benchmark writes; one for each side of a comparison of versions."""
    folder = cache_folder() / f"output-{os.environ.get(SIDE, 'ours')}"
    folder.mkdir(exist_ok=True)
    return folder


def real_file(name: str) -> Path:
    """The path of a real dataset."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        raise MissingData(f"{name} is needed, and ROSENBLATT_DATA names no folder")
    if not (path := Path(folder) / name).is_file():
        raise MissingData(f"{name} is not in the folder that ROSENBLATT_DATA names")
    return path


def gaussian(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal rows, labelled by a random hyperplane through the origin.

    Rows nearer to it than MARGIN are moved along its normal to that distance, so the classes are separable with
    margin MARGIN.
    """
    random = np.random.default_rng(seed)
    normal = random.standard_normal(d)
    normal /= np.linalg.norm(normal)
    X = random.standard_normal((n, d))
    distance = X @ normal
    y = np.where(distance > 0, 1, -1)
    near = np.flatnonzero(np.abs(distance) < MARGIN)
    X[near] += (y[near] * MARGIN - distance[near])[:, None] * normal
    return X, y


def noisy(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal rows whose labels are drawn with logistic probabilities, so that the classes overlap."""
    random = np.random.default_rng(0)
    X = random.standard_normal((n, d))
    score = X @ random.standard_normal(d) * (2 / np.sqrt(d))
    return X, np.where(score + random.logistic(size=n) > 0, 1, -1)


def wide_sparse(n: int, d: int, each: int) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Rows of unit norm with `each` entries, in columns whose frequency falls with their rank; noisy labels."""
    random = np.random.default_rng(0)
    columns = zipf(random, d, 0.8, n * each).astype(np.int32)
    X = scipy.sparse.csr_matrix((random.exponential(size=n * each), columns, np.arange(n + 1) * each), shape=(n, d))
    X.sum_duplicates()
    X.data /= np.repeat(np.sqrt(X.multiply(X).sum(axis=1).A1), np.diff(X.indptr))
    score = X @ random.standard_normal(d)
    return X, np.where(4 * score + random.logistic(size=n) > 0, 1, -1)


def load_cached(name: str, make: Callable[[Path], tuple[Any, np.ndarray]]) -> tuple[Any, np.ndarray]:
    """The rows (sparse or dense) and labels that `make` reads from a real dataset, cached between runs."""
    source, stem = real_file(name), name.partition(".")[0]
    rows, labels = cache_folder() / f"{stem}.npz", cache_folder() / f"{stem}-labels.npy"
    if not (rows.is_file() and labels.is_file()):
        X, y = make(source)
        (scipy.sparse.save_npz if scipy.sparse.issparse(X) else np.savez)(rows, X)
        np.save(labels, y)
    with np.load(rows) as file:
        dense = file.get("arr_0")
    return scipy.sparse.load_npz(rows).tocsr() if dense is None else dense, np.load(labels)


def mnist(dtype: DTypeLike) -> tuple[np.ndarray, np.ndarray]:
    """The 60,000 training digits, pixels scaled to [0, 1]; 0-4 against 5-9."""
    pixels, y = load_cached("mnist.parquet", digits)
    return (pixels / 255).astype(dtype), y


def ten_digits(standardise: bool) -> tuple[np.ndarray, np.ndarray]:
    """The first 20,000 digits in ten classes, pixels scaled to [0, 1] or standardised."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(real_file("mnist.parquet")).slice(0, 20_000)
    X = np.column_stack([table[f"p{i}"].to_numpy() for i in range(784)]) / 255
    if standardise:
        deviation = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    return X, table["label"].to_numpy().astype(np.int64)


def zipf(random: np.random.Generator, words: int, exponent: float, count: int) -> np.ndarray:
    """Ranks of words whose frequency falls with a power of the rank."""
    frequency = np.cumsum((np.arange(words) + 3.0) ** -exponent)
    return np.searchsorted(frequency, frequency[-1] * random.random(count), side="right")


def topics(rows: int = 11_000, words: int = 100_000, classes: int = 20) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Texts about 20 topics as tf-idf, about 180 words each: common words, and some of the topic's 2,000 own words.

    One topic word in five belongs to another topic.
    """
    from sklearn.feature_extraction.text import TfidfTransformer

    random = np.random.default_rng(0)
    y = random.integers(classes, size=rows)
    text = np.repeat(np.arange(rows), 10 + random.lognormal(np.log(200), 0.6, rows).astype(int))
    topic = np.where(random.random(len(text)) < 0.8, y[text], random.integers(classes, size=len(text)))
    vocabulary = np.array([random.permutation(words)[:2000] for _ in range(classes)])
    of_topic = random.random(len(text)) < random.uniform(0.02, 0.25, rows)[text]
    word = np.where(
        of_topic, vocabulary[topic, zipf(random, 2000, 1.0, len(text))], zipf(random, words, 1.05, len(text))
    )
    counts = scipy.sparse.csr_matrix((np.ones(len(text)), (text, word)), shape=(rows, words))
    return TfidfTransformer().fit_transform(counts), y


def even_and_odd(dtype: DTypeLike) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """MNIST, pixels scaled to [0, 1], odd digits positive: 60,000 training rows, labels, 10,000 test rows, labels."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(real_file("mnist.parquet"))
    pixels = (np.column_stack([table[f"p{i}"].to_numpy() for i in range(784)]) / np.float32(255)).astype(dtype)
    y = np.where(table["label"].to_numpy().astype(int) % 2, 1, -1)
    return pixels[:60_000], y[:60_000], pixels[60_000:], y[60_000:]


def digits(source: Path) -> tuple[np.ndarray, np.ndarray]:
    """The 60,000 training digits, pixels as bytes; 0-4 against 5-9."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(source).slice(0, 60_000)
    pixels = np.column_stack([table[f"p{i}"].to_numpy() for i in range(784)])
    return np.ascontiguousarray(pixels), np.where(table["label"].to_numpy().astype(int) >= 5, 1, -1)


def standardised(name: str, positive: object) -> tuple[np.ndarray, np.ndarray]:
    """A table of numbers, each column with mean 0 and deviation 1; one label against the other."""
    import pandas

    table = pandas.read_csv(real_file(name))
    X = np.ascontiguousarray(table.drop(columns="label").to_numpy(np.float64))
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(table["label"] == positive, 1, -1)


def svmlight(name: str, columns: int) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """Sparse rows in LIBSVM's text format; the larger label against the smaller."""
    from sklearn.datasets import load_svmlight_file

    def read(source: Path) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
        with lzma.open(source) as file:
            X, y = load_svmlight_file(file, n_features=columns)
        return X, np.where(y == y.max(), 1, -1)

    return load_cached(name, read)


def mushrooms() -> tuple[np.ndarray, np.ndarray]:
    """8,124 mushrooms, 126 columns of zeros and ones; edible against poisonous."""
    X, y = svmlight("mushrooms.svm.xz", 126)
    return X.toarray(), y


def a9a() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """32,561 people, 123 columns of zeros and ones; income above 50,000 against below."""
    return svmlight("a9a.svm.xz", 123)


def w8a() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """49,749 web pages, 300 columns of zeros and ones."""
    return svmlight("w8a.svm.xz", 300)


def ijcnn1() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """49,990 states of an engine, 22 columns, 11 or 12 of them nonzero in each row."""
    return svmlight("ijcnn1.svm.xz", 22)


def leukemia() -> tuple[np.ndarray, np.ndarray]:
    """38 patients, 7,129 genes; two kinds of leukemia."""
    X, y = svmlight("leukemia.svm.xz", 7129)
    return X.toarray(), y


def breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    """569 tumours, 30 columns, standardised; benign against malignant."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(y, 1, -1)


def covtype() -> tuple[np.ndarray, np.ndarray]:
    """286,048 patches of forest, 10 columns, standardised; two tree types, one of them 1% of the rows."""
    return standardised("covtype_2v4.csv.xz", 1)


def imdb() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """The 25,000 training reviews as scikit-learn's default tf-idf; negative against positive."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    def read(source: Path) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
        text, y = reviews(source)
        return TfidfVectorizer().fit_transform(text), y

    return load_cached("imdb50k.tsv.xz", read)


def reviews(source: Path) -> tuple[list[str], np.ndarray]:
    """The texts of the training reviews and their labels."""
    import pyarrow.compute
    import pyarrow.csv

    unquoted = pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    with lzma.open(source) as file:
        table = pyarrow.csv.read_csv(file, parse_options=unquoted)
    table = table.filter(pyarrow.compute.equal(table["split"], "train"))
    return table["text"].to_pylist(), np.where(np.array(table["label"].to_pylist()) == "pos", 1, -1)


DATASETS: dict[str, Callable[[], tuple[Any, np.ndarray]]] = {
    "a9a": a9a,
    "w8a": w8a,
    "ijcnn1": ijcnn1,
    "covtype": covtype,
    "MNIST": partial(mnist, np.float64),
    "IMDB": imdb,
}
