"""Where the campaign finds and leaves its files."""

from pathlib import Path

ROOT = Path.cwd()  # the folder of the repository
BUILD = ROOT / "build/mutation"
