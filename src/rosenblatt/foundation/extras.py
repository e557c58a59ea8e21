"""Packages that do not come with rosenblatt but with its extras, and the sentence where one is missing.

An extra adds an ability. No extra changes what another call returns.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from .errors import InputError

EXTRAS = {
    "lab": ("starlette", "uvicorn", "anyio"),
    "serve": ("starlette", "uvicorn", "anyio", "httptools", "uvloop"),
    "plot": ("matplotlib",),
    "notebook": ("anywidget", "traitlets"),
    "onnx": ("onnx",),
    "dask": ("dask", "distributed"),
    "formula": ("formulaic",),
    "mlflow": ("mlflow", "pandas"),
}


class MissingExtra(InputError, ImportError):
    """A package is not installed. The text is one sentence with the command that installs it."""


@contextmanager
def needs_extra(extra: str, user: str) -> Iterator[None]:
    """Say which extra to install where an import in the block fails; `user` is what needs it.

    >>> with needs_extra("plot", "rosenblatt.plots"):
    ...     raise ModuleNotFoundError(name="matplotlib.pyplot")
    Traceback (most recent call last):
        ...
    rosenblatt.foundation.extras.MissingExtra: rosenblatt.plots needs matplotlib: pip install "rosenblatt[plot]".
    """
    try:
        yield
    except ImportError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS[extra]:
            raise
        raise MissingExtra(f'{user} needs {package}: pip install "rosenblatt[{extra}]".') from None
