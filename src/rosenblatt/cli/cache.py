"""`rosenblatt cache`: what was written to the disk of tables larger than memory, and how to be rid of it."""

from pathlib import Path
from typing import Annotated

from .console import ending_well
from .fast_parser import Option


def cache(
    cache: Annotated[Path | None, Option(metavar="DIR", show_default=False, help="Another folder.")] = None,
    clear: Annotated[bool, Option("--clear", help="Remove all of it.")] = False,
) -> None:
    """Show how much of the disk the tables take that were larger than memory, or remove them.

    \b
      rosenblatt cache
      rosenblatt cache --clear
    """
    with ending_well():
        from ..foundation.memory import shown
        from ..tables.cache.cache_folder import cache_sizes
        from ..tables.cache.cache_folder import clear_caches as remove
        from ..tables.cache.storage import Storage

        folder = Storage(folder=cache).cache_folder
        if clear:
            print(f"{shown(remove(folder))} removed from {folder}")
            return
        found = cache_sizes(folder)
        for path, size in found.items():
            print(f"{shown(size.bytes):>12}  {path}  of {size.of}")
        print(f"{shown(sum(size.bytes for size in found.values())):>12}  in all")
