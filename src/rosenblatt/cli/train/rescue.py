"""Save a model elsewhere if its own path fails: a full disk must not lose the training."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from ...foundation.errors import InputError
from ...model.file import write
from ...model.model import Model
from ..console import describe_os_error


def write_or_rescue(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model. If that fails, write it to the temporary, home or current folder and raise an error naming it."""
    try:
        write(model, path)
    except OSError as error:
        for folder in (tempfile.gettempdir, Path.home, Path.cwd):
            with suppress(OSError, RuntimeError):
                rescued = Path(tempfile.mkdtemp(prefix="rosenblatt-", dir=folder()), Path(path).name)
                try:
                    write(model, rescued)
                except OSError:
                    rescued.parent.rmdir()
                    continue
                raise InputError(f"{describe_os_error(error).rstrip('.')}. The model is kept in {rescued}.") from None
        raise
