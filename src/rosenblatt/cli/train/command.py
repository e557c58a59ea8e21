"""`rosenblatt train`: learn a model from a table and save it."""

from pathlib import Path
from typing import Annotated

from ...parts.catalogue import ALGORITHMS
from ..completion import complete_choices, complete_orders
from ..console import handle_errors
from ..fast_parser import Option, option_names
from ..options import (
    Files,
    Force,
    Json,
    Quiet,
    Scheduler,
    Workers,
    chosen_executor,
    column_option,
    parse_class_weights,
    parse_pairs,
    parse_value,
    require_positive,
)

Columns = list[str] | None
ALGORITHM_HELP = f"The algorithm: {', '.join(('auto', *ALGORITHMS))}."


def train(
    files: Files,
    target: Annotated[str | None, column_option("The column to predict.")] = None,
    drop: Annotated[Columns, column_option("Leave a column out (repeatable, like the next).")] = None,
    text: Annotated[Columns, column_option("Read a column as words.")] = None,
    categorical: Annotated[Columns, column_option("Read a column as categories.")] = None,
    numeric: Annotated[Columns, column_option("Read a column as numbers.")] = None,
    day_first: Annotated[Columns, column_option("Read a column as dates, the day first.", advanced=True)] = None,
    month_first: Annotated[Columns, column_option("Read a column as dates, the month first.", advanced=True)] = None,
    ngrams: Annotated[
        int | None, Option(metavar="N", show_default=False, help="Use runs of up to N words as features; default: 1.")
    ] = None,
    word_counts: Annotated[
        bool, Option("--word-counts", help="Use raw word counts instead of 1 + log(count).", advanced=True)
    ] = False,
    no_scale: Annotated[bool, Option("--no-scale", help="Do not centre and scale numeric columns.")] = False,
    algorithm: Annotated[
        str, Option(metavar="NAME", autocompletion=complete_choices("auto", *ALGORITHMS), help=ALGORITHM_HELP)
    ] = "auto",
    C: Annotated[float | None, Option("--C", metavar="NUMBER", help="Weight of the loss; --tune chooses it.")] = None,
    alpha: Annotated[
        float | None, Option(metavar="NUMBER", help="L2 penalty on the mean loss (instead of --C).", advanced=True)
    ] = None,
    tune: Annotated[bool, Option("--tune", help="Choose penalty, C and features by cross-validation.")] = False,
    features: Annotated[str | None, Option(metavar="NAME", help="Lift columns: polynomial-2 or fourier-100.")] = None,
    multi_class: Annotated[
        str | None,
        Option(
            metavar="NAME",
            autocompletion=complete_choices("auto", "ovr", "joint"),
            help="Classes one-vs-rest (ovr) or jointly (joint).",
            show_default=False,
        ),
    ] = None,
    class_weight: Annotated[
        Columns, Option(metavar="X", help="Class weights: balanced, or CLASS=X (repeatable).")
    ] = None,
    order: Annotated[
        str | None,
        Option(metavar="NAME", autocompletion=complete_orders, help="Order of rows: shuffle, cyclic, working-set ..."),
    ] = None,
    max_iter: Annotated[int | None, Option(metavar="N", help="Maximum number of epochs or solver steps.")] = None,
    max_seconds: Annotated[float | None, Option(metavar="N", help="Stop training after N seconds.")] = None,
    early_stopping: Annotated[
        bool, Option("--early-stopping", help="Stop when the loss on held-out rows stops falling.")
    ] = False,
    set_: Annotated[
        Columns, Option("--set", metavar="NAME=VALUE", help="Set any other parameter (repeatable).")
    ] = None,
    test_fraction: Annotated[float, Option(metavar="X", help="Share of rows held out for testing.")] = 0.2,
    split_column: Annotated[str | None, column_option("Column that says train or test for each row.")] = None,
    folds: Annotated[int | None, Option(metavar="N", help="Cross-validate with N folds instead of one test.")] = None,
    seed: Annotated[int, Option(metavar="N", help="Random seed of splits and orders.")] = 0,
    memory: Annotated[str, Option(metavar="SIZE", help="Memory limit; beyond it, use disk.")] = "1GiB",
    cache: Annotated[
        Path | None, Option(metavar="DIR", show_default=False, help="Folder for tables larger than --memory.")
    ] = None,
    no_cache: Annotated[bool, Option("--no-cache", help="Delete the cache when training ends.", advanced=True)] = False,
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="OUT", show_default=False, help="Model file to write; default: beside FILE."),
    ] = None,
    model: Annotated[Path | None, Option("--model", hidden=True)] = None,
    force: Force = False,
    checkpoint: Annotated[
        Path | None, Option(metavar="DIR", help="Save progress here; the same command resumes.")
    ] = None,
    checkpoint_every: Annotated[float, Option(metavar="S", help="Seconds between checkpoints.", advanced=True)] = 30.0,
    save_every: Annotated[
        str | None, Option(metavar="TIME", help="With stdin: save every 60s, 5m or 1000rows.")
    ] = None,
    continue_: Annotated[
        Path | None,
        Option(
            "--continue", metavar="MODEL", show_default=False, help="With stdin: go on from this model.", advanced=True
        ),
    ] = None,
    predict_batch: Annotated[
        int | None, Option(metavar="ROWS", help="With stdin: rows predicted before they are learned.", advanced=True)
    ] = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn to predict one column of a table, and save a model.

    \b
      rosenblatt train flowers.csv --target species
      zcat mails.csv.gz | rosenblatt train - --target spam --drop id --folds 5
      tail -n +1 -f log.csv | rosenblatt train - --target failed -o m

    Ctrl-C saves the model so far. Exits with 0, 2 (bad input) or 130 (Ctrl-C).
    """
    with handle_errors(can_drop=True, options=option_names(train)):
        from ...foundation.memory import parse_size
        from ...tables.cache.storage import Storage
        from ...training.request import Request
        from ...training.tuning_options import open_choices
        from ..output_paths import join_spellings
        from .run_training import TrainingRun

        require_positive("--checkpoint-every", checkpoint_every)
        executor = chosen_executor(workers, scheduler)
        kinds = {"text": text, "category": categorical, "number": numeric}
        kinds |= {"day-first": day_first, "month-first": month_first}
        parameters = {name: parse_value(given) for name, given in parse_pairs("--set", set_ or ()).items()}
        named = {"C": C, "alpha": alpha, "features": features, "order": order}
        named |= {"max_iter": max_iter, "max_seconds": max_seconds}
        request = Request(
            target=target,
            algorithm="logistic" if executor is not None and algorithm == "auto" else algorithm,
            parameters=parameters | {name: given for name, given in named.items() if given is not None},
            multi_class=multi_class,
            seed=seed,
            kinds={name: kind for kind, names in kinds.items() for name in names or ()},
            drop=tuple(drop or ()),
            scale=not no_scale,
            ngrams=1 if ngrams is None else ngrams,
            tune=open_choices(parameters | named | {"ngrams": ngrams}) if tune else (),
            word_counts=word_counts,
            class_weight=parse_class_weights(class_weight),
            early_stopping=early_stopping,
            test_fraction=test_fraction,
            split_column=split_column,
            folds=folds,
        )
        run = TrainingRun(
            files=files,
            request=request,
            storage=Storage(parse_size(memory), cache, keep=not no_cache),
            output=join_spellings(output, model, "--model"),
            force=force,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            save_every=save_every,
            predict_batch=predict_batch,
            quiet=quiet,
            executor=executor,
            start=continue_,
        )
        run.train(as_json)
