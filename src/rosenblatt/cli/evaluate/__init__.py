"""`rosenblatt evaluate`."""

from .command import evaluate as evaluate
