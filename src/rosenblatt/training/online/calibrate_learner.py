"""The model of a learner with probabilities, fitted to the scores of its recent rows before they were learned."""

from dataclasses import replace

from ...classifiers.calibration.probability_quality import ProbabilityQuality
from ...model.model import Model
from ..calibrate import calibrate_model
from .online_learner import OnlineLearner


def calibrate_learner(learner: OnlineLearner) -> tuple[Model, ProbabilityQuality | None]:
    """The model so far with probabilities, and how good these are.

    Until recent rows suffice, a learner that began with a model keeps the probabilities of that model.
    """
    sample = learner.recent.sample(learner.classes)
    model, quality = calibrate_model(learner.model(), sample, learner.request.seed)
    model = replace(model, learned=learner.stream.without_call_counts())
    first = learner.calibration
    if model.calibration is None and first is not None:
        model = replace(model, parameters={**model.parameters, "calibration": first.method}, calibration=first)
    return model, quality
