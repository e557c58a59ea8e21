"""`rosenblatt summary`."""

from .command import summary as summary
