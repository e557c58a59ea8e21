"""Docstrings of classifiers: paragraphs that several classifiers share are written here once.

A classifier's own docstring holds its rule, examples and references, and the parameters or attributes that have another
meaning there. To share a paragraph, add it to one of the texts below.
"""

import re
from collections.abc import Iterable
from inspect import cleandoc, signature
from typing import TypeVar

Class = TypeVar("Class", bound=type)

PARAMETERS = """
order : {"cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"}
    The rule that picks the next row; see `rosenblatt.parts.orders`. "working-set" is the fastest on separable data.
eta0 : float > 0
    The step size, or the numerator of a decreasing one.
step : {"constant", "1/t", "1/sqrt(t)"}
    The step size eta_t, where t counts visits (passes for the batch order).
keep : {"last", "average", "best"}
    The weights to return: those after the last visit, their mean over all visits, or the best found.
criterion : {"mistakes", "loss", "gradient", "weights"}
    The quantity compared with `tol` after each epoch: the share of misclassified rows, the mean loss, the norm of the
    mean gradient, or the relative change of w. "loss" and "gradient" cost one more pass per epoch.
tol : float >= 0 or None
    Training ends when the criterion is at most this. None means 0.
max_iter : int >= 1
    The maximum number of epochs; n visits make one epoch in every order.
n_iter_no_change : int >= 1 or None
    End after this many epochs without a better value of the criterion, but not before 10,000 visits (or 200 epochs):
    epochs of few rows vary by chance.
max_seconds : float > 0 or None
    End after this many seconds.
fit_intercept : bool
    Learn an offset b: the weight of an extra coordinate with the constant value `intercept_scaling`.
intercept_scaling : float, not 0
    The value of the constant coordinate.
multi_class : {"ovr", "joint", "auto"}
    For more than two classes: one plane per class against the rest, or all planes jointly ("auto" is "joint" here).
    Two classes need one plane. Where rows have several labels, each has its plane and "joint" is refused.
features : {"identity", "polynomial-2", "fourier-100"}, or a part such as `Polynomial(3)`
    The feature space: the columns as they are, all products of up to 2 (or more) columns, or random Fourier features
    that approximate the Gaussian kernel. Lifted rows are computed on demand, never stored.
class_weight : dict, "balanced" or None
    Factors by class that multiply the steps of the rows. Where rows have several labels: of the two sides of each, or
    in a dict of the rows that have the label.
warm_start : bool
    Start `fit` from the weights of the previous fit.
random_state : int, RandomState or None
    Seeds the orders. The same seed gives the same bits on every machine and number of threads.
n_jobs : int or None
    The number of threads; None uses all cores. Results do not depend on it.
verbose : int
    1 prints progress on standard error every two seconds, 2 more often.
calibration : {"platt", "isotonic"} or None
    Fit `predict_proba` to scores: Platt's scaling, or isotonic regression, which needs thousands of rows. Five more
    trainings, each without a fifth of the rows, give the scores. Labels stay those of the scores.
encode : bool
    Take tables with categories, texts, dates and missing values, of pandas, polars or Arrow: a `TableEncoder` fitted
    inside turns the columns into numbers, one-hot and sparse; numbers are centred and scaled. `predict` takes the same
    columns.
"""

