"""Docstrings of classifiers. The paragraphs that several share are written here, once, and filled in where they belong.

A classifier's own docstring says what is its own: its rule, examples, references, and the parameters or attributes that
mean something else there. A new one that other classifiers will share is one more paragraph below.
"""

import re
from collections.abc import Iterable
from inspect import cleandoc, signature
from typing import TypeVar

Class = TypeVar("Class", bound=type)

PARAMETERS = """
order : {"cyclic", "shuffle-once", "shuffle", "random-mistake", "working-set", "batch"}
    Which row is visited next; `rosenblatt.parts.orders` has the rules. "working-set" is the fast way to separate data
    that can be separated.
eta0 : float > 0
    The step, or the numerator of a falling one.
step : {"constant", "1/t", "1/sqrt(t)"}
    eta_t, where t counts visits (passes for the batch order).
keep : {"last", "average", "best"}
    Which weights are returned: after the last visit, their mean over all visits, or the best met.
criterion : {"mistakes", "loss", "gradient", "weights"}
    What `tol` is compared with at the end of each epoch: the share of misclassified rows, the mean loss, the norm
    of the mean gradient, or the relative change of w. The middle two cost one more pass an epoch.
tol : float >= 0
    The quality that is enough.
max_iter : int >= 1
    Epochs at most; n visits make one epoch in every order.
n_iter_no_change : int >= 1 or None
    End after so many epochs without a better value of the criterion, but not before 10,000 visits (or 200 epochs):
    epochs of few rows differ by luck.
max_seconds : float > 0 or None
    End after so much time.
fit_intercept : bool
    Learn an offset b: the weight of one more coordinate with the constant value `intercept_scaling`.
intercept_scaling : float, not 0
    That constant.
multi_class : {"ovr", "joint"}
    More than two classes: a plane for each, against the rest, or all together. Two classes need one plane.
features : {"identity", "polynomial-2", "fourier-100"}, or a part such as `Polynomial(3)`
    The space to work in: the columns as they are, all products of up to 2 (or more) of them, or so many random cosines
    that stand for the Gaussian kernel. Lifted rows are made when they are visited, never stored.
class_weight : dict, "balanced" or None
    Factors of the rows' steps by class.
warm_start : bool
    Start `fit` from the weights of the last one.
random_state : int, RandomState or None
    Seeds the orders. The same seed gives the same bits on every machine and number of threads.
n_jobs : int or None
    Threads; None for all cores. Results do not depend on it.
verbose : int
    1 reports on stderr every two seconds, 2 more often.
"""

DESCENT_PARAMETERS = """
C : float > 0 or None
    The weight of the losses beside the penalty: large values fit the rows more closely. None is 1.0, unless alpha is
    given.
alpha : float > 0 or None
    Another spelling, alpha = 1 / (C sum_i s_i): the penalty beside the mean loss. Not together with C.
penalty : {"l2"} or None
    1/2 ||w||^2, or nothing.
solver : {"optimum", "gd", "sgd"}
    To the optimum, with a proof of how near; gradient descent, where all rows make one step; or stochastic gradient
    descent, where every row makes a step.
tol : float >= 0 or None
    The quality that is enough. "optimum": the gradient as a share of that at w = 0 (None is 1e-6, for joint classes
    1e-9), or the duality gap of the hinge as a share of the objective (1e-8). "gd" and "sgd": see `criterion`; None
    is 1e-4 for "gd", 1e-3 for "sgd" (1e-4 with the squared hinge). With `early_stopping`: how much better counts; None
    is 1e-4.
max_iter : int >= 1 or None
    Steps of "optimum" (epochs for the hinge) or epochs of "gd" and "sgd" at most; None is 1000.
order : {"cyclic", "shuffle-once", "shuffle", "random-mistake"} or None
    Which row "sgd" visits next; `rosenblatt.parts.orders` has the rules. None is "shuffle".
step : {"constant", "1/t", "1/sqrt(t)", "pegasos"} or None
    eta_t of "gd" and "sgd", where t counts visits (passes for "gd"); "pegasos" is 1 / (alpha t). None is "constant"
    for "gd" and for the squared hinge, else "1/sqrt(t)".
eta0 : float > 0 or None
    The step of "gd" and "sgd" on the mean loss, or the numerator of a falling one. None is for "gd" 1 / L, where L
    bounds the curvature (each step below 2 / L goes downhill), for "sgd" 50 / (mean of ||x||^2), or 0.1 / that mean if
    constant.
keep : {"last", "average", "best"} or None
    Which weights "gd" and "sgd" return: after the last visit, their mean over all visits, or those with the fewest
    mistakes. None is "last" for "gd", "average" for "sgd".
criterion : {"gradient", "loss", "weights", "mistakes"} or None
    What `tol` is compared with at the end of each epoch of "gd" and "sgd": the norm of the mean gradient or the mean
    loss, for one more pass an epoch; the relative change of w, for a copy of w; or the share of misclassified rows,
    which the visits count. None is "gradient" for "gd", "weights" for "sgd". With `early_stopping` "loss", which None
    is, or "mistakes", of the rows held out.
n_iter_no_change : int >= 1 or None
    End "gd" or "sgd" after so many epochs without a better value of the criterion, but not before 10,000 visits (or 200
    epochs). With `early_stopping` at once; None is 5 there.
penalize_intercept : bool
    Count the offset's weight in the penalty too.
early_stopping : bool
    Hold out rows, judge by them the weights of each epoch that would be returned, return the best, and end when they
    become no better.
validation_fraction : float, above 0 and below 1
    The share of each class that `early_stopping` holds out.
"""

