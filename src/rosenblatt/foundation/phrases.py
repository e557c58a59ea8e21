"""Small phrases that sentences for people are made of."""


def count(number: int, thing: str) -> str:
    """
    >>> count(1, "epoch"), count(3, "epoch")
    ('1 epoch', '3 epochs')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def percent(part: int, whole: int) -> str:
    """
    >>> percent(1, 3)
    '33.3 %'
    """
    return f"{100 * part / whole:.1f} %"


def first_names(names: list[str], most: int) -> str:
    """
    >>> first_names(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    first = ", ".join(names[:most])
    return first if len(names) <= most else f"{first} and {len(names) - most:,} more"
