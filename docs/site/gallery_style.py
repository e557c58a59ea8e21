"""The look of the gallery's pictures: that of the guide's."""

from typing import Any

import matplotlib as mpl
from make_pictures import STYLE


def use_style(*_: Any) -> None:
    """Called by Sphinx-Gallery before each program."""
    mpl.rcParams.update(STYLE | {"figure.dpi": 120})
