"""Reading texts in memory and LIBSVM files into sparse rows."""

import lzma
from pathlib import Path

import pyarrow
import pyarrow.compute
import pyarrow.csv
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.datasets import cache_folder, real_file
from benchmarks.tasks import Pair, Task, faster, task
from benchmarks.timing import stopwatch
from rosenblatt.tables.encode.words import Words
from rosenblatt.tables.read.svmlight import read_svmlight

RATE = 200  # MB/s, the peer of the task that has none


def reviews() -> pyarrow.ChunkedArray:
    """The texts of the 25,000 training reviews."""
    unquoted = pyarrow.csv.ParseOptions(delimiter="\t", quote_char=False)
    with lzma.open(real_file("imdb50k.tsv.xz")) as file:
        table = pyarrow.csv.read_csv(file, parse_options=unquoted)
    return table.filter(pyarrow.compute.equal(table["split"], "train"))["text"]


def learn_words(texts: pyarrow.ChunkedArray, **settings: object) -> Words:
    words = Words(**settings)
    words.learn(texts)
    return words


def word_rows(texts: pyarrow.ChunkedArray, **settings: object) -> object:
    words = learn_words(texts, **settings)
    words.finish()
    return words.learned_rows()


@task("count-words", "tokenize and count 25,000 reviews, one thread", f"a rate of {RATE} MB/s", faster(1))
def count_words() -> Pair:
    texts = reviews()
    megabytes = pyarrow.compute.sum(pyarrow.compute.binary_length(texts)).as_py() / 1e6
    seconds = stopwatch(lambda: learn_words(texts, n_jobs=1))
    return Pair(seconds, lambda: megabytes / RATE, lambda: f"{megabytes:.1f} MB")


@task("words", "25,000 reviews to tf-idf rows", "TfidfVectorizer on a list of str", faster(10))
def words() -> Pair:
    texts = reviews()
    strings = texts.to_pylist()
    same = {"sublinear": False, "min_rows": 1, "shortest": 2}
    return Pair(
        stopwatch(lambda: word_rows(texts, **same)), stopwatch(lambda: TfidfVectorizer().fit_transform(strings))
    )


def unpack(name: str) -> Path:
    """An unpacked copy of an .xz file, kept between runs."""
    plain = cache_folder() / name.removesuffix(".xz")
    if not plain.is_file():
        plain.write_bytes(lzma.decompress(real_file(name).read_bytes()))
    return plain


def svmlight(name: str) -> Task:
    @task(f"read-{name}", f"read {name}.svm", "load_svmlight_file", faster(10))
    def read() -> Pair:
        path = unpack(f"{name}.svm.xz")
        megabytes = path.stat().st_size / 1e6
        ours, theirs = stopwatch(lambda: read_svmlight(path)), stopwatch(lambda: load_svmlight_file(str(path)))
        return Pair(ours, theirs, lambda: f"{megabytes:.1f} MB")

    return read


a9a, w8a, ijcnn1 = svmlight("a9a"), svmlight("w8a"), svmlight("ijcnn1")
rcv1, leukemia = svmlight("rcv1_small"), svmlight("leukemia")
