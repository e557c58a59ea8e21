"""Give a trained model probabilities: calibrate its scores of rows that it was not trained on.

Rows held out to measure the model serve, because a calibration changes no decision. Else those that early stopping held
out serve. Where these are few, rows to train on serve too, each scored by a training without its fold, unless the table
is large. The same rows serve in memory and on the disk.
"""

from dataclasses import replace

import numpy as np

from ..classifiers.calibration.probability_quality import ProbabilityQuality, probability_quality
from ..foundation.seeds import draw_seed
from ..foundation.splitting import TEST, all_but, folds
from ..foundation.threads import thread_count
from ..model.model import Model
from ..model.predict import has_probabilities, probabilities
from ..tables.survey.encoded_table import ROWS_SCORED_AT_A_TIME, EncodedTable
from .fit_rows import choose_plan, fit_plan
from .outcome import Outcome, measure
from .request import NamedPlan
from .score_sample import FOLDS, ScoreSample
from .training_job import TrainingJob

ENOUGH_ROWS = 100  # held out; with fewer, the rows to train on are scored too
LEFT_OUT_ROWS = 2_000  # scored so are enough: a calibration has few parameters, and each fold costs a training
MAX_CROSS_FIT_VALUES = 1 << 22  # stored values up to which this is done: seconds, and some 50 MB


def calibrate_outcome(job: TrainingJob, table: EncodedTable, outcome: Outcome, sample: ScoreSample) -> Outcome:
    """The outcome with a model that has probabilities, if rows allow it, and how good they are.

    `sample` are the scores of the rows held out.
    """
    model = outcome.model
    if not has_probabilities(model):
        if table.stop is not None and not sample.rows:
            measure(model, table.stop.pieces(ROWS_SCORED_AT_A_TIME), sample)
        if sample.rows < ENOUGH_ROWS and can_cross_fit(table) and model.learned.status.reason != "interrupted":
            add_left_out_scores(job, table, model, outcome.plan, sample)
    model, quality = calibrate_model(model, sample, job.request.seed)
    return replace(outcome, model=model, quality=quality)


def calibrate_model(model: Model, sample: ScoreSample, seed: int) -> tuple[Model, ProbabilityQuality | None]:
    """The model with probabilities, if it has none of its own and the rows suffice, and how good they are."""
    classes = len(model.classes)
    if has_probabilities(model):
        own = probability_quality(probabilities(model, sample.scores), sample.codes) if sample.rows else None
        return model, own
    calibration = sample.calibrate(classes)
    if calibration is None:
        return model, None
    parameters = {**model.parameters, "calibration": calibration.method}
    quality = sample.quality(calibration, classes, seed)
    return replace(model, parameters=parameters, calibration=calibration), quality


def note_without_probabilities(job: TrainingJob, table: EncodedTable) -> str | None:
    """What to tell the user before training if the model will have no probabilities."""
    held_out = table.stop is not None or table.counts[TEST].any() or job.request.folds is not None
    if held_out or can_cross_fit(table):
        return None
    rows = table.train.encoded
    _, plan = choose_plan(job.request, len(table.labels), rows.stored, rows.columns, table.encoder)
    if plan.algorithm == "logistic":
        return None
    return (
        "note: no rows are held out, so the model will have no probabilities: hold out a fraction of them if you need "
        "probabilities"
    )


def can_cross_fit(table: EncodedTable) -> bool:
    """Whether every fold can be left out: the table is not large, and each class has two rows or more."""
    counts = np.bincount(table.train.codes, minlength=len(table.labels))
    return bool(table.train.encoded.stored <= MAX_CROSS_FIT_VALUES and counts.min() > 1)


def add_left_out_scores(
    job: TrainingJob, table: EncodedTable, model: Model, plan: NamedPlan, sample: ScoreSample
) -> None:
    """Add scores of rows to train on, each by a training without its fold, until they suffice. Ctrl-C ends it early."""
    seconds = plan.recipe.stops.max_seconds
    if seconds is not None:  # all trainings together take as long as the first at most
        stops = replace(plan.recipe.stops, max_seconds=(seconds - job.searched) / FOLDS)
        plan = replace(plan, recipe=replace(plan.recipe, stops=stops))
    job, train = replace(job, checkpoint=None, watch=None, searched=0.0), table.train
    seed = draw_seed(job.request.seed) if plan.is_random else 0  # as the classifiers' own calibration
    for places in filter(len, folds(train.codes, FOLDS, seed)):
        rest = all_but(places, len(train.codes))
        learned = fit_plan(job, replace(table, train=train.select(rest)), plan)
        if learned.interrupted:
            return
        left_out = train.select(places)
        sample.add(replace(model, learned=learned).scores_of(left_out.encoded, thread_count(None)), left_out.codes)
        if sample.rows >= LEFT_OUT_ROWS:
            return
