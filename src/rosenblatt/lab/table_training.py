"""A table to train on in the lab, by the same steps as `rosenblatt train`: split, encode, train, measure.

A large table is sampled, so that it opens in seconds; the page says so, and can ask for all rows.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.result import Watch
from ..foundation.errors import InputError
from ..foundation.memory import release_free_memory
from ..foundation.phrases import count
from ..foundation.splitting import TEST
from ..foundation.threads import thread_count
from ..foundation.types import Floats, Places
from ..model.explanation import lifts, term_names
from ..model.model import Model
from ..model.predict import has_probabilities, probabilities
from ..parts.catalogue import ALGORITHMS
from ..tables.encode.encoded_rows import concatenate_rows
from ..tables.encode.encoder import Encoder
from ..tables.encode.prepare import prepare_encoder, row_pieces, select_rows
from ..tables.read.batches import CATEGORY, Batch, Source
from ..tables.read.column_names import find_target
from ..tables.survey.encode_table import TimedTable
from ..tables.survey.held_table import HeldTable, survey_held
from ..tables.survey.table_task import TableTask
from ..training.calibrate import calibrate_outcome
from ..training.make_report import make_report
from ..training.outcome import Outcome
from ..training.report_hints import report_hints
from ..training.request import AUTO, Request
from ..training.score_sample import ScoreSample
from ..training.train_table import train_encoded
from ..training.training_job import TrainingJob
from .run_request import parse_classifier, require_type, short_repr
from .seen_model import JudgedProbabilities, SeenModel
from .table_cells import BatchCells
from .weight_space import WeightSpace

MAX_CELLS = 8_000_000  # of rows to train on in a sample; eight bytes of text count as one cell
ALGORITHM_NAMES = {algorithm.class_name: name for name, algorithm in ALGORITHMS.items()}


class TrainableTable:
    """A table in memory, its rows split as `rosenblatt train` does."""

    def __init__(
        self, source: Source, target: str | None, drop: Sequence[str] = (), kinds: Mapping[str, str] | None = None
    ) -> None:
        target = find_target(source, target)
        self.source, self.target = source, target
        self.request = Request(target=target, drop=tuple(drop), kinds=dict(kinds or {}))
        self._unfitted = prepare_encoder(source, self.request, target)
        batches = source.read_all({**self._unfitted.reading(), target: CATEGORY})
        release_free_memory()  # that reading took: wide files need several times their size
        self._held = survey_held(TableTask(source, self.request, target), batches)
        self.every = _sampling_step(batches, int((self._held.uses != TEST).sum()))

    def see(self, content: Mapping[str, Any], watch: Watch) -> SeenModel:
        """Train the classifier that a request names, and score the rows. `watch` hears of the training."""
        whole = require_type(content.get("whole", False), "whole", bool)
        places = _sampled_places(self._held, 1 if whole else self.every)
        held = replace(
            self._held,
            batches=select_rows(self._held.batches, places),
            codes=self._held.codes[places],
            uses=self._held.uses[places],
        )
        table, sample = held.encode(deepcopy(self._unfitted)), ScoreSample()
        job = TrainingJob(self.source, self._request(content), self.target, watch)
        outcome = train_encoded(job, TimedTable(table, time.perf_counter()), sample)
        outcome = calibrate_outcome(job, table, outcome, sample)
        notes = [] if whole or self.every == 1 else [_sample_note(held, self._held)]
        seen = see_table(outcome.model, held.batches, held.codes, held.uses, places + 1)
        return replace(
            seen,
            judged=_judged(outcome, seen, sample, job.request.seed),
            notes=[*notes, *_hints(outcome)],
            all_rows=len(self._held.codes),
        )

    def _request(self, content: Mapping[str, Any]) -> Request:
        """The request of `train` for the classifier and parameters of a page's request."""
        learner = content.get("learner", AUTO)
        parameters = require_type(content.get("parameters", {}), "parameters", dict)
        if learner == AUTO:
            if parameters:
                raise InputError("The automatic choice has no parameters: choose a learner to set them.")
            return self.request
        entry, parameters = parse_classifier(learner, parameters)
        if entry.name not in ALGORITHM_NAMES:
            raise InputError(
                f"learner must be {AUTO} or one of {', '.join(ALGORITHM_NAMES)}, not {short_repr(learner)}."
            )
        own = {"multi_class": parameters.pop("multi_class")} if parameters.get("multi_class") else {}
        parameters.pop("multi_class", None)
        return replace(self.request, algorithm=ALGORITHM_NAMES[entry.name], parameters=parameters, **own)


