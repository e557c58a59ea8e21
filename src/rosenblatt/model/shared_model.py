"""A model for workers, which read it from its file once each, or get it with their tasks."""

import os
import socket
from dataclasses import dataclass
from functools import lru_cache

from ..foundation.errors import InputError
from ..tables.read.stored_files import SharedPath
from .file import read
from .model import Model


@dataclass(frozen=True)
class SharedModel:
    """The file of a model, and how it was when the work began. A task names it; its workers read it."""

    path: SharedPath
    size: int
    changed: int

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "SharedModel":
        about = os.stat(path)
        return cls(SharedPath(os.fspath(path)), about.st_size, about.st_mtime_ns)

    def load(self) -> Model:
        """The model. A file that this worker does not see, or that has changed, is refused."""
        try:
            now = os.stat(self.path.absolute)
        except OSError:
            raise InputError(
                f"a worker on {socket.gethostname()} cannot read {self.path.absolute}: put the model on a file system "
                "that all workers see."
            ) from None
        if (now.st_size, now.st_mtime_ns) != (self.size, self.changed):
            raise InputError(f"{self.path} changed while it was used: try again when nothing writes to it.")
        return _read(self.path.absolute, self.size, self.changed)


@dataclass(frozen=True)
class SentModel:
    """A model without a file. It is sent to workers."""

    model: Model

    def load(self) -> Model:
        return self.model


AnyModel = SharedModel | SentModel


@lru_cache(4)
def _read(path: str, size: int, changed: int) -> Model:
    return read(path)
