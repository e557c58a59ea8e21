"""Training of perceptrons and by stochastic gradient descent, for the same epochs or to the same result."""

from collections.abc import Callable
from functools import partial
from itertools import cycle

import numpy as np
from sklearn.linear_model import Perceptron as ScikitPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks.datasets import DATASETS, cache_folder, gaussian, imdb, mnist
from benchmarks.peers import VOWPAL_WABBIT_CONSTANT, fewest_epochs, write_vowpal_wabbit
from benchmarks.tasks import Goal, Pair, faster, needs, nothing, task, within
from benchmarks.timing import Stopwatch, stopwatch
from rosenblatt import AveragedPerceptron, LinearSVM, LogisticRegression, Perceptron

AVERAGED = "AveragedPerceptron, 10 epochs, IMDB tf-idf"
SEPARATED = "Perceptron until no mistakes, working-set order, 100,000 x 500"
CALLS = 1000  # of partial_fit in a run


def accuracies(ours: float, peer: float) -> str:
    return f"training accuracy {ours:.4f}, peer {peer:.4f}"


def same_epochs(ours, peer, X, y: np.ndarray) -> Pair:
    """Both fitted for as many epochs as ours takes. Ours stops before `max_iter` only when it makes no mistakes."""
    epochs = int(np.max(ours.fit(X, y).n_iter_))  # LogisticRegression has one number a class
    peer.set_params(max_iter=epochs, tol=None)
    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(lambda: peer.fit(X, y)),
        lambda: f"{epochs} epochs, " + accuracies(ours.score(X, y), peer.score(X, y)),
    )


def ten_epochs(X: np.ndarray, y: np.ndarray) -> Pair:
    return same_epochs(
        Perceptron(max_iter=10, n_iter_no_change=10, random_state=0), ScikitPerceptron(random_state=0), X, y
    )


@task("dense", "Perceptron, 10 epochs, shuffled order, 480,000 x 100 float64", "scikit-learn Perceptron", faster(3))
def dense() -> Pair:
    return ten_epochs(*gaussian(480_000, 100))


@task("dense-mlpack", "Perceptron, 10 epochs, given order, 480,000 x 100 float64", "mlpack perceptron", faster(1))
def dense_mlpack() -> Pair:
    """mlpack visits rows in the given order only, and has one weight vector for each of the two classes."""
    X, y = gaussian(480_000, 100)
    labels = (y > 0).astype(np.uint64)
    ours = Perceptron(order="cyclic", max_iter=10, n_iter_no_change=10)
    epochs = ours.fit(X, y).n_iter_

    def fit() -> object:
        import mlpack

        return mlpack.perceptron(training=X, labels=labels, max_iterations=epochs)["output_model"]

    def accuracy() -> float:
        import mlpack

        return float(np.mean(np.ravel(mlpack.perceptron(input_model=fit(), test=X)["predictions"]) == labels))

    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(fit),
        lambda: f"{epochs} epochs, " + accuracies(ours.score(X, y), accuracy()),
        needs("mlpack"),
    )


@task("mnist-float64", "Perceptron, 10 epochs, MNIST 60,000 x 784 float64", "scikit-learn Perceptron", faster(2.5))
def mnist_float64() -> Pair:
    return ten_epochs(*mnist(np.float64))


@task("mnist-float32", "Perceptron, 10 epochs, MNIST 60,000 x 784 float32", "scikit-learn Perceptron", faster(5))
def mnist_float32() -> Pair:
    return ten_epochs(*mnist(np.float32))


@task("imdb", AVERAGED, "SGDClassifier, averaged, default parameters", faster(5))
def imdb_defaults() -> Pair:
    """The defaults differ (an L2 penalty, a decreasing step), but the number of visits is the same."""
    ours = AveragedPerceptron(max_iter=10, random_state=0)
    peer = SGDClassifier(loss="perceptron", average=True, random_state=0)
    return same_epochs(ours, peer, *imdb())


