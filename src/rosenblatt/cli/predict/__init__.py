"""`rosenblatt predict`."""

from .command import predict as predict
