"""`python -m rosenblatt.cli` is `rosenblatt`."""

from .main import main

main()
