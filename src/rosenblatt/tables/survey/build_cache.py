"""Build the cache of a table that is larger than memory: one pass to survey it, one to encode its rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ...foundation import memory
from ...foundation.errors import InputError
from ...foundation.json_values import labels_out
from ...foundation.version import __version__
from ..cache.encoded_cache import CachedTable, CacheWriter, Facts, cache_key, open_cache, open_new_cache, write_cache
from ..cache.source_identity import SourceIdentity, changed_error
from ..cache.storage import OnBatch, OnMessage, Storage, read_batches, require_rereadable
from ..cache.stored_rows import StoredRows
from ..encode.class_counter import ValueIndex
from ..encode.encoded_rows import LabelledRows
from ..encode.encoder import Encoder
from ..read.batches import Batch, Reading
from .survey import RowAssigner, TableSurvey, rows_by_use, survey_in_one_pass
from .table_task import TableTask

CACHED_OPTIONS = (  # that the content of a cache depends on
    *("kinds", "drop", "scale", "ngrams", "tf_idf", "word_counts"),
    *("seed", "test_fraction", "split_column", "early_stopping"),
)

Encode = Callable[[TableSurvey, Path], Iterator[Mapping[str, LabelledRows | StoredRows]]]  # takes the cache's folder


class CacheBuilder:
    """Finds or builds the cache of a task's table."""

    def __init__(self, task: TableTask, storage: Storage, on_batch: OnBatch | None, say: OnMessage | None) -> None:
        self._task, self._source, self._storage = task, task.source, storage
        self._on_batch, self._say = on_batch, say or (lambda _: None)
        self._identity = SourceIdentity(task.source)

    def find(self) -> CachedTable | None:
        """The cache that an earlier run wrote of the same table and options, if there is one."""
        folder, key = self._storage.cache_folder, self._key()
        if not (folder / key).is_dir():
            return None
        self._say(f"reading {self._source.path} from the cache {folder / key}")
        return open_cache(folder, key, self._storage.allowance)

    def check_feasible(self) -> None:
        """Refuse a source that can be read only once, and folds and tuning, which need all rows in memory."""
        require_rereadable(self._source, self._storage.memory)
        options = self._task.options
        if options.folds is not None or options.tune:
            what, instead = (
                ("tuning needs", "choose C") if options.tune else ("folds need", "hold out a fraction of the rows")
            )
            raise InputError(
                f"{self._source.path} needs more memory than --memory {memory.format_size(self._storage.memory)} "
                f"allows, and {what} all rows in memory: allow more memory, or {instead}."
            )

    def build(self, encoder: Encoder, reading: Reading, batches: Iterable[Batch]) -> CachedTable:
        """Survey these batches, then read the source again and write its encoded rows into a cache."""
        self._source.passes = 2
        again = partial(read_batches, self._source, reading, self._on_batch)
        survey = partial(survey_in_one_pass, batches, encoder, self._task)
        encode = lambda found, _: encoded_batches(found, again(), self._task)  # noqa: E731
        return self._build(encoder, survey, encode, "larger than memory")

    def build_by_workers(self, executor: Executor, encoder: Encoder, reading: Reading) -> CachedTable:
        """Let the workers of an executor survey the source and encode its rows, and write these into a cache."""
        from .survey_by_workers import WorkerSurvey

        workers = WorkerSurvey(executor, self._task, reading, self._on_batch)
        return self._build(encoder, partial(workers.survey, encoder), workers.encoded_rows, "read by several workers")

    def _build(
        self,
        encoder: Encoder,
        make_survey: Callable[[], TableSurvey],
        encode: Encode,
        why: str,
    ) -> CachedTable:
        folder, key = self._storage.cache_folder, self._key()
        with self._unchanged():
            survey = make_survey()
        memory.release_free_memory()
        self._say(f"{self._source.path} is {why}: it is read again, into the cache {folder / key}")
        with write_cache(folder, key, self._source.path) as writer:
            with self._unchanged():
                self._encode(writer, survey, encode)
            writer.end(encoder, survey_facts(survey))
        memory.release_free_memory()
        return open_new_cache(folder, key, self._storage.allowance)

    def _encode(self, writer: CacheWriter, survey: TableSurvey, encode: Encode) -> None:
        """The last pass: write surveyed rows into a cache."""
        self._source.pass_number = self._source.passes
        if write_rows(writer, encode(survey, writer.path)) != survey.rows:
            raise changed_error(self._source.path)

    @contextmanager
    def _unchanged(self) -> Iterator[None]:
        """Report a file that changes during a pass, also if the change causes another error first."""
        try:
            yield
        except (InputError, OSError):
            self._identity.check_unchanged()
            raise
        self._identity.check_unchanged()

    def _key(self) -> str:
        options = {name: as_json(getattr(self._task.options, name)) for name in CACHED_OPTIONS}
        return cache_key(
            {"version": __version__, "files": self._identity.as_json(), "target": self._task.target, "options": options}
        )


def write_rows(writer: CacheWriter, batches: Iterable[Mapping[str, LabelledRows | StoredRows]]) -> int:
    """Write batches of encoded rows by their use into a cache; returns the number of rows."""
    rows = 0
    for by_use in batches:
        for name, encoded in by_use.items():
            writer.append(name, encoded)
            rows += len(encoded.codes)
    return rows


def encoded_batches(
    survey: TableSurvey, batches: Iterable[Batch], task: TableTask
) -> Iterator[dict[str, LabelledRows]]:
    """The rows of a surveyed table, batch by batch, by their use."""
    classes = survey.classes
    assigner, index = RowAssigner(task.options), ValueIndex(task.target, "class", classes.texts)
    rows = 0
    for batch in batches:
        texts = index.codes(batch)
        rows += len(texts)
        if len(index.texts) > len(classes.texts) or rows > survey.rows or (classes.numbers[texts] < 0).any():
            raise changed_error(task.source.path)
        yield rows_by_use(survey.encoder, batch, classes.numbers[texts], assigner(batch, texts))


def as_json(value: Any) -> Any:
    """An option as JSON keeps it."""
    return dict(value) if hasattr(value, "items") else list(value) if isinstance(value, tuple) else value


def survey_facts(survey: TableSurvey) -> Facts:
    """What a cache keeps of a survey besides the encoder."""
    labels, counts = survey.classes.labels, survey.classes.counts
    return {"labels": labels_out(labels), "counts": counts.tolist(), "leaks": survey.leaks}