DESCENT_PARAMETERS = """
C : float > 0, "auto" or None
    The weight of the loss against the penalty: larger values fit the rows more closely. None means 1.0, unless alpha
    is given; inf means no penalty. "auto" takes that of 17 values from 1e-4 to 1e4 which has the least mean loss on
    rows that are left out in five folds; `random_state` chooses the folds. Needs "optimum".
alpha : float > 0 or None
    The strength of the penalty on the mean loss: alpha = 1 / (C sum_i s_i). Give C or alpha, not both.
penalty : {"l2", "l1", "elasticnet"} or None
    1/2 ||w||^2; ||w||_1, which makes many weights exactly 0; a mixture of both; or no penalty. "l1" and "elasticnet"
    go with "optimum" (the proof is a duality gap) and with "sgd" (the cumulative rule of Tsuruoka et al.).
l1_ratio : float from 0 to 1, optional
    The share r of ||w||_1 in penalty="elasticnet", r ||w||_1 + (1 - r) / 2 ||w||^2.
solver : {"optimum", "gd", "sgd"}
    "optimum" reaches the optimum and proves how close it is; "gd" is gradient descent, one step per pass; "sgd" is
    stochastic gradient descent, one step per row.
tol : float >= 0 or None
    The tolerance. "optimum": the gradient as a share of that at w = 0 (None means 1e-6, for joint classes 1e-9), or
    the duality gap of the hinge as a share of the objective (1e-8; for joint classes with more than 1,500 weights in
    all, 1e-4). "gd" and "sgd": see `criterion`; None means 1e-4 for "gd", 1e-3 for "sgd" (1e-4 with the squared hinge).
    With `early_stopping`: the least improvement that counts; None means 1e-4.
max_iter : int >= 1 or None
    The maximum number of steps of "optimum" (epochs for the hinge) or epochs of "gd" and "sgd"; None means 1000.
order : {"cyclic", "shuffle-once", "shuffle", "random-mistake"} or None
    The rule that picks the next row of "sgd"; see `rosenblatt.parts.orders`. None means "shuffle".
step : {"constant", "1/t", "1/sqrt(t)", "pegasos"} or None
    The step size eta_t of "gd" and "sgd", where t counts visits (passes for "gd"); "pegasos" is 1 / (alpha t). None
    means "constant" for "gd" and for the squared hinge, else "1/sqrt(t)".
eta0 : float > 0 or None
    The step size of "gd" and "sgd" on the mean loss, or the numerator of a decreasing one. None means 1 / L for "gd",
    where L bounds the curvature (steps below 2 / L decrease the objective); for "sgd" 50 / (mean of ||x||^2), or
    0.1 / (mean of ||x||^2) if constant.
keep : {"last", "average", "best"} or None
    The weights that "gd" and "sgd" return: those after the last visit, their mean over all visits, or those with the
    fewest mistakes. None means "last" for "gd" and for penalties that leave weights at 0, "average" for "sgd".
criterion : {"gradient", "loss", "weights", "mistakes"} or None
    The quantity compared with `tol` after each epoch of "gd" and "sgd": the norm of the mean gradient or the mean loss
    (each costs one more pass per epoch), the relative change of w (costs a copy of w), or the share of misclassified
    rows (costs nothing). None means "gradient" for "gd", "weights" for "sgd". With `early_stopping` it is measured on
    the held-out rows: "loss" (None) or "mistakes".
n_iter_no_change : int >= 1 or None
    End "gd" or "sgd" after this many epochs without a better value of the criterion, but not before 10,000 visits (or
    200 epochs). With `early_stopping` there is no such minimum, and None means 5.
penalize_intercept : bool
    Include the offset in the penalty.
bounds : pair (low, high) or None
    The least and the largest weight, such as (0, None): numbers, None for no bound, or one for each column of `coef_`.
    The offset is free. They go with "optimum", penalty="l2" and the smooth losses; several classes are "ovr".
early_stopping : bool
    Hold out rows, measure the weights of each epoch on them, return the best, and end when they improve no more.
validation_fraction : float, above 0 and below 1
    The share of each class that `early_stopping` holds out.
"""

DESCENT_ATTRIBUTES = """
n_iter_, n_visits_, n_updates_, n_mistakes_ : int
    Epochs or steps; dot products of a row with w; updates of w; visits with margin <= 0 ("optimum": mistakes of the
    last weights).
history_ : dict of arrays
    "optimum": one entry per step: visits, objective, gradient or gap, seconds. "gd" and "sgd": one entry per epoch:
    visits, updates, mistakes, loss (the mean over the visits, each before its update), seconds; `objective` if the
    criterion is the loss or the gradient; `held_out` with `early_stopping`.
objective_ : float
    C sum_i s_i loss_i and the penalty of the returned weights, recomputed; without a penalty sum_i s_i loss_i. The
    objectives of one-vs-rest planes are added.
gradient_norm_ : float
    After "optimum" with a smooth loss and penalty: the norm of the objective's gradient, recomputed, as a share of that
    at w = 0. With `bounds`: that of the gradient where weights could still move.
C_ : float
    After C="auto": the C that was taken.
C_one_standard_error_ : float
    After C="auto": of the Cs whose mean loss is at most one standard error above the least, the one with the fewest
    weights that are not 0, and of these the smallest.
cv_results_ : dict of arrays
    After C="auto", one entry for each C as in GridSearchCV: param_C, mean_test_score (minus the mean loss of the rows
    left out), split0_test_score and so on, rank_test_score, mean_fit_time; also standard_error, and abandoned, which
    says why a C was not tried on all folds.
duality_gap_ : float
    After "optimum" with the hinge, or with penalty="l1" or "elasticnet": a bound on the distance to the minimum,
    recomputed, as a share of the objective.
"""

