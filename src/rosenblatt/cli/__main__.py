"""`python -m rosenblatt.cli` is `rosenblatt`."""

from . import main

main()
