"""`rosenblatt serve`."""

from .command import serve as serve