@task("imdb-same", AVERAGED, "SGDClassifier, averaged, our parameters", faster(5))
def imdb_same_parameters() -> Pair:
    """On sparse rows scikit-learn updates the intercept by 1/100 of the step, as `intercept_scaling=0.1` does."""
    ours = AveragedPerceptron(max_iter=10, random_state=0, intercept_scaling=0.1)
    peer = SGDClassifier(
        loss="perceptron", average=True, penalty=None, learning_rate="constant", eta0=1.0, random_state=0
    )
    return same_epochs(ours, peer, *imdb())


@task("imdb-wabbit", AVERAGED, "Vowpal Wabbit, online hinge", faster(1))
def imdb_vowpal_wabbit() -> Pair:
    """It has no perceptron loss and no averaging. The nearest is online hinge loss, from its binary cache."""
    X, y = imdb()
    rows = cache_folder() / "imdb-tfidf.vw"
    ours = AveragedPerceptron(max_iter=10, random_state=0)
    epochs = ours.fit(X, y).n_iter_
    bits = int(X.shape[1]).bit_length()
    command = (
        f"-d {rows} -c --passes {epochs} --holdout_off --loss_function hinge --sgd -l 1 --power_t 0 -b {bits} --quiet"
    )

    def prepare_peer() -> None:
        import vowpalwabbit  # noqa: F401

        write_vowpal_wabbit(rows, X, y)

    def fit() -> None:
        from vowpalwabbit import Workspace

        Workspace(command).finish()

    def accuracy() -> float:
        from vowpalwabbit import Workspace

        workspace = Workspace(command)
        weights = np.array([workspace.get_weight(column) for column in range(X.shape[1])])
        offset = workspace.get_weight(VOWPAL_WABBIT_CONSTANT)
        workspace.finish()
        return float(np.mean(np.where(X @ weights + offset > 0, 1, -1) == y))

    return Pair(
        stopwatch(lambda: ours.fit(X, y)),
        stopwatch(fit),
        lambda: f"{epochs} epochs, " + accuracies(ours.score(X, y), accuracy()),
        prepare_peer,
    )


def sgd(loss: str, dataset: str) -> Pair:
    """Stochastic gradient descent on the same objective, last weights; each side uses its own step sizes."""
    X, y = DATASETS[dataset]()
    shared = {"alpha": 1e-4, "random_state": 0}
    descent = {"solver": "sgd", "keep": "last", "max_iter": 10, "tol": 0.0}
    if loss == "hinge":
        return same_epochs(LinearSVM(**descent, **shared), SGDClassifier(**shared), X, y)
    return same_epochs(LogisticRegression(**descent, **shared), SGDClassifier(loss="log_loss", **shared), X, y)


def sgd_on_all(loss: str, learner: str) -> Goal:
    work = f"{learner} by SGD, 10 epochs"
    each = tuple(
        task(f"sgd-{loss}-{dataset.lower()}", f"{work}, {dataset}", "SGDClassifier", faster(2))(
            partial(sgd, loss, dataset)
        )
        for dataset in DATASETS
    )
    return Goal(f"{work}, geometric mean", "SGDClassifier", faster(2), each)


sgd_logistic = sgd_on_all("logistic", "LogisticRegression")
sgd_hinge = sgd_on_all("hinge", "LinearSVM")


def to_separation(
    X: np.ndarray,
    y: np.ndarray,
    peer: Callable[[], object],
    predict: Callable[[], np.ndarray],
    prepare_peer: Callable[[], object] = nothing,
    note: Callable[[], str] = str,
) -> Pair:
    """Both sides until no mistakes are left, ours in working-set order."""
    ours = Perceptron(order="working-set", random_state=0)

    def remark() -> str:
        left, left_by_peer = np.count_nonzero(ours.predict(X) != y), np.count_nonzero(predict() != y)
        return f"mistakes left {left}, peer {left_by_peer}{note()}"

    return Pair(stopwatch(lambda: ours.fit(X, y)), stopwatch(peer), remark, prepare_peer)


