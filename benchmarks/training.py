"""Training: ours and the peer's for the same number of epochs, or to the same result."""

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks.datasets import gaussian, imdb, mnist
from benchmarks.optimum import DATASETS
from benchmarks.peers import VOWPAL_WABBIT_CONSTANT, fewest_epochs, vowpal_wabbit_rows
from benchmarks.tasks import Goal, Pair, faster, task, within
from benchmarks.timing import stopwatch
from rosenblatt import AveragedPerceptron, LinearSVM, LogisticRegression, Perceptron

AVERAGED = "AveragedPerceptron, 10 epochs, IMDB tf-idf"
SEPARATED = "Perceptron to no mistakes, working set, 100,000 x 500"


def accuracies(ours: float, peer: float) -> str:
    return f"training accuracy {ours:.4f}, peer {peer:.4f}"


def same_epochs(ours, peer, X, y: np.ndarray) -> Pair:
    """Both fitted for as many epochs as ours takes: it stops before `max_iter` only once it makes no mistakes."""
    epochs = ours.fit(X, y).n_iter_
    peer.set_params(max_iter=epochs, tol=None)
    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(lambda: peer.fit(X, y)),
        lambda: f"{epochs} epochs, " + accuracies(ours.score(X, y), peer.score(X, y)),
    )


def ten_epochs(X: np.ndarray, y: np.ndarray) -> Pair:
    return same_epochs(Perceptron(max_iter=10, random_state=0), ScikitPerceptron(random_state=0), X, y)


@task("dense", "Perceptron, 10 epochs shuffled, 480,000 x 100 float64", "scikit-learn Perceptron", faster(3))
def dense() -> Pair:
    return ten_epochs(*gaussian(480_000, 100))


@task("dense-mlpack", "Perceptron, 10 epochs in given order, 480,000 x 100 float64", "mlpack perceptron", faster(1))
def dense_mlpack() -> Pair:
    """mlpack visits rows in the given order only, and keeps one weight vector for each of the two classes."""
    import mlpack

    X, y = gaussian(480_000, 100)
    labels = (y > 0).astype(np.uint64)
    ours = Perceptron(order="cyclic", max_iter=10)
    epochs = ours.fit(X, y).n_iter_

    def fit() -> object:
        return mlpack.perceptron(training=X, labels=labels, max_iterations=epochs)["output_model"]

    def accuracy() -> float:
        return float(np.mean(np.ravel(mlpack.perceptron(input_model=fit(), test=X)["predictions"]) == labels))

    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(fit),
        lambda: f"{epochs} epochs, " + accuracies(ours.score(X, y), accuracy()),
    )


@task("mnist-float64", "Perceptron, 10 epochs, MNIST 60,000 x 784 float64", "scikit-learn Perceptron", faster(2.5))
def mnist_float64() -> Pair:
    return ten_epochs(*mnist(np.float64))


@task("mnist-float32", "Perceptron, 10 epochs, MNIST 60,000 x 784 float32", "scikit-learn Perceptron", faster(5))
def mnist_float32() -> Pair:
    return ten_epochs(*mnist(np.float32))


@task("imdb", AVERAGED, "SGDClassifier, averaged, its defaults", faster(2))
def imdb_defaults() -> Pair:
    """The defaults are another recipe (an L2 penalty, a falling step) for the same number of visits."""
    ours = AveragedPerceptron(max_iter=10, random_state=0)
    peer = SGDClassifier(loss="perceptron", average=True, random_state=0)
    return same_epochs(ours, peer, *imdb())


@task("imdb-same", AVERAGED, "SGDClassifier, averaged, same recipe", faster(2))
def imdb_same_recipe() -> Pair:
    """scikit-learn moves the offset of sparse rows by a hundredth of the step: our constant coordinate is then 0.1."""
    ours = AveragedPerceptron(max_iter=10, random_state=0, intercept_scaling=0.1)
    peer = SGDClassifier(
        loss="perceptron", average=True, penalty=None, learning_rate="constant", eta0=1.0, random_state=0
    )
    return same_epochs(ours, peer, *imdb())


@task("imdb-wabbit", AVERAGED, "Vowpal Wabbit, online hinge", faster(1))
def imdb_vowpal_wabbit() -> Pair:
    """It has no perceptron loss and no averaging: the nearest is plain online hinge, read from its binary cache."""
    from vowpalwabbit import Workspace

    X, y = imdb()
    rows = vowpal_wabbit_rows("imdb", X, y)
    ours = AveragedPerceptron(max_iter=10, random_state=0)
    epochs = ours.fit(X, y).n_iter_
    bits = int(X.shape[1]).bit_length()
    command = (
        f"-d {rows} -c --passes {epochs} --holdout_off --loss_function hinge --sgd -l 1 --power_t 0 -b {bits} --quiet"
    )

    def accuracy() -> float:
        workspace = Workspace(command)
        weights = np.array([workspace.get_weight(column) for column in range(X.shape[1])])
        offset = workspace.get_weight(VOWPAL_WABBIT_CONSTANT)
        workspace.finish()
        return float(np.mean(np.where(X @ weights + offset > 0, 1, -1) == y))

    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(lambda: Workspace(command).finish()),
        lambda: f"{epochs} epochs, " + accuracies(ours.score(X, y), accuracy()),
    )


