"""What ends a solver from outside: Ctrl-C, or the limit of seconds. Its result so far is kept."""

INTERRUPTIONS: dict[str, type[BaseException]] = {"interrupted": KeyboardInterrupt, "max_seconds": TimeoutError}
INTERRUPTION_TYPES = tuple(INTERRUPTIONS.values())


def interruption_reason(interruption: BaseException) -> str:
    """The reason that a status gives for an interruption.

    >>> interruption_reason(KeyboardInterrupt())
    'interrupted'
    """
    return next(reason for reason, kind in INTERRUPTIONS.items() if isinstance(interruption, kind))
