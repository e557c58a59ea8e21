"""`rosenblatt train`: from a table to a model file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ...parts.catalogue import ALGORITHMS
from ..console import ending_well, say
from ..fast_parser import Option
from ..options import Files, Json, Quiet, class_weights, pairs, value

if TYPE_CHECKING:
    from ...training.request import Request

Columns = list[str] | None


def train(
    files: Files,
    target: Annotated[str | None, Option(metavar="COLUMN", show_default=False, help="What to predict.")] = None,
    drop: Annotated[Columns, Option(metavar="COLUMN", help="Leave out; this and the next can be repeated.")] = None,
    text: Annotated[Columns, Option(metavar="COLUMN", help="Read as words.")] = None,
    categorical: Annotated[Columns, Option(metavar="COLUMN", help="Read as categories.")] = None,
    numeric: Annotated[Columns, Option(metavar="COLUMN", help="Read as numbers.")] = None,
    ngrams: Annotated[int, Option(metavar="N", help="Words in a row that count together.")] = 1,
    word_counts: Annotated[bool, Option("--word-counts", help="Not their logarithms.")] = False,
    no_scale: Annotated[bool, Option("--no-scale", help="Neither centre nor scale numbers.")] = False,
    algorithm: Annotated[str, Option(metavar="NAME", help=", ".join(("auto", *ALGORITHMS)) + ".")] = "auto",
    C: Annotated[float | None, Option("--C", metavar="NUMBER", help="Weight of the losses (1).")] = None,
    alpha: Annotated[float | None, Option(metavar="NUMBER", help="Or the weight of the penalty.")] = None,
    features: Annotated[str | None, Option(metavar="NAME", help="polynomial-2: products too.")] = None,
    multi_class: Annotated[str | None, Option(metavar="NAME", help="ovr or joint.", show_default=False)] = None,
    class_weight: Annotated[Columns, Option(metavar="X", help="balanced, or CLASS=WEIGHT.")] = None,
    order: Annotated[str | None, Option(metavar="NAME", help="Which row is visited next.")] = None,
    max_iter: Annotated[int | None, Option(metavar="N", help="Epochs or steps at most.")] = None,
    max_seconds: Annotated[float | None, Option(metavar="SECONDS", help="Stop after so much time.")] = None,
    early_stopping: Annotated[bool, Option("--early-stopping", help="End by rows held out.")] = False,
    set_: Annotated[Columns, Option("--set", metavar="NAME=VALUE", help="Any other parameter.")] = None,
    test_fraction: Annotated[float, Option(metavar="SHARE", help="Rows held out to measure by.")] = 0.2,
    split_column: Annotated[str | None, Option(metavar="COLUMN", help="Says train or test.")] = None,
    folds: Annotated[int | None, Option(metavar="N", help="Cross-validate instead.")] = None,
    seed: Annotated[int, Option(metavar="N", help="The same seed, the same model.")] = 0,
    memory: Annotated[str, Option(metavar="SIZE", help="Memory to use at most; beyond, disk.")] = "1GiB",
    cache: Annotated[Path | None, Option(metavar="DIR", show_default=False, help="For tables beyond that.")] = None,
    no_cache: Annotated[bool, Option("--no-cache", help="Leave nothing in it.")] = False,
    model: Annotated[Path | None, Option(metavar="OUT", show_default=False, help="Where to save.")] = None,
    checkpoint: Annotated[Path | None, Option(metavar="DIR", help="Keep the run there, to go on if killed.")] = None,
    checkpoint_every: Annotated[float, Option(metavar="S", show_default=False, help="Seconds between (30).")] = 30.0,
    save_every: Annotated[str | None, Option(metavar="TIME", help="Of stdin: 60s, 5m or 1000rows.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Learn to predict one column of a table from the others.

    \b
      rosenblatt train flowers.csv --target species
      zcat mails.csv.gz | rosenblatt train - --target spam --drop id --folds 5
      tail -f log.csv | rosenblatt train - --target failed --model m
    """
    with ending_well(can_drop=True):
        from ...foundation.memory import size
        from ...tables.cache.storage import Storage
        from ...tables.read.sources import open_source
        from ...training.request import Request
        from ...training.train_table import learn_table
        from ..output_paths import model_path
        from .checkpointing import keeping
        from .fewest_mistakes import reported
        from .progress import Bar
        from .rescue import write_or_rescue

        kinds = {"text": text, "category": categorical, "number": numeric}
        parameters = {name: value(given) for name, given in pairs("--set", set_ or ()).items()}
        named = {"C": C, "alpha": alpha, "features": features, "order": order}
        named |= {"max_iter": max_iter, "max_seconds": max_seconds}
        request = Request(
            target=target,
            algorithm=algorithm,
            parameters=parameters | {name: given for name, given in named.items() if given is not None},
            multi_class=multi_class,
            seed=seed,
            kinds={name: kind for kind, names in kinds.items() for name in names or ()},
            drop=tuple(drop or ()),
            scale=not no_scale,
            ngrams=ngrams,
            word_counts=word_counts,
            class_weight=class_weights(class_weight),
            early_stopping=early_stopping,
            test_fraction=test_fraction,
            split_column=split_column,
            folds=folds,
        )
        storage = Storage(size(memory), cache, keep=not no_cache)
        source = None if keeps_coming(files, request, checkpoint, save_every, quiet) else open_source(files)
        path = model_path(model, files)
        ended = None
        if source is None:
            from .endless import learn_endless

            ended = learn_endless(request, path, save_every, quiet)
            report = ended.report
        else:
            with keeping(checkpoint, request, checkpoint_every, quiet) as kept, Bar(quiet) as bar:
                tell = None if quiet else say
                reading = None if bar.silent else bar.reading
                outcome = learn_table(source, request, bar.watch, reading, kept, storage, tell)
            write_or_rescue(outcome.model, path)
            report = reported(outcome, path)
        print(report.as_json() if as_json else report.as_text())
        if ended is not None:
            ended.tell()
        if report.reason == "interrupted":
            on = "" if checkpoint is None else f"; the same command goes on from {checkpoint}"
            raise KeyboardInterrupt(f"what was learned so far is saved in {report.model}{on}")
        for hint in () if quiet else report.hints():
            say(f"hint: {hint}")


def keeps_coming(
    files: list[str], request: "Request", checkpoint: Path | None, save_every: str | None, quiet: bool
) -> bool:
    """Whether rows are to be learned as they come: those of standard input, unless an option needs all of them."""
    from ...foundation.errors import InputError
    from ...tables.read.compressed import STDIN
    from ...training.online.one_pass import needs_all_rows

    if list(files) != [STDIN]:
        if save_every is not None:
            raise InputError("--save-every goes with standard input (-), which may never end: leave it out for files.")
        return False
    needing = needs_all_rows(request) if checkpoint is None else "checkpoint"
    if needing is None:
        return True
    option = needing.replace("_", "-")
    if save_every is not None:
        raise InputError(f"--save-every does not go with {option}, which needs all rows at once: give one of them.")
    if not quiet:
        say(f"note: {option} needs all rows, so standard input is read to its end before learning begins.")
    return False
