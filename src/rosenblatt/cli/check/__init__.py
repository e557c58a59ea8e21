"""`rosenblatt check`."""

from .command import check as check