def _sampling_step(batches: Sequence[Batch], trained_rows: int) -> int:
    """n for a sample of every n-th row to train on; 1 if the table is small."""
    rows: int = sum(batch.table.num_rows for batch in batches)
    cells: int = sum(max(batch.table.num_rows * batch.table.num_columns, batch.table.nbytes // 8) for batch in batches)
    return max(1, -(-cells * trained_rows // (rows * MAX_CELLS)))


def _sampled_places(held: HeldTable, every: int) -> Places:
    """The places of every n-th row to train on, and of all rows held out."""
    return np.sort(np.concatenate([np.flatnonzero(held.uses != TEST)[::every], np.flatnonzero(held.uses == TEST)]))


def _sample_note(sample: HeldTable, table: HeldTable) -> str:
    some, every = (int((one.uses != TEST).sum()) for one in (sample, table))
    return f"Trained on a sample of {some:,} of the {count(every, 'row')} to train on, to answer in seconds."


def _hints(outcome: Outcome) -> list[str]:
    """What `rosenblatt train` tells after its report, as sentences."""
    return [f"{hint[0].upper()}{hint[1:]}." for hint in report_hints(make_report(outcome))]


def _judged(outcome: Outcome, seen: SeenModel, sample: ScoreSample, seed: int) -> JudgedProbabilities | None:
    """The probabilities that figures are measured on: none of them was fitted to its own row."""
    model = outcome.model
    if model.calibration is not None:
        found = sample.left_out_probabilities(model.calibration, len(model.classes), seed)
        return JudgedProbabilities(found, sample.codes)
    return judged_on_measured(seen)


def judged_on_measured(seen: SeenModel) -> JudgedProbabilities | None:
    """The probabilities of the rows that figures are measured on, by a model that has its own."""
    if seen.probabilities is None:
        return None
    return JudgedProbabilities(seen.probabilities[seen.measured], seen.codes[seen.measured])


def see_table(model: Model, batches: Sequence[Batch], codes: Any, uses: Any, numbers: Places) -> SeenModel:
    """What a model with an encoder says of the rows of batches."""
    assert model.encoder is not None
    encoder, learned = model.encoder, model.learned
    scores = np.concatenate([model.scores_of(part, thread_count(None)) for part in _encoded_pieces(model, batches)])
    if not np.isfinite(scores).all():
        raise InputError("The table holds numbers too large for this model: are the units those it was trained on?")
    return SeenModel(
        name=model.class_name,
        classes=[str(label) for label in model.classes.tolist()],
        codes=codes,
        uses=uses,
        numbers=numbers,
        scores=scores,
        decided=model.decide(scores),
        cells=BatchCells(batches, encoder),
        space=_weight_space(model, batches),
        probabilities=probabilities(model, scores) if has_probabilities(model) else None,
        judged=None,
        status=str(learned.status),
        history=getattr(learned, "history", {}),
        all_rows=len(codes),
    )


def _encoded_pieces(model: Model, batches: Sequence[Batch]) -> Iterator[Any]:
    """The rows encoded some at a time."""
    assert model.encoder is not None
    for batch in batches:
        yield from (model.encoder.encode(piece) for piece, _ in row_pieces(batch))


def _weight_space(model: Model, batches: Sequence[Batch]) -> WeightSpace | None:
    """The space of the encoded columns, or of the terms that they are lifted to; None for a kernel."""
    if getattr(model.learned, "support", None) is not None:
        return None
    assert model.encoder is not None
    encoder, names = model.encoder, term_names(model)
    columns = names if lifts(model) else _renamed_owners(encoder, ("text", "numbered"))
    owners = () if lifts(model) else _renamed_owners(encoder, ("numbered",))

    def read(places: Places) -> Any:
        encoded = concatenate_rows([encoder.encode(part) for part in select_rows(batches, places)]).matrix()
        return model.features.transform(encoded) if lifts(model) else encoded

    return WeightSpace(_floats(model.learned.coef), _floats(model.learned.intercept), names, columns, owners, read)


def _renamed_owners(encoder: Encoder, kinds: Sequence[str]) -> list[str]:
    """The table's column of each encoded column; for columns of these kinds, the name of the encoded column itself."""
    by_name = {name for name, kind in encoder.kinds.items() if kind in kinds}
    return [name if owner in by_name else owner for name, owner in zip(encoder.names, encoder.owners, strict=True)]


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)
