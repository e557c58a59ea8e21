"""`rosenblatt cache`: list or remove the tables that are cached on disk."""

from pathlib import Path
from typing import Annotated

from .console import handle_errors
from .fast_parser import Option


def cache(
    cache: Annotated[
        Path | None,
        Option(metavar="DIR", show_default=False, help="Use this cache folder instead of the user's own."),
    ] = None,
    clear: Annotated[bool, Option("--clear", help="Remove all cached tables.")] = False,
) -> None:
    """List the cached tables with their sizes, or remove them.

    \b
      rosenblatt cache
      rosenblatt cache --clear

    `train` and `check` cache tables that are larger than --memory. The folder is --cache, $ROSENBLATT_CACHE or the
    user's own cache. Exits with 0, or with 2 if the folder cannot be used.
    """
    with handle_errors():
        from ..foundation.memory import format_size
        from ..tables.cache.cache_folder import cache_sizes
        from ..tables.cache.cache_folder import clear_caches as remove
        from ..tables.cache.storage import Storage

        folder = Storage(folder=cache).cache_folder
        if clear:
            print(f"{format_size(remove(folder))} removed from {folder}")
            return
        found = cache_sizes(folder)
        for path, size in found.items():
            print(f"{format_size(size.bytes):>12}  {path}  of {size.of}")
        print(f"{format_size(sum(size.bytes for size in found.values())):>12}  in all")