ATTRIBUTES = """
coef_, intercept_ : arrays
    One plane for two classes, else one per class, or one per label where rows have several.
classes_ : array
    The labels, sorted; of two, `classes_[1]` is the positive side. The columns of a matrix of labels keep their order.
multilabel_ : bool
    Whether rows have several labels, or none.
multi_class_ : str
    How several classes were trained: "ovr" or "joint".
n_iter_, n_visits_, n_updates_, n_mistakes_ : int
    Epochs; dot products of a row with w, including checks; updates of w; visits with margin <= 0.
status_ : Status
    Why training ended: a sentence, with its `reason` and the `mistakes` of the returned weights.
history_ : dict of arrays
    One entry per epoch: visits, updates, mistakes, loss (the mean over the visits, each before its update), seconds.
trace_ : dict of arrays
    After `fit(X, y, trace=True)`: visit, row (-1 for a batch), margin, change and norm of every update of w; with
    several classes also `rival`, the class that a joint update lowers, or `class`, whose plane is updated.
"""

CALIBRATION_ATTRIBUTES = """
calibration_error_, calibrated_log_loss_ : float
    After `fit` with `calibration`: how far probabilities are from the shares of rows, and the mean of -log(probability
    of the true class), each of rows that the calibration was not fitted to.
"""


def documented(classifier: Class) -> Class:
    """Complete a classifier's docstring with all parameters, in the order of its signature, and all attributes.

    The classifier's own paragraphs replace shared ones. A parameter without a paragraph raises a KeyError. The two
    sections are placed before the examples.

    >>> @documented
    ... class Example:
    ...     '''What it does.
    ...
    ...     Parameters
    ...     ----------
    ...     colour : str
    ...         Its own.
    ...
    ...     Examples
    ...     --------
    ...     None.
    ...     '''
    ...
    ...     def __init__(self, tol=0, colour="red"): ...
    >>> print(Example.__doc__.partition("\\n\\nAttributes")[0])
    What it does.
    <BLANKLINE>
    Parameters
    ----------
    tol : float >= 0 or None
        Training ends when the criterion is at most this. None means 0.
    colour : str
        Its own.
    """
    if classifier.__doc__ is None:  # python -OO
        return classifier
    doc, own_parameters = _remove_section("Parameters", cleandoc(classifier.__doc__))
    doc, own_attributes = _remove_section("Attributes", doc)
    rule, examples, rest = doc.partition("Examples\n--------\n")
    descends = "solver" in signature(classifier).parameters
    known = paragraphs(PARAMETERS) | (paragraphs(DESCENT_PARAMETERS) if descends else {}) | own_parameters
    parameters = [known[name] for name in signature(classifier).parameters]
    shared = paragraphs(ATTRIBUTES) | (paragraphs(DESCENT_ATTRIBUTES) if descends else {})
    shared |= paragraphs(CALIBRATION_ATTRIBUTES) if "calibration" in signature(classifier).parameters else {}
    attributes = (shared | own_attributes).values()
    classifier.__doc__ = "".join(
        [rule, _section("Parameters", parameters), _section("Attributes", attributes), examples, rest]
    )
    return classifier


def paragraphs(text: str) -> dict[str, str]:
    """Return paragraphs by name. A line that is not indented begins one."""
    return {part.partition(" : ")[0]: part for part in re.split(r"\n(?=\S)", text.strip())}


def _remove_section(title: str, doc: str) -> tuple[str, dict[str, str]]:
    """Return a docstring without one of its sections, and the paragraphs of that section."""
    found = re.search(rf"{title}\n-+\n(.*?)(\n\n|\Z)", doc, re.DOTALL)
    return (doc[: found.start()] + doc[found.end() :], paragraphs(found[1])) if found else (doc, {})


def _section(title: str, paragraphs: Iterable[str]) -> str:
    return "\n".join([title, "-" * len(title), *paragraphs]) + "\n\n"
