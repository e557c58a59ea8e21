"""Training on files larger than memory: from a file to a model, each side in its own process, same number of epochs.

Ours reads the file twice, writes its cache and trains from it, within 1 GiB. Vowpal Wabbit writes its cache in the
first pass, from a file converted before the timing. scikit-learn's `partial_fit` reads pandas chunks in every pass.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.commands import OURS, accuracy, run
from benchmarks.datasets import output_folder
from benchmarks.large_files import SEED_OF_TEST, numbers, size_factor, texts, write_rows
from benchmarks.tasks import Mark, Pair, faster, needs, nothing, share, smaller, task
from benchmarks.timing import Stopwatch, stopwatch

GIB = 1 << 30
PASSES = 10
TABLE, TEXT, LARGE = (size * size_factor() for size in (2e9, 1e9, 5e9))  # bytes
TEST = 2e7

TRAIN_TABLE = f"rosenblatt train, {TABLE / 1e9:g} GB of CSV, {PASSES} epochs"
TRAIN_TEXT = f"rosenblatt train, {TEXT / 1e9:g} GB of text, {PASSES} epochs"
LARGE_TABLE = f"{LARGE / 1e9:g} GB of CSV"

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
Workspace(f"-t -i {model} --quiet --data {data} -p {model}.predictions").finish()
predicted = [float(line) > 0 for line in open(f"{model}.predictions")]
true = [line.startswith("1") for line in open(data)]
print(sum(a == b for a, b in zip(predicted, true)) / len(true))
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


def memory_limit() -> int:
    """The `--memory` of ours: less for smaller files, so that they do not fit."""
    return max(int(GIB * size_factor()), 256 << 20)


def ours(path: Path, model: Path, *options: object) -> str:
    words = ("train", path, "--target", "label", "--test-fraction", 0, "--max-iter", PASSES, "--memory", memory_limit())
    folder = output_folder() / "cache"
    return run(*OURS, *words, "--cache", folder, "--quiet", "--json", "--model", model, *options)


def against(script: str, name: str, make: Callable[..., object], size: float, *options: object) -> Pair:
    """Both sides train from a file; the remark has the test accuracy of both.

    The files are read once before the timing, so that both sides find them in the page cache.
    """
    path, test = write_rows(name, make, size), write_rows(name, make, TEST, SEED_OF_TEST)
    model, other = output_folder() / f"{name}-ours", output_folder() / f"{name}-peer"
    vowpal_wabbit = script is VOWPAL_WABBIT
    given = [each.with_suffix(".vw") if vowpal_wabbit else each for each in (path, test)]
    printed = []
    for file in {path, given[0]}:
        run("dd", f"if={file}", "of=/dev/null", "bs=1M")

    def peer() -> None:
        printed[:] = run(sys.executable, "-c", f"passes = {PASSES}\n{script}", given[0], other, given[1]).split()

    def remark() -> str:
        words = printed or run(sys.executable, "-c", VOWPAL_WABBIT_TEST, given[1], other).split()
        return f"test accuracy {accuracy(model, test):.2%}, peer {float(words[-1]):.2%}"

    prepare_peer = needs("vowpalwabbit") if vowpal_wabbit else nothing
    return Pair(stopwatch(lambda: ours(path, model, "--no-cache", *options)), stopwatch(peer), remark, prepare_peer)


# In these texts the number of times a word occurs matters; in real ones it mostly does not.
COUNTS = ("--word-counts", "--algorithm", "passive-aggressive", "--set", "C=0.1", "--set", "keep=average")
# All epochs in the order of the file, as the peers do.
SGD = ("--algorithm", "logistic", "--set", "solver=sgd", "--set", "tol=0", "--order", "cyclic")


@task(
    "table-vw",
    TRAIN_TABLE,
    "Vowpal Wabbit, cache, converted file",
    faster(1.5),
)
def table_vowpal_wabbit() -> Pair:
    return against(VOWPAL_WABBIT, "table", numbers, TABLE, *SGD)


@task("table", TRAIN_TABLE, "pandas chunks, SGDClassifier.partial_fit", faster(10))
def table() -> Pair:
    return against(NUMBERS, "table", numbers, TABLE, *SGD)


@task(
    "text-vw",
    TRAIN_TEXT,
    "Vowpal Wabbit, cache, converted file",
    faster(1.5),
)
def text_vowpal_wabbit() -> Pair:
    return against(VOWPAL_WABBIT, "text", texts, TEXT, *COUNTS)


@task(
    "text",
    TRAIN_TEXT,
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


def within_memory() -> Mark:
    """Our peak memory is below the limit; both sides are bytes."""
    return Mark("less", smaller(1).ratio, smaller(1).met, smaller(1).unit)


@task("memory", f"peak memory of rosenblatt train, {LARGE_TABLE}", "the --memory limit", within_memory())
def peak_memory() -> Pair:
    path, model = write_rows("large", numbers, LARGE), output_folder() / "large-ours"
    words = ("train", path, "--target", "label", "--memory", memory_limit(), "--quiet", "--model", model)

    def peak_bytes() -> float:
        command = [sys.executable, "-c", PEAK, *map(str, words), "--cache", str(output_folder() / "large-cache")]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return float(done.stderr.split()[-1]) * 1024

    return Pair(peak_bytes, lambda: float(memory_limit()))


@task("cache-rate", f"one perceptron epoch from the cache of {LARGE_TABLE}", "dd of the same cache", share(0.5))
def cache_rate() -> Pair:
    path, model = write_rows("large", numbers, LARGE), output_folder() / "large-ours"
    folder = output_folder() / "large-cache"
    words = ("train", path, "--target", "label", "--memory", memory_limit(), "--cache", folder, "--quiet", "--json")
    options = ("--algorithm", "perceptron", "--max-iter", 4, "--model", model)  # SGD would be limited by its arithmetic
    run(*OURS, *words, *options)
    return Pair(epoch_seconds(words, options, model), read_seconds(folder))


def epoch_seconds(words: tuple[object, ...], options: tuple[object, ...], model: Path) -> Stopwatch:
    """The shortest epoch after the first, from the history of the model."""
    from rosenblatt import load

    def seconds() -> float:
        assert json.loads(run(*OURS, *words, *options))["epochs"] > 1
        return float(min(load(model)[-1].history_["seconds"][1:]))

    return seconds


def read_seconds(folder: Path) -> Stopwatch:
    def seconds() -> float:
        [values] = folder.glob("*/train.values")
        start = time.perf_counter()
        run("dd", f"if={values}", "of=/dev/null", "bs=1M")
        return time.perf_counter() - start

    return seconds
