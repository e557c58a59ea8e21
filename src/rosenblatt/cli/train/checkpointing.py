"""`--checkpoint`: open a checkpoint, and say on Ctrl-C that the same command resumes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..console import say

if TYPE_CHECKING:
    from ...training.checkpoint import Checkpoint
    from ...training.request import Request


@contextmanager
def open_checkpoint(
    folder: Path | None, request: "Request", every: float, quiet: bool
) -> Iterator["Checkpoint | None"]:
    """Open the checkpoint in a folder, if one is named."""
    if folder is None:
        yield None
        return
    from ...training.checkpoint import open_checkpoint

    with open_checkpoint(folder, request, every, "--{}", (lambda _: None) if quiet else say) as checkpoint:
        try:
            yield checkpoint
        except KeyboardInterrupt:
            if not checkpoint.file.exists():
                raise
            raise KeyboardInterrupt(f"the same command goes on from {folder}") from None
