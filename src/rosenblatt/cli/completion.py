"""Values that the shell offers when the user presses Tab. `rosenblatt --install-completion` sets this up."""

import os
import re
from collections.abc import Callable
from typing import Any

UNSAFE = re.compile(r"[^\w@%+=:,./-]")  # letters that a shell needs escaped


def complete_choices(*choices: str) -> Callable[[str], list[str]]:
    """Return a function that completes one of several choices.

    >>> complete_choices("ovr", "joint")("o")
    ['ovr']
    """

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return complete


def complete_orders(incomplete: str) -> list[str]:
    """Complete the name of an order of rows."""
    from ..parts.orders import ORDERS

    return complete_choices(*ORDERS)(incomplete)


def complete_columns(ctx: Any, incomplete: str) -> list[str]:
    """Complete a column of the table that is already on the command line."""
    from ..tables.read.sources import open_source

    words = map(str, ctx.params.get("files") or ctx.args)  # an unfinished line leaves its words in args
    tables = [word for word in words if os.path.exists(word) and not word.endswith(".safetensors")]
    try:
        names = open_source(tables[0]).names if tables else []
    except (OSError, ValueError):  # a table that cannot be read has no columns to offer
        return []
    return [UNSAFE.sub(r"\\\g<0>", name) for name in names if name and name.startswith(incomplete)]
