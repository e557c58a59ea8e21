"""The command line. One file or folder a command; slow imports happen inside the command that needs them.

May import `serve` and below.
"""

from .main import main as main
