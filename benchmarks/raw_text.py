"""From a file of raw texts to a saved model, against fastText's `supervised` at its defaults. Imports count.

fastText reads its own format, one text a line after its label; the file is written before the timing. Both models then
label the same test file.
"""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.commands import IMDB, OURS, ours, run, unpack
from benchmarks.datasets import cache_folder, output_folder, zipf
from benchmarks.tasks import Pair, faster, task
from benchmarks.timing import stopwatch

FASTTEXT = """
import sys
import fasttext
fasttext.train_supervised(sys.argv[1], verbose=0).save_model(sys.argv[2])
"""
FASTTEXT_ACCURACY = """
import sys
import fasttext
print(fasttext.load_model(sys.argv[1]).test(sys.argv[2])[1])
"""


def write_once(path: Path, lines: Callable[[], Iterator[str]]) -> Path:
    if not path.is_file():
        unfinished = path.with_suffix(".unfinished")
        with unfinished.open("w") as file:
            file.writelines(lines())
        unfinished.rename(path)
    return path


def fasttext_lines(path: Path, place: int) -> Iterator[str]:
    """The rows of a table, label first and text in column `place`, as fastText reads them."""
    with path.open() as rows:
        next(rows)
        for row in rows:
            label, *cells = row.rstrip("\n").split("\t", place)
            words = "".join(letter if letter.isalnum() else " " for letter in cells[-1].lower())
            yield f"__label__{label} {' '.join(words.split())}\n"


def against_fasttext(name: str, train: Path, test: Path, options: tuple[str, ...]) -> Pair:
    model, peer_model = output_folder() / f"{name}-model", output_folder() / f"{name}-fasttext"
    converted = {path: cache_folder() / f"{path.stem}.fasttext" for path in (train, test)}

    def convert() -> None:
        import fasttext  # noqa: F401

        for path, other in converted.items():
            place = len(path.open().readline().split("\t")) - 1
            write_once(other, partial(fasttext_lines, path, place))

    def remark() -> str:
        right = json.loads(run(*OURS, "evaluate", model, test, "--target", "label", "--json"))["accuracy"]
        theirs = float(run(sys.executable, "-c", FASTTEXT_ACCURACY, peer_model, converted[test]))
        return f"test accuracy {right:.2%}, peer {theirs:.2%}"

    return Pair(
        stopwatch(ours(train, model, *options)),
        stopwatch(lambda: run(sys.executable, "-c", FASTTEXT, converted[train], peer_model)),
        remark,
        convert,
    )


@task("fasttext-imdb", "rosenblatt train, IMDB 25,000 reviews", "fastText supervised, its defaults", faster(10))
def fasttext_imdb() -> Pair:
    train, test = (unpack("imdb50k.tsv.xz", split) for split in ("train", "test"))
    return against_fasttext("fasttext-imdb", train, test, IMDB)


def headlines(rows: int, seed: int) -> Iterator[str]:
    """Short texts of about 40 words about four topics, one word in eight from the topic, as a table."""
    random = np.random.default_rng(seed)
    labels, lengths = random.integers(4, size=rows), random.integers(20, 60, size=rows)
    text = np.repeat(np.arange(rows), lengths)
    common = zipf(random, 60_000, 1.0, len(text))
    own = 60_000 + 5_000 * labels[text] + zipf(random, 5_000, 0.9, len(text))
    words = np.where(random.random(len(text)) < random.uniform(0.0, 0.25, rows)[text], own, common)
    yield "label\ttext\n"
    for label, row in zip(labels, np.split(words, np.cumsum(lengths)[:-1]), strict=True):
        yield f"topic{label}\t{' '.join(f'w{word}' for word in row.tolist())}\n"


@task("fasttext-topics", "rosenblatt train, 120,000 short texts", "fastText supervised, its defaults", faster(10))
def fasttext_topics() -> Pair:
    train = write_once(cache_folder() / "topics-train.tsv", partial(headlines, 120_000, 0))
    test = write_once(cache_folder() / "topics-test.tsv", partial(headlines, 7_600, 1))
    return against_fasttext("fasttext-topics", train, test, ("--test-fraction", "0"))
