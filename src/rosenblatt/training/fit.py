"""`rosenblatt.fit`: `rosenblatt train` as a Python function."""

import math
import os
import sys
import warnings
from contextlib import nullcontext
from io import TextIOBase
from pathlib import Path
from typing import Any

from ..engine.interrupts import defer_ctrl_c
from ..foundation.errors import InputError
from ..foundation.memory import DEFAULT_LIMIT, parse_size
from ..model.file import classifier_of
from ..parts.choices import AlgorithmName
from ..parts.parameter_checks import check_positive
from ..tables.cache.storage import Storage
from ..tables.read.pipe_reader import PipeReader
from ..tables.read.sources import note_models, open_source
from .checkpoint import open_checkpoint
from .fit_formula import fit_formula
from .make_report import make_report, make_stream_report
from .online.endless_input import EndlessInput
from .online.one_pass import option_needing_all_rows
from .report_text import report_content
from .request import AUTO, Request
from .train_table import train_table
from .tuning_options import open_choices

NOTE = "note: "  # before what the command line tells of a table or a training


def fit(
    source: Any,
    target: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 30.0,
    memory: int | str = DEFAULT_LIMIT,
    cache: str | os.PathLike[str] | bool | None = None,
    algorithm: AlgorithmName = "auto",
    predict_batch: int | None = None,
    executor: Any = None,
    formula: str | None = None,
    **options: Any,
) -> Any:
    """Learn to predict one column of a table from the others; as `rosenblatt train`, in Python.

    Parameters
    ----------
    source : path, list of paths, table, or open file
        CSV, TSV, Parquet, Arrow, JSON lines or LIBSVM, plain or compressed; a pattern, a partitioned folder, or a data
        frame of pandas, polars or Arrow. Paths may be addresses such as "s3://bucket/*.parquet". An open file or pipe
        is read once: beyond 1,000 rows, each row is predicted, then learned, on arrival
        (`report_["progressive_accuracy"]`).
    target : str
        The column to predict.
    checkpoint : path of a folder, optional
        Where the progress of training is kept. After a crash or a kill the same call resumes there, says so on standard
        error, and ends with the same bits. After the end it returns the model at once. Another call, or another table,
        is refused.
    checkpoint_every : float
        The longest time between two checkpoints, in seconds, above 0. At the end of an epoch one second is enough.
    memory : int or str
        The limit on the memory of the whole process. A table that needs more is read twice and trained on from the
        disk.
    cache : path, False or None
        The folder for tables that need more memory. None means $ROSENBLATT_CACHE, or the user's cache folder. The cache
        is used again next time; False deletes it after training.
    algorithm : str
        "auto" chooses by the table; the others are "perceptron", "averaged", "pocket", "passive-aggressive", "alma",
        "second-order", "arow", "svm" and "logistic".
    predict_batch : int, optional
        Of an open file: predict so many rows by one model, then learn them. By default each row is predicted by the
        model of all rows before it.
    executor : int, Dask client, address, Spark session or Executor, optional
        Who trains: so many processes of this machine, the workers of a Dask client or of the scheduler at an address
        such as "tcp://host:8786", those of a Spark session, or any `concurrent.futures.Executor`. The model has the
        same bits whoever trains, and however many. Logistic regression and the squared hinge are trained to the
        optimum, perceptrons and SGD by mixing; "auto" is logistic regression. Workers read the table and its cache, so
        both must be on file systems that all of them see.
    formula : str, optional
        Instead of a target: which columns to learn what from, such as "ill ~ age + C(drug):dose", read by formulaic
        (the extra `formula`). All rows are trained on, by logistic regression without a penalty unless `algorithm`,
        `penalty` or `C` says otherwise; `summary(model, table)` has standard errors and tests.
    **options
        `drop`, `kinds` ({column: "number", "category", "text", "date", "day-first" or "month-first"}), `ngrams`,
        `word_counts`, `test_fraction`, `split_column`, `folds`, `class_weight`, `seed`, and the classifier's own
        parameters, such as `C` or `features`. `tune=True` chooses penalty, C, features and n-grams, where these are not
        given, by the loss of rows to train on that are left out in turn; `report_["tuning"]` has all that was tried.

    Returns
    -------
    Pipeline
        scikit-learn's, of a `TableEncoder` and a classifier: it predicts from tables with the same columns, and `save`
        keeps it. `report_` says how many rows held out it gets right. Ctrl-C ends training, and what was learned so far
        is returned; `report_["reason"]` is "interrupted" then.

    Examples
    --------
    >>> from rosenblatt import fit
    >>> table = {"size": [1.0, 2.0, 8.0, 9.0] * 5, "colour": ["red", "red", "blue", "red"] * 5,
    ...          "kind": ["small", "small", "large", "large"] * 5}
    >>> model = fit(table, target="kind")
    >>> model.predict({"size": [1.5, 8.5], "colour": ["red", None]}).tolist()
    ['small', 'large']
    >>> model.report_["test_accuracy"]
    1.0
    """
    if not (target is None or isinstance(target, str)):
        raise InputError(
            f"target must be the name of a column of the table, not {type(target).__name__}: put the labels into the "
            "table, or give rows and labels to a classifier's own fit(X, y)."
        )
    own = {name: options.pop(name) for name in list(options) if name in Request.__dataclass_fields__}
    if formula is not None:
        others = {"target": target, "checkpoint": checkpoint, "executor": executor, "predict_batch": predict_batch}
        return fit_formula(source, formula, algorithm, others | own, options)
    if "tune" in own:
        own["tune"] = open_choices(own | options) if own["tune"] is True else own["tune"] or ()
    if "drop" in own:
        own["drop"] = (own["drop"],) if isinstance(own["drop"], str) else tuple(own["drop"])
    storage = _storage(memory, cache)
    check_positive("checkpoint_every", checkpoint_every)
    if executor is not None and algorithm == AUTO:
        algorithm = "logistic"
    request = Request(target=target, algorithm=algorithm, parameters=options, **own)
    if hasattr(source, "read"):
        if executor is not None:
            raise InputError("an open file is read only once, and an executor reads rows again: give its path.")
        return fit_file(source, request, checkpoint, 1 if predict_batch is None else predict_batch)
    if predict_batch is not None:
        raise InputError("predict_batch goes with an open file, which may never end: leave it out for tables.")
    opened = open_source(source)
    warn_of_note(note_models(opened) or "")
    keeping: Any = nullcontext()
    if checkpoint is not None:
        keeping = open_checkpoint(checkpoint, request, checkpoint_every, tell=lambda text: print(text, file=sys.stderr))
    with keeping as kept, _workers(executor) as pool:
        outcome = train_table(opened, request, checkpoint=kept, storage=storage, say=warn_of_note, executor=pool)
    model = classifier_of(outcome.model)
    model.report_ = report_content(make_report(outcome))
    return model


