"""The named classifiers with scikit-learn's conventions. Imports `solvers`, `prove`, `engine`, `parts`."""

from importlib import import_module
from typing import Any

from ..parts.catalogue import CLASS_NAMES


def __getattr__(name: str) -> Any:
    """The classes by name, imported when first used: scikit-learn takes longer to import than most training."""
    if name in CLASS_NAMES:
        return getattr(import_module(".catalogue", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
