"""`rosenblatt train`."""

from .command import train as train
