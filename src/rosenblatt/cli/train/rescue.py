"""A model that cannot be saved where it was wanted is saved elsewhere: training must not be lost to a full disk."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from ...foundation.errors import InputError
from ...model.file import write
from ...model.model import Model
from ..console import sentence


def write_or_rescue(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model; where that fails, to the folder for temporary files, the user's own or this one, and say so."""
    try:
        write(model, path)
    except OSError as error:
        for folder in (tempfile.gettempdir, Path.home, Path.cwd):
            with suppress(OSError, RuntimeError):
                place = Path(tempfile.mkdtemp(prefix="rosenblatt-", dir=folder()), Path(path).name)
                try:
                    write(model, place)
                except OSError:
                    place.parent.rmdir()
                    continue
                raise InputError(f"{sentence(error).rstrip('.')}. The model is kept in {place}.") from None
        raise
