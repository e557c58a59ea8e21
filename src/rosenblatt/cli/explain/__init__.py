"""`rosenblatt explain`."""

from .command import explain as explain
