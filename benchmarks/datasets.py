"""The rows the work is done on: synthetic, and real where the folder named by ROSENBLATT_DATA has them.

Every function returns X and y, the two classes as -1 and +1.
"""

import lzma
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike

MARGIN = 0.05


class Absent(Exception):
    """A dataset that is not on this machine."""


def cache_folder() -> Path:
    """Where what is slow to prepare is kept between runs, outside the repository; one folder for each scikit-learn."""
    folder = Path(tempfile.gettempdir()) / f"rosenblatt-benchmarks-scikit-learn-{version('scikit-learn')}"
    folder.mkdir(exist_ok=True)
    return folder


def real(name: str) -> Path:
    """The path of a real dataset."""
    path = Path(os.environ.get("ROSENBLATT_DATA", "")) / name
    if not path.is_file():
        raise Absent(f"{name} is not in the folder that ROSENBLATT_DATA names")
    return path


def gaussian(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal rows, labelled by the side of a random hyperplane through the origin they lie on.

    Rows nearer to it than MARGIN are pushed out to that distance along its normal, so the classes are separable
    with that margin.
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


def mnist(dtype: DTypeLike) -> tuple[np.ndarray, np.ndarray]:
    """The 60,000 training digits, pixels scaled to [0, 1]; 0-4 against 5-9."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(real("mnist.parquet")).slice(0, 60_000)
    pixels = np.column_stack([table[f"p{i}"].to_numpy() for i in range(784)])
    y = np.where(table["label"].to_numpy().astype(int) >= 5, 1, -1)
    return np.ascontiguousarray((pixels / 255).astype(dtype)), y


def standardised(name: str, positive: str) -> tuple[np.ndarray, np.ndarray]:
    """A table of numbers, each column with mean 0 and deviation 1; the positive label against the other."""
    import pandas

    table = pandas.read_csv(real(name))
    X = table.drop(columns="label").to_numpy(np.float64)
    return (X - X.mean(axis=0)) / X.std(axis=0), np.where(table["label"] == positive, 1, -1)


def mushrooms() -> tuple[np.ndarray, np.ndarray]:
    """8,124 mushrooms, 126 columns of zeros and ones; edible against poisonous."""
    from sklearn.datasets import load_svmlight_file

    with lzma.open(real("mushrooms.svm.xz")) as file:
        X, y = load_svmlight_file(file, n_features=126)
    return X.toarray(), np.where(y == 1, 1, -1)


def imdb() -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    """The 25,000 training reviews as scikit-learn's default tf-idf; negative against positive."""
    source = real("imdb50k.tsv.xz")
    rows, labels = cache_folder() / "imdb.npz", cache_folder() / "imdb-labels.npy"
    if not (rows.is_file() and labels.is_file()):
        from sklearn.feature_extraction.text import TfidfVectorizer

        text, y = reviews(source)
        scipy.sparse.save_npz(rows, TfidfVectorizer().fit_transform(text))
        np.save(labels, y)
    return scipy.sparse.load_npz(rows).tocsr(), np.load(labels)


def reviews(source: Path) -> tuple[list[str], np.ndarray]:
    """The training reviews, as the file writes them, and their labels."""
    import pyarrow.compute
    import pyarrow.csv

    unquoted = pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    with lzma.open(source) as file:
        table = pyarrow.csv.read_csv(file, parse_options=unquoted)
    table = table.filter(pyarrow.compute.equal(table["split"], "train"))
    return table["text"].to_pylist(), np.where(np.array(table["label"].to_pylist()) == "pos", 1, -1)