def descents(loss: str, dataset: str) -> Pair:
    """Stochastic gradient descent on the same objective, the last weights kept; each side takes its own steps."""
    X, y = DATASETS[dataset]()
    shared = {"alpha": 1e-4, "random_state": 0}
    descent = {"solver": "sgd", "keep": "last", "max_iter": 10, "tol": 0.0}
    if loss == "hinge":
        return same_epochs(LinearSVM(**descent, **shared), SGDClassifier(**shared), X, y)
    return same_epochs(LogisticRegression(**descent, **shared), SGDClassifier(loss="log_loss", **shared), X, y)


def descents_on_all(loss: str, learner: str) -> Goal:
    work = f"{learner} by SGD, 10 epochs"
    each = tuple(
        task(f"sgd-{loss}-{dataset.lower()}", f"{work}, {dataset}", "SGDClassifier", faster(2))(
            partial(descents, loss, dataset)
        )
        for dataset in DATASETS
    )
    return Goal(f"{work}, geometric mean", "SGDClassifier", faster(2), each)


sgd_logistic = descents_on_all("logistic", "LogisticRegression")
sgd_hinge = descents_on_all("hinge", "LinearSVM")


def to_separation(
    X: np.ndarray, y: np.ndarray, peer: Callable[[], object], predict: Callable[[], np.ndarray], note: str = ""
) -> Pair:
    """Ours in working-set order until no mistakes are left, and the peer until it has none left either."""
    ours = Perceptron(order="working-set", random_state=0)

    def remark() -> str:
        left, left_by_peer = np.count_nonzero(ours.predict(X) != y), np.count_nonzero(predict() != y)
        return f"mistakes left {left}, peer {left_by_peer}{note}"

    return Pair(stopwatch(lambda: ours.fit(X, y)), stopwatch(peer), remark)


def to_separation_by_epochs(peer) -> Pair:
    """The peer cannot stop at no mistakes, so it is told how many epochs that takes."""
    X, y = gaussian(100_000, 500)

    def mistakes(epochs: int) -> int:
        return int(np.count_nonzero(peer.set_params(max_iter=epochs).fit(X, y).predict(X) != y))

    epochs = fewest_epochs(type(peer).__name__, mistakes)
    peer.set_params(max_iter=epochs)
    return to_separation(X, y, lambda: peer.fit(X, y), lambda: peer.predict(X), f" after {epochs} epochs")


@task("separate", SEPARATED, "scikit-learn Perceptron, the epochs it needs", faster(20))
def separate() -> Pair:
    return to_separation_by_epochs(ScikitPerceptron(tol=None, random_state=0))


@task("separate-liblinear", SEPARATED, "LIBLINEAR, hinge, the epochs it needs", faster(1))
def separate_liblinear() -> Pair:
    return to_separation_by_epochs(LinearSVC(loss="hinge", tol=1e-9, random_state=0))


@task("separate-mlpack", SEPARATED, "mlpack perceptron, until it stops", faster(1))
def separate_mlpack() -> Pair:
    import mlpack

    X, y = gaussian(100_000, 500)
    labels = (y > 0).astype(np.uint64)

    def fit() -> object:
        return mlpack.perceptron(training=X, labels=labels, max_iterations=100_000)["output_model"]

    def predict() -> np.ndarray:
        return np.where(np.ravel(mlpack.perceptron(input_model=fit(), test=X)["predictions"]) == 1, 1, -1)

    return to_separation(X, y, fit, predict)


@task("scaling", "Perceptron, 10 epochs, 2,000,000 x 100", "the same on 200,000 rows", within(10.5))
def scaling() -> Pair:
    X, y = gaussian(2_000_000, 100)
    few, many = slice(200_000), slice(None)
    epochs = {}

    def fit(rows: slice) -> None:
        epochs[rows.stop] = Perceptron(max_iter=10, random_state=0).fit(X[rows], y[rows]).n_iter_

    return Pair(
        stopwatch(lambda: fit(many)),
        stopwatch(lambda: fit(few)),
        lambda: f"{epochs[None]} epochs, of the fewer rows {epochs[200_000]}",
    )
