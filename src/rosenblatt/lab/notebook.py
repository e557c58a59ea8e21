"""`rosenblatt.Lab`: the widget, or where anywidget is not installed a class that names the extra it needs."""

from typing import Any

try:
    from .widget import Lab as Lab
except ImportError as error:
    if error.name not in ("anywidget", "traitlets"):
        raise

    class Lab:  # type: ignore[no-redef]
        """The lab in a notebook. It needs the extra `notebook`: pip install "rosenblatt[notebook]"."""

        def __init__(self, *_: Any, **__: Any) -> None:
            raise ImportError('Lab needs anywidget: pip install "rosenblatt[notebook]".')
