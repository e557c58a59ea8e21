"""One training job: what to learn from which table, and how its errors are reported."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..engine.result import Watch
from ..foundation.errors import ColumnError, InputError, TooLarge, out_of_range
from ..foundation.memory import DEFAULT_LIMIT
from ..tables.read.batches import Source
from ..tables.survey.table_task import TableTask
from .request import Request

if TYPE_CHECKING:
    from ..distributed.traffic import Traffic
    from .checkpoint import Checkpoint


@dataclass(frozen=True)
class TrainingJob:
    """What to learn from which table. `watch` is called during training; `memory` is the most to use, in bytes.

    Where there is an `executor`, its workers train, and `traffic` counts what is sent to and fro. `searched` is how
    many of the seconds that training may take went to a search for parameters.
    """

    source: Source
    request: Request
    target: str
    watch: Watch | None = None
    checkpoint: "Checkpoint | None" = None
    memory: int = DEFAULT_LIMIT
    executor: Executor | None = None
    traffic: "Traffic | None" = None
    searched: float = 0.0

    @property
    def task(self) -> TableTask:
        """The table to encode."""
        return TableTask(self.source, self.request, self.target, self.executor, self.traffic)


@contextmanager
def as_input_errors(source: Source) -> Iterator[None]:
    """Raise every ValueError as an `InputError`, whose text is written for the user."""
    try:
        yield
    except TooLarge:
        raise out_of_range(source.path) from None
    except ColumnError:
        raise
    except ValueError as error:
        raise error if isinstance(error, InputError) else InputError(str(error)) from None
