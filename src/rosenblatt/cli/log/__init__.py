"""`rosenblatt log`."""

from .command import log as log
