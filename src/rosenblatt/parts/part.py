"""A part has a name that users type, a number that the core takes, and its rule in words.

Losses, penalties, orders, steps, keeps, stops and features each list their members in one dict. Everything that the
rest of the library needs to know about a member is in its entry. Error messages, the command line, the documentation
and the lab read the same dicts.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..foundation.suggestions import unknown_choice
from .sklearn_names import answer_value


@dataclass(frozen=True)
class Part:
    """One member of a family of parts."""

    code: int
    rule: str


def choose(kind: str, name: object, members: Mapping[str, Part]) -> int:
    """The core's number of a named part. An unknown name is refused with the list of names.

    >>> choose("order", "cyclic", {"cyclic": Part(0, "as given")})
    0
    >>> choose("order", "cycle", {"cyclic": Part(0, "as given")})
    Traceback (most recent call last):
        ...
    ValueError: order must be one of 'cyclic', not 'cycle': did you mean 'cyclic'?
    """
    if isinstance(name, str) and name in members:
        return members[name].code
    raise ValueError(answer_value(kind, name) or unknown_choice(kind, name, members))
