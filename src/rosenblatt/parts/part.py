"""What a part is: a name users type, a number the core knows, and its rule in words.

Each of losses, penalties, orders, steps, keeps, stops and features lists its members in one dict. What the rest of the
library must know about a member stands in its entry there. Error messages, the command line, the documentation and the
lab read the same dicts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..foundation.suggestions import unknown_choice


@dataclass(frozen=True)
class Part:
    """One member of a family of parts."""

    code: int
    rule: str


def choose(kind: str, name: object, members: Mapping[str, Part]) -> int:
    """Return the core's number of a part, or say which names there are.

    >>> choose("order", "cyclic", {"cyclic": Part(0, "as given")})
    0
    >>> choose("order", "cycle", {"cyclic": Part(0, "as given")})
    Traceback (most recent call last):
        ...
    ValueError: order must be one of 'cyclic', not 'cycle': did you mean 'cyclic'?
    """
    if isinstance(name, str) and name in members:
        return members[name].code
    raise ValueError(unknown_choice(kind, name, members))
