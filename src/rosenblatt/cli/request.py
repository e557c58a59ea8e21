"""What `rosenblatt train` was asked for, refused where it makes no sense."""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import named
from ..errors import InputError
from ..recipe import Recipe
from ..solvers import check_joint

MULTI_CLASS = ("ovr", "joint")
DATA_SUFFIX = re.compile(r"(\.(csv|tsv|txt))?(\.(gz|bz2|zst|lz4|br))?$", re.IGNORECASE)
MODEL_SUFFIX = ".rosenblatt.safetensors"


@dataclass(frozen=True)
class Request:
    """What the user asked for; None leaves a choice to the algorithm."""

    file: Path
    target: str
    algorithm: str
    order: str | None
    multi_class: str
    max_iter: int | None
    max_seconds: float | None
    seed: int
    test_fraction: float
    ignore: tuple[str, ...]
    scale: bool
    model: Path | None

    def parameters(self) -> dict[str, Any]:
        given = {"order": self.order, "max_iter": self.max_iter, "max_seconds": self.max_seconds}
        return {name: value for name, value in given.items() if value is not None}

    def recipe(self) -> Recipe:
        if self.multi_class not in MULTI_CLASS:
            raise InputError(f"multi-class must be one of 'ovr', 'joint', not {self.multi_class!r}.")
        if not 0 <= self.test_fraction < 1:
            raise InputError(f"test-fraction must be at least 0 and below 1, not {self.test_fraction:g}.")
        if not 0 <= self.seed < 2**32:
            raise InputError(f"seed must be a whole number from 0 to {2**32 - 1}, not {self.seed}.")
        try:
            algorithm = named.ALGORITHMS.get(self.algorithm)
            if algorithm is not None and algorithm.solver is not None and self.multi_class == "joint":
                check_joint(algorithm.parts["loss"], algorithm.solver)
            return named.recipe(self.algorithm, **self.parameters())
        except ValueError as error:
            raise InputError(str(error)) from None

    def model_path(self) -> Path:
        """Where to save: a place that can be written to, and not the table itself."""
        path = self.model or self.file.with_name(DATA_SUFFIX.sub("", self.file.name) + MODEL_SUFFIX)
        if path.exists() and path.samefile(self.file):
            raise InputError(f"{path} is the table: give --model another name.")
        if path.is_dir():
            raise InputError(f"{path} is a folder: give --model the name of a file.")
        if path.exists() and not path.is_file():  # a device or a pipe is simply written to
            return path
        if not path.parent.is_dir():
            raise InputError(f"{path.parent}, where the model should go, is not a folder: make it first.")
        if not os.access(path.parent, os.W_OK):
            raise InputError(
                f"{path.parent}, where the model should go, cannot be written to: choose another with --model."
            )
        return path