DESCENT_ATTRIBUTES = """
n_iter_, n_visits_, n_updates_, n_mistakes_ : int
    Epochs or steps; dot products of a row with w; moves of w; visits with margin <= 0 ("optimum": of the last weights).
history_ : dict of arrays
    "optimum": one entry a step: visits, objective, gradient or gap, seconds. "gd" and "sgd": one an epoch: visits,
    updates, mistakes, loss (the mean over the visits, each before its move), seconds; `objective` where the criterion
    is the loss or the gradient; `held_out` with `early_stopping`.
objective_ : float
    C sum_i s_i loss_i + 1/2 ||w||^2 of the weights returned, afresh; without a penalty sum_i s_i loss_i. One-vs-rest
    planes are added up.
gradient_norm_ : float
    After "optimum" with a smooth loss: the norm of the objective's gradient, afresh, as a share of that at w = 0.
duality_gap_ : float
    After "optimum" with the hinge: how far the objective can be above its minimum, as a share of it, afresh.
"""

ATTRIBUTES = """
coef_, intercept_ : arrays
    One plane for two classes, one a class for more.
classes_ : array
    The labels, sorted; of two, `classes_[1]` is the positive side.
n_iter_, n_visits_, n_updates_, n_mistakes_ : int
    Epochs; dot products of a row with w, checks included; moves of w; visits with margin <= 0.
status_ : Status
    Why training ended: a sentence, with `reason` and the `mistakes` that the returned weights make.
history_ : dict of arrays
    One entry an epoch: visits, updates, mistakes, loss (the mean over the visits, each before its move), seconds.
trace_ : dict of arrays
    After `fit(X, y, trace=True)`: visit, row (-1 for a batch), margin, change and norm of every move of w; with
    several classes also `rival`, the class that a joint move lowers, or `class`, whose plane moved.
"""


def documented(classifier: Class) -> Class:
    """Complete a classifier's docstring: all parameters in the order of its signature, all attributes.

    Paragraphs of its own take the place of shared ones; a parameter that has neither is a KeyError. The two sections
    end up before its examples.

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
    tol : float >= 0
        The quality that is enough.
    colour : str
        Its own.
    """
    if classifier.__doc__ is None:  # python -OO
        return classifier
    doc, own_parameters = _taken_out("Parameters", cleandoc(classifier.__doc__))
    doc, own_attributes = _taken_out("Attributes", doc)
    rule, examples, rest = doc.partition("Examples\n--------\n")
    descends = "solver" in signature(classifier).parameters
    known = paragraphs(PARAMETERS) | (paragraphs(DESCENT_PARAMETERS) if descends else {}) | own_parameters
    parameters = [known[name] for name in signature(classifier).parameters]
    shared = paragraphs(ATTRIBUTES) | (paragraphs(DESCENT_ATTRIBUTES) if descends else {})
    attributes = (shared | own_attributes).values()
    classifier.__doc__ = "".join(
        [rule, _section("Parameters", parameters), _section("Attributes", attributes), examples, rest]
    )
    return classifier


def paragraphs(text: str) -> dict[str, str]:
    """Paragraphs by name; lines that are not indented begin one."""
    return {part.partition(" : ")[0]: part for part in re.split(r"\n(?=\S)", text.strip())}


def _taken_out(title: str, doc: str) -> tuple[str, dict[str, str]]:
    """A docstring without one of its sections, and the paragraphs of that section."""
    found = re.search(rf"{title}\n-+\n(.*?)(\n\n|\Z)", doc, re.DOTALL)
    return (doc[: found.start()] + doc[found.end() :], paragraphs(found[1])) if found else (doc, {})


def _section(title: str, paragraphs: Iterable[str]) -> str:
    return "\n".join([title, "-" * len(title), *paragraphs]) + "\n\n"
