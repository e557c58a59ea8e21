"""Larger than memory: from a file to a model within 1 GiB, each side in a process of its own, with the same passes.

Ours reads the file twice, writes its cache and trains from there; Vowpal Wabbit makes its cache in its first pass, and
its file was converted before; scikit-learn's `partial_fit` reads the file in pandas' chunks in every pass.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.commands import OURS, accuracy, run
from benchmarks.datasets import cache_folder
from benchmarks.large_files import SEED_OF_TEST, numbers, share, texts, written
from benchmarks.tasks import Pair, Target, faster, smaller, task
from benchmarks.tasks import share as rate
from benchmarks.timing import Stopwatch, stopwatch

GIB = 1 << 30
PASSES = 10
TABLE, TEXT, LARGE = 2e9, 1e9, 5e9
TEST = 2e7

VOWPAL_WABBIT = """
import sys
from vowpalwabbit import Workspace
data, model, test = sys.argv[1:]
options = "--loss_function logistic -b 22 --quiet"
Workspace(f"--cache --kill_cache --passes {passes} --holdout_off {options} --data {data} -f {model}").finish()
"""

VOWPAL_WABBIT_TEST = """
import sys
from vowpalwabbit import Workspace
data, model = sys.argv[1:]
Workspace(f"-t -i {model} --quiet --data {data} -p {model}.said").finish()
said = [float(line) > 0 for line in open(f"{model}.said")]
true = [line.startswith("1") for line in open(data)]
print(sum(a == b for a, b in zip(said, true)) / len(true))
"""

NUMBERS = """
import sys, joblib, pandas
from sklearn.linear_model import SGDClassifier
model = SGDClassifier(loss="log_loss", random_state=0)
for _ in range(passes):
    for rows in pandas.read_csv(sys.argv[1], chunksize=50_000):
        model.partial_fit(rows.drop(columns="label").to_numpy(), rows["label"], classes=["no", "yes"])
joblib.dump(model, sys.argv[2])
rows = pandas.read_csv(sys.argv[3])
print(model.score(rows.drop(columns="label").to_numpy(), rows["label"]))
"""

TEXTS = """
import sys, joblib, pandas
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
model, words = SGDClassifier(loss="log_loss", random_state=0, alpha=1e-6), HashingVectorizer(n_features=2**22)
def read(path):
    return pandas.read_csv(path, sep="\\t", quoting=3, chunksize=20_000)
for _ in range(passes):
    for rows in read(sys.argv[1]):
        model.partial_fit(words.transform(rows["text"]), rows["label"], classes=["neg", "pos"])