def to_separation_by_epochs(peer) -> Pair:
    """The peer cannot stop at no mistakes, so it runs the number of epochs that this takes."""
    X, y = gaussian(100_000, 500)

    def mistakes(epochs: int) -> int:
        return int(np.count_nonzero(peer.set_params(max_iter=epochs).fit(X, y).predict(X) != y))

    def limit_peer() -> None:
        peer.set_params(max_iter=fewest_epochs(type(peer).__name__, mistakes))

    def note() -> str:
        return f" after {peer.max_iter} epochs"

    return to_separation(X, y, lambda: peer.fit(X, y), lambda: peer.predict(X), limit_peer, note)


@task("separate", SEPARATED, "scikit-learn Perceptron, fewest epochs that suffice", faster(20))
def separate() -> Pair:
    return to_separation_by_epochs(ScikitPerceptron(tol=None, random_state=0))


@task("separate-liblinear", SEPARATED, "LIBLINEAR, hinge, fewest epochs that suffice", faster(1))
def separate_liblinear() -> Pair:
    return to_separation_by_epochs(LinearSVC(loss="hinge", tol=1e-9, random_state=0))


@task("separate-mlpack", SEPARATED, "mlpack perceptron, until it stops", faster(1))
def separate_mlpack() -> Pair:
    X, y = gaussian(100_000, 500)
    labels = (y > 0).astype(np.uint64)

    def fit() -> object:
        import mlpack

        return mlpack.perceptron(training=X, labels=labels, max_iterations=100_000)["output_model"]

    def predict() -> np.ndarray:
        import mlpack

        return np.where(np.ravel(mlpack.perceptron(input_model=fit(), test=X)["predictions"]) == 1, 1, -1)

    return to_separation(X, y, fit, predict, needs("mlpack"))


@task("scaling", "Perceptron, 10 epochs, 20,000,000 x 20", "the same on 2,000,000 rows", within(10.5))
def scaling() -> Pair:
    """Both lie beyond the last cache: 320 MB are more than any has."""
    X, y = gaussian(20_000_000, 20)
    few, many = slice(2_000_000), slice(None)
    epochs = {}

    def fit(rows: slice) -> None:
        epochs[rows.stop] = Perceptron(max_iter=10, n_iter_no_change=10, random_state=0).fit(X[rows], y[rows]).n_iter_

    return Pair(
        stopwatch(lambda: fit(many)),
        stopwatch(lambda: fit(few)),
        lambda: f"{epochs[None]} epochs, {epochs[2_000_000]} on 2,000,000 rows",
    )


@task("threads", "Perceptron, 10 epochs, 480,000 x 100, two threads", "one thread", faster(1.4))
def two_threads() -> Pair:
    X, y = gaussian(480_000, 100)
    two, one = (Perceptron(max_iter=10, n_iter_no_change=10, random_state=0, n_jobs=jobs) for jobs in (2, 1))

    def remark() -> str:
        return "same bits" if np.array_equal(two.coef_, one.coef_) else "DIFFERENT BITS"

    return Pair(stopwatch(lambda: two.fit(X, y)), stopwatch(lambda: one.fit(X, y)), remark)


def partial_fits(model, X: np.ndarray, y: np.ndarray) -> Stopwatch:
    """Time `partial_fit` of one row, over the rows in turn."""
    model.partial_fit(X[:1], y[:1], classes=[-1, 1])
    rows = cycle([(X[i : i + 1], y[i : i + 1]) for i in range(len(X))])
    return stopwatch(lambda: model.partial_fit(*next(rows)), CALLS)


@task("partial-fit", "partial_fit, one row of 100", "scikit-learn Perceptron", faster(20))
def partial_fit() -> Pair:
    X, y = gaussian(10_000, 100)
    ours, peer = Perceptron(), ScikitPerceptron()
    return Pair(
        partial_fits(ours, X, y),
        partial_fits(peer, X, y),
        lambda: f"accuracy afterwards {ours.score(X, y):.4f}, peer {peer.score(X, y):.4f}",
    )