def _storage(memory: int | str, cache: str | os.PathLike[str] | bool | None) -> Storage:
    """The memory that may be used, and the folder of caches."""
    if not (cache is None or isinstance(cache, bool | str | os.PathLike)):
        raise InputError(f"cache must be a folder, False or None, not {cache!r}.")
    folder = None if cache is None or isinstance(cache, bool) else Path(cache)
    return Storage(parse_size(memory), folder, keep=cache is not False)


def warn_of_note(message: str) -> None:
    """Warn of what the command line tells as a note. Other messages are about caches and progress."""
    if message.startswith(NOTE):
        warnings.warn(message.removeprefix(NOTE) + ".", stacklevel=3)


def _workers(executor: Any) -> Any:
    """The workers of an executor, while they are used."""
    if executor is None:
        return nullcontext()
    from ..distributed.executors import open_executor

    return open_executor(executor)


def fit_file(file: Any, request: Request, checkpoint: Any = None, predict_batch: int = 1) -> Any:
    """Fit a pipeline to an open file until it ends, or until Ctrl-C or `max_seconds`."""
    needing = option_needing_all_rows(request) if checkpoint is None else "checkpoint"
    if needing is not None:
        raise InputError(f"{needing} needs all rows at once, and an open file is read only once: give its path.")
    if isinstance(file, TextIOBase):
        raise InputError("an open file must give bytes: open it with mode 'rb'.")
    endless, signals = EndlessInput(request, predict_batch), list[int]()
    most = request.parameters.get("max_seconds") or math.inf

    def hear(endless: EndlessInput) -> str | None:
        return "interrupted" if signals else "max_seconds" if endless.seconds >= most else None

    with defer_ctrl_c(signals):
        ending = endless.run(PipeReader(getattr(file, "raw", file)), hear)
    if endless.is_streaming:
        streamed = endless.stream_outcome(ending)
        model, report = classifier_of(streamed.model), make_stream_report(streamed)
    elif ending == "interrupted" and not endless.rows:
        raise KeyboardInterrupt
    else:
        outcome = endless.table_outcome(ending)
        model, report = classifier_of(outcome.model), make_report(outcome)
    model.report_ = report_content(report)
    return model
