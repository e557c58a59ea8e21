"""How many mistakes a classifier makes beyond the fewest that any hyperplane makes on the same rows."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...foundation.label_sets import refuse_several_labels
from ...foundation.notebook_html import ShownInNotebooks, share_picture
from ...parts.features import features_of
from ..exact.lifted_problem import make_problem
from ..margin.distances import hyperplanes_of_model
from .fewest_mistakes_result import FewestMistakes
from .minimum_mistakes import minimum_mistakes


@dataclass(frozen=True)
class DistanceFromBest(ShownInNotebooks):
    """The `mistakes` of a model (margins <= 0, counted exactly), and `best`, the bounds on the fewest possible.

    The model makes at most `at_most` and at least `at_least` mistakes more than the best hyperplane. Both are the same
    if `best` is proved.
    """

    mistakes: int
    best: FewestMistakes

    @property
    def at_most(self) -> int:
        return self.mistakes - self.best.lower_bound

    @property
    def at_least(self) -> int:
        return max(0, self.mistakes - self.best.mistakes)

    def _picture(self) -> str:
        right = 1 - self.mistakes / self.best.rows
        return share_picture(right, f"{100 * right:.1f} % of the rows are right")

    def __str__(self) -> str:
        made = f"{self.mistakes:,} mistake{'s' if self.mistakes != 1 else ''} in {self.best.rows:,} rows"
        if self.at_most == 0:
            return f"{made}: no hyperplane makes fewer"
        if self.at_most == self.at_least:
            return f"{made}: {self.at_most:,} away from the best possible"
        return f"{made}: at most {self.at_most:,} away from the best possible"


def distance_from_best(model: Any, X: Any, y: Any, time_limit: float | None = 10.0) -> Any:
    """Compare a linear model with the fewest mistakes of any hyperplane; see a classifier's `distance_from_best`.

    The model has two classes, or more of them one-vs-rest: then the answer is a dict by class.
    """
    refuse_several_labels(model, "distance_from_best")
    coef, intercept = hyperplanes_of_model(model)
    labels, features = model.classes_.tolist(), features_of(model)
    if len(labels) > 2 and getattr(model, "multi_class_", getattr(model, "multi_class", "ovr")) != "ovr":
        raise ValueError(
            "The classes were trained jointly (multi_class_ is 'joint'), so that no class has a hyperplane of its own. "
            "Use multi_class='ovr'."
        )
    pairs = [tuple(labels)] if len(labels) == 2 else [(None, label) for label in labels]
    offset = bool(getattr(model, "fit_intercept", True))
    answers = []
    for weights, constant, classes in zip(coef, intercept, pairs, strict=True):
        problem = make_problem(X, y, offset, classes, features)
        if problem.columns != len(weights):
            made = f", which lifted become {problem.columns}" if problem.columns != problem.inputs else ""
            raise ValueError(f"X has {problem.inputs} columns{made}, but the model has {len(weights)} weights.")
        plane = [Fraction(value) for value in weights.tolist()] + [Fraction(float(constant))] * offset
        wrong = len(problem.nonpositive_rows(problem.scale_weights(plane)).rows)
        best = minimum_mistakes(X, y, offset, time_limit, classes=classes, features=features)
        answers.append(DistanceFromBest(wrong, best))
    return answers[0] if len(labels) == 2 else dict(zip(labels, answers, strict=True))
