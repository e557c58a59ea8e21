"""`rosenblatt verify`."""

from .command import verify as verify