joblib.dump(model, sys.argv[2])
right = [model.score(words.transform(rows["text"]), rows["label"]) for rows in read(sys.argv[3])]
print(sum(right) / len(right))
"""


def memory(full: int = GIB) -> int:
    """What ours may use: less where the tables are smaller, so that they do not fit."""
    return max(int(full * share()), 256 << 20)


def ours(path: Path, model: Path, *options: object) -> str:
    words = ("train", path, "--target", "label", "--test-fraction", 0, "--max-iter", PASSES, "--memory", memory())
    folder = cache_folder() / "streaming"
    return run(*OURS, *words, "--cache", folder, "--quiet", "--json", "--model", model, *options)


def against(script: str, name: str, make: Callable[..., object], size: float, *options: object) -> Pair:
    """Both sides from a file; the peer's file is its own, and its quality is told beside ours.

    The files were read before, so that neither side waits for the disk where the other finds them in memory.
    """
    path, test = written(name, make, size * share()), written(name, make, TEST, SEED_OF_TEST)
    model, other = cache_folder() / f"{name}-ours", cache_folder() / f"{name}-peer"
    vowpal_wabbit = script is VOWPAL_WABBIT
    given = [each.with_suffix(".vw") if vowpal_wabbit else each for each in (path, test)]
    said = []
    for file in {path, given[0]}:
        run("dd", f"if={file}", "of=/dev/null", "bs=1M")

    def peer() -> None:
        said[:] = run(sys.executable, "-c", f"passes = {PASSES}\n{script}", given[0], other, given[1]).split()

    def remark() -> str:
        told = said or run(sys.executable, "-c", VOWPAL_WABBIT_TEST, given[1], other).split()
        return f"{accuracy(model, test):.2%} of other rows right; peer: {float(told[-1]):.2%}"

    return Pair(stopwatch(lambda: ours(path, model, "--no-cache", *options)), stopwatch(peer), remark)


# These texts say more the more often a word is there; others do not (docs/decisions/0014-words.md).
COUNTS = ("--word-counts", "--algorithm", "passive-aggressive", "--set", "C=0.1", "--set", "keep=average")
# All epochs, in the order of the file, as the peers.
SGD = ("--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--order", "cyclic")


@task(
    "stream-table-vw",
    "rosenblatt train, 2 GB of CSV, 10 epochs",
    "Vowpal Wabbit, cache, file converted",
    faster(1.5),
)
def table_vowpal_wabbit() -> Pair:
    import vowpalwabbit  # noqa: F401  # skipped, with a word, where it is not installed

    return against(VOWPAL_WABBIT, "table", numbers, TABLE, *SGD)


@task(
    "stream-table", "rosenblatt train, 2 GB of CSV, 10 epochs", "pandas chunks, SGDClassifier.partial_fit", faster(10)
)
def table() -> Pair:
    return against(NUMBERS, "table", numbers, TABLE, *SGD)


@task(
    "stream-text-vw",
    "rosenblatt train, 1 GB of text, 10 epochs",
    "Vowpal Wabbit, cache, file converted",
    faster(1.5),
)
def text_vowpal_wabbit() -> Pair:
    import vowpalwabbit  # noqa: F401

    return against(VOWPAL_WABBIT, "text", texts, TEXT, *COUNTS)


@task(
    "stream-text",
    "rosenblatt train, 1 GB of text, 10 epochs",
    "pandas, HashingVectorizer, partial_fit",
    faster(10),
)
def text() -> Pair:
    return against(TEXTS, "text", texts, TEXT, *COUNTS)


PEAK = """
import sys
from rosenblatt.cli import main
try:
    main()
finally:
    print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
"""


def within_memory() -> Target:
    """Both sides measure bytes: ours what was held at most, the other what was allowed."""
    return Target("less", smaller(1).measured, smaller(1).reached, smaller(1).words)


@task("stream-memory", "peak memory of rosenblatt train, 5 GB of CSV", "what was allowed", within_memory())
def peak() -> Pair:
    path, model = written("large", numbers, LARGE * share()), cache_folder() / "large-ours"
    words = ("train", path, "--target", "label", "--memory", memory(), "--quiet", "--model", model)

    def held() -> float:
        command = [sys.executable, "-c", PEAK, *map(str, words), "--cache", str(cache_folder() / "large-cache")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return float(done.stderr.split()[-1]) * 1024

    return Pair(held, lambda: float(memory()))


@task("stream-rate", "a later pass of the perceptron, cache of 5 GB of CSV", "dd of that cache", rate(0.5))
def pass_rate() -> Pair:
    path, model = written("large", numbers, LARGE * share()), cache_folder() / "large-ours"
    folder = cache_folder() / "large-cache"
    words = ("train", path, "--target", "label", "--memory", memory(), "--cache", folder, "--quiet", "--json")
    options = ("--algorithm", "perceptron", "--max-iter", 4, "--model", model)  # SGD has more to do than to read
    run(*OURS, *words, *options)
    return Pair(epoch(words, options, model), copied(folder))


def epoch(words: tuple[object, ...], options: tuple[object, ...], model: Path) -> Stopwatch:
    """The seconds of an epoch but the first, as the model's own history has them."""
    from rosenblatt import load

    def seconds() -> float:
        assert json.loads(run(*OURS, *words, *options))["epochs"] > 1
        return float(min(load(model)[-1].history_["seconds"][1:]))

    return seconds


def copied(folder: Path) -> Stopwatch:
    def seconds() -> float:
        [values] = folder.glob("*/train.values")
        start = time.perf_counter()
        run("dd", f"if={values}", "of=/dev/null", "bs=1M")
        return time.perf_counter() - start

    return seconds
