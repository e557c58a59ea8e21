"""The work of `rosenblatt train`: read the input, train, save the model, print the report and the hints."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ...foundation.errors import InputError
from ...tables.cache.storage import Storage
from ...tables.read.batches import Source
from ...tables.read.compressed import STDIN
from ...tables.read.sources import note_models, open_source, split_models
from ...training.checkpoint_options import OWN_OPTIONS
from ...training.online.one_pass import option_needing_all_rows
from ...training.report import Report
from ...training.report_hints import report_hints
from ...training.report_text import report_text
from ...training.request import Request
from ...training.train_table import train_table
from ..console import print_result, say
from ..options import GivenExecutor
from ..output_paths import model_path
from .checkpointing import open_checkpoint
from .fewest_mistakes import report_with_fewest_mistakes
from .progress import ProgressBar
from .rescue import write_or_rescue

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ...model.model import Model
    from .endless import StreamEnd


@dataclass(frozen=True)
class TrainingRun:
    """One run of `rosenblatt train`: the files, what to learn, and where the model and checkpoints go."""

    files: list[str]
    request: Request
    storage: Storage
    output: Path | None
    force: bool
    checkpoint: Path | None
    checkpoint_every: float
    save_every: str | None
    predict_batch: int | None
    quiet: bool
    executor: GivenExecutor = None
    start: Path | None = None

    def train(self, as_json: bool) -> None:
        """Train, save the model, and print the report. Raise KeyboardInterrupt if training was interrupted."""
        stream_end: StreamEnd | None = None
        if self._learns_from_stream():
            from .endless import train_on_stream

            batch = 1 if self.predict_batch is None else self.predict_batch
            request, start = self._continued()
            stream_end = train_on_stream(request, self._path(), self.save_every, self.quiet, batch, start)
            report = stream_end.report
        else:
            report = self._train_on_table(open_source(self.files), self._path())
        print(report.as_json()) if as_json else print_result(report_text(report))
        if stream_end is not None:
            stream_end.raise_if_cut_short()
        if report.reason == "interrupted":
            resume = "" if self.checkpoint is None else f"; the same command goes on from {self.checkpoint}"
            raise KeyboardInterrupt(f"what was learned so far is saved in {report.model}{resume}")
        if report.tuning is not None and report.tuning["ended"] == "interrupted":
            raise KeyboardInterrupt(f"the best choice found so far is trained and saved in {report.model}")
        for hint in () if self.quiet else report_hints(report, self.tables):
            say(f"hint: {hint}")

    @cached_property
    def tables(self) -> list[str]:
        """The files without models that lie among them."""
        return split_models(self.files)[0]

    def _path(self) -> Path:
        return model_path(self.output, self.tables, self.force)

    def _train_on_table(self, source: Source, path: Path) -> Report:
        note = note_models(source)
        if note is not None and not self.quiet:
            say(note)
        opened = open_checkpoint(self.checkpoint, self.request, self.checkpoint_every, self.quiet)
        with opened as checkpoint, self._workers() as pool, ProgressBar(self.quiet) as bar:
            tell = None if self.quiet else say
            show = bar.show_training, None if bar.silent else bar.show_reading
            outcome = train_table(
                source, self.request, *show, checkpoint, self.storage, tell, pool, searching=bar.show_search
            )
        write_or_rescue(outcome.model, path)
        return report_with_fewest_mistakes(outcome, path)

    def _workers(self) -> "AbstractContextManager[Executor | None]":
        if self.executor is None:
            return nullcontext()
        from ...distributed.executors import open_executor

        return open_executor(self.executor)

    def _continued(self) -> "tuple[Request, Model | None]":
        """The request, and the model to go on from, if one is given: it decides all but the seconds."""
        if self.start is None:
            return self.request, None
        from ...model.file import read
        from ...training.online.continued_model import check_continuable, request_of

        seconds = {key: value for key, value in self.request.parameters.items() if key == "max_seconds"}
        model = read(self.start)
        check_continuable(model)
        request = request_of(model)
        target = request.target if self.request.target is None else self.request.target
        if replace(self.request, target=None) != Request(parameters=seconds) or target != request.target:
            raise InputError(
                f"--continue takes target, columns and algorithm from {self.start}: leave out options that name them."
            )
        return replace(request, parameters={**request.parameters, **seconds}), model

    def _learns_from_stream(self) -> bool:
        """Return whether rows are learned as they arrive: from standard input, unless an option needs all of them."""
        given = {"--save-every": self.save_every, "--predict-batch": self.predict_batch, "--continue": self.start}
        of_streams = next((name for name, value in given.items() if value is not None), None)
        if self.tables != [STDIN]:
            if of_streams is not None:
                raise InputError(
                    f"{of_streams} goes with standard input (-), which may never end: leave it out for files."
                )
            return False
        if self.executor is not None:
            raise InputError(
                "--workers and --scheduler do not go with standard input, which one process reads: "
                "give a table in files."
            )
        needing = option_needing_all_rows(self.request) if self.checkpoint is None else "checkpoint"
        if needing is None:
            return True
        own = needing not in self.request.parameters or needing in OWN_OPTIONS
        option = f"--{needing.replace('_', '-')}" if own else f"--set {needing}"
        if of_streams is not None:
            raise InputError(f"{of_streams} does not go with {option}, which needs all rows at once: give one of them.")
        if not self.quiet:
            say(f"note: {option} needs all rows, so standard input is read to its end before learning begins.")
        return False
