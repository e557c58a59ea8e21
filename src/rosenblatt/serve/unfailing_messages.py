"""Messages of the threads that learn and follow: one that cannot be printed must not end its thread."""

from collections.abc import Callable
from contextlib import suppress


def unfailing(tell: Callable[[str], None]) -> Callable[[str], None]:
    """The same function, but for errors such as a closed standard error."""

    def try_to_tell(text: str) -> None:
        with suppress(Exception):
            tell(text)

    return try_to_tell
