"""Choose penalty, strength, lift and n-grams for a table by the loss of rows to train on that are left out in turn.

The rows held out to measure the model take no part. All trials share one encoding for each number of n-grams, fitted to
all rows to train on, and the same folds. An encoding knows no labels: what it takes from the rows left out is the scale
of their numbers, their categories and how frequent their words are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from .. import _core
from ..foundation.labels import check_left_out_classes, class_factors
from ..foundation.seeds import draw_seed
from ..foundation.threads import thread_count
from ..foundation.types import Floats, Places
from ..parts.features import as_features
from ..parts.penalties import PENALTIES, penalties_of
from ..solvers.training_plan import TrainingPlan
from ..solvers.tuning.fold_path import SEARCH_TOLERANCE, PenaltyPath
from ..solvers.tuning.search import STRENGTHS, Search, SearchProgress, seconds_counted
from ..solvers.tuning.tuning import TrialRecord, Tuning
from ..tables.read.batches import TEXT
from ..tables.survey.encoded_table import EncodedTable
from .fit_rows import choose_plan, weights_by_label
from .outcome import Outcome
from .request import MAX_OPTIMUM_VALUES, NamedPlan, Request
from .training_job import TrainingJob, as_input_errors

LIFTS = ("identity", "polynomial-2")
MAX_LIFTED_COLUMNS = 10_000  # of a table that a lift is tried on
NGRAMS = (1, 2)
L1_RATIO = 0.5  # of the elastic net
MAX_ELASTIC_NET_COLUMNS = 2_000  # with 4,250 columns of sms_spam it took 2.7 s of processor time for one C

OnSearch = Callable[[SearchProgress], None]


class TunedTable(NamedTuple):
    """A job whose request has the parameters that were chosen, the table encoded for them, and what was tried."""

    job: TrainingJob
    table: EncodedTable
    tuning: Tuning | None

    def noted(self, outcome: Outcome) -> Outcome:
        """The outcome, whose model file keeps what was tried."""
        if self.tuning is None:
            return outcome
        about = {**outcome.model.about, "tuning": self.tuning.as_dict()}
        return replace(outcome, model=replace(outcome.model, about=about), tuning=self.tuning)


def tune_table(job: TrainingJob, table: EncodedTable, watch: OnSearch | None = None) -> TunedTable:
    """Choose the parameters that the request leaves open. Without `tune` everything stays as it is."""
    request = job.request
    if not request.tune:
        return TunedTable(job, table, None)
    with as_input_errors(job.source):
        check_left_out_classes("tune", table.labels, table.train.codes)
        tables = dict(_encodings(request, table))
        request, paths = _comparable_paths(request, tables)
        C, limit = request.parameters.get("C"), request.parameters.get("max_seconds")
        search = Search(
            paths,
            table.train.codes,
            len(table.labels),
            _row_weights(request, table),
            draw_seed(request.seed),
            thread_count(None),
            STRENGTHS if C is None else (C,),
            limit,
            watch,
        )
        tuning = search.run()
    chosen = tuning.chosen
    if chosen is None and tuning.ended == "interrupted":
        raise KeyboardInterrupt
    ngrams = request.ngrams if chosen is None else int(chosen.settings.get("ngrams", request.ngrams))
    plan = None if chosen is None else next(path.plan for path in paths if path.settings == chosen.settings)
    tuned, searched = tuned_request(request, chosen, ngrams, plan), seconds_counted(limit, tuning.seconds)
    return TunedTable(replace(job, request=tuned, searched=searched), tables.get(ngrams, table), tuning)


def tuned_request(request: Request, chosen: TrialRecord | None, ngrams: int, plan: TrainingPlan | None) -> Request:
    """The request with the parameters that were chosen."""
    parameters = dict(request.parameters)
    if chosen is not None:
        parameters |= _parameters(chosen.settings) | {"C": chosen.C}
    if isinstance(plan, NamedPlan) and plan.early:
        parameters["tol"] = plan.tol
    return replace(request, tune=(), parameters=parameters, ngrams=ngrams)


def _parameters(settings: Any) -> dict[str, Any]:
    """The parameters of a classifier among the settings; defaults are left out."""
    defaults = {"penalty": "l2", "features": "identity"}
    return {name: value for name, value in settings.items() if name != "ngrams" and defaults.get(name) != value}


def _encodings(request: Request, table: EncodedTable) -> Iterator[tuple[int, EncodedTable]]:
    """The table with each number of n-grams to try."""
    yield request.ngrams, table
    if "ngrams" in request.tune and TEXT in table.encoder.kinds.values():
        assert table.encode_again is not None
        for ngrams in NGRAMS:
            if ngrams != request.ngrams:
                yield ngrams, table.encode_again(replace(request, ngrams=ngrams))


def _comparable_paths(request: Request, tables: Mapping[int, EncodedTable]) -> tuple[Request, list[PenaltyPath]]:
    """All paths, and the request that they are made for.

    Losses of joint classes and of classes one-vs-rest cannot be compared. Where a penalty has no joint solver, all
    paths are one-vs-rest.
    """
    paths = [path for ngrams, encoded in tables.items() for path in _paths(request, encoded, ngrams)]
    if len({path.plan.is_joint for path in paths}) == 1:
        return request, paths
    return _comparable_paths(replace(request, multi_class="ovr"), tables)


def _paths(request: Request, table: EncodedTable, ngrams: int) -> Iterator[PenaltyPath]:
    """A path for each lift and penalty to try. Each penalty is the parent of the next, which takes longer."""
    words = {"ngrams": ngrams} if TEXT in table.encoder.kinds.values() else {}
    for lift in _lifts(request, table):
        parent = None
        for penalty in _penalties(request, as_features(lift).columns(table.train.encoded.columns)):
            settings = {**penalty, "features": lift, **words}
            plan = _plan(request, table, settings)
            parent = PenaltyPath(settings, plan, partial(_rows_at, table, plan), parent)
            yield parent


def _lifts(request: Request, table: EncodedTable) -> tuple[str, ...]:
    """The lifts to try: products of columns where the table is small enough, and its columns are no words."""
    given = request.parameters.get("features")
    if "features" not in request.tune:
        return (given or LIFTS[0],)
    rows, encoded = len(table.train.codes), table.train.encoded
    width = -(-encoded.stored // max(rows, 1))
    squares = as_features(LIFTS[1])
    small = (
        TEXT not in table.encoder.kinds.values()
        and encoded.columns * (encoded.columns + 3) // 2 <= MAX_LIFTED_COLUMNS
        and rows * squares.columns(width) <= MAX_OPTIMUM_VALUES
    )
    return LIFTS if small else LIFTS[:1]


def _penalties(request: Request, columns: int) -> list[dict[str, Any]]:
    """The penalties to try, those first that take the least time."""
    given = request.parameters
    if "penalty" not in request.tune:
        return [{name: given[name] for name in ("penalty", "l1_ratio") if given.get(name) is not None}]
    plan = request.plan(classes=2)
    names = [name for name in penalties_of(plan.recipe.loss) if PENALTIES[name].has_strength]
    if given.get("bounds") is not None:
        names = ["l2"]
    if columns > MAX_ELASTIC_NET_COLUMNS:
        names = [name for name in names if name != "elasticnet"]
    return [{"penalty": name} | ({"l1_ratio": L1_RATIO} if name == "elasticnet" else {}) for name in names]


def _plan(request: Request, table: EncodedTable, settings: dict[str, Any]) -> NamedPlan:
    """The plan for some settings; a table whose plan stops early is trained to the tolerance of the search."""
    parameters = {**request.parameters, **_parameters(settings), "C": request.parameters.get("C") or 1.0}
    wanted = replace(request, tune=(), parameters=parameters)
    rows = table.train.encoded
    _, plan = choose_plan(wanted, len(table.labels), rows.stored, rows.columns, table.encoder)
    return replace(plan, tol=SEARCH_TOLERANCE["newton"]) if plan.early else plan


def _rows_at(table: EncodedTable, plan: TrainingPlan, places: Places) -> _core.Rows:
    return plan.recipe.lifted(table.train.encoded.select(places).rows())


def _row_weights(request: Request, table: EncodedTable) -> Floats | None:
    factors = class_factors(weights_by_label(request, table.labels), table.labels, table.train.codes, None)
    return None if factors is None else factors[table.train.codes]
