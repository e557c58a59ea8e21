"""`rosenblatt lab`."""

from .command import lab as lab
